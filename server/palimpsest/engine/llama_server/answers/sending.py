"""Answers sent: whole as JSON, or piece by piece as server-sent events.

In: work for a `Serving`, the form of its answer.  Out: responses.  An error before the first piece has a status of its
own; a later one is an event.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from palimpsest import wire
from palimpsest.engine.http.request_handling import first_of
from palimpsest.engine.llama_server.answers import errors
from palimpsest.engine.llama_server.answers.shapes import Json, Replies
from palimpsest.engine.llama_server.completions.outcome import Done, StreamPiece
from palimpsest.engine.llama_server.requests.params import Params
from palimpsest.engine.llama_server.serving.serving import Serving, WorkInSlot


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """One kind of answer.  `marker`: the stream ends with `[DONE]`.  `shows_prompt`: the answer contains the prompt's
    text. `in_one`: several completions are choices of one object, not an array of objects."""

    whole: Callable[[Replies, Done], Json]
    begin: Callable[[Replies], list[Json]]
    piece: Callable[[Replies, StreamPiece], Json]
    end: Callable[[Replies, Done], list[Json]]
    marker: bool = True
    shows_prompt: bool = False
    in_one: bool = True


def _no_beginning(_replies: Replies) -> list[Json]:
    return []


NATIVE = ReplyForm(
    Replies.native,
    _no_beginning,
    Replies.native_piece,
    lambda replies, done: [replies.native(done, streamed=True)],
    marker=False,
    shows_prompt=True,
    in_one=False,
)
COMPLETION = ReplyForm(
    Replies.completion,
    _no_beginning,
    Replies.completion_piece,
    lambda replies, done: [replies.completion(done, streamed=True)],
)
CHAT = ReplyForm(Replies.chat, lambda replies: [replies.chat_begin()], Replies.chat_piece, Replies.chat_end)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request.  `before`: the beginning of the answer that the request gave (chats)."""

    params: Params
    form: ReplyForm
    urgency: wire.Slot
    before: str = ""

    @property
    def wants_prompt(self) -> bool:
        wanted = self.params.response_fields
        return self.form.shows_prompt and (wanted is None or "prompt" in wanted)


async def answer(serving: Serving, request: Request, question: Exchange, works: list[WorkInSlot]) -> Response:
    """One object with all completions, an array with one object for each, or a stream.  Completions of one prompt are
    made together, several prompts one after the other."""
    await asyncio.to_thread(serving.core.prepare_grammar, question.params.grammar, question.params.schema)
    model = (await serving.properties()).name
    if question.params.stream:
        return await _streamed(serving, request, question, works[0], model)
    made = list[Json]()
    base = Replies(question.params, model, -1, before=question.before)
    for work_in_slot in works:
        slot, dones = await serving.done(
            request, question.params, work_in_slot, question.urgency, wants_prompt=question.wants_prompt
        )
        for nth, done in enumerate(dones):
            replies = replace(base, slot=slot, index=len(made), params=question.params.of(nth))
            made.append(question.form.whole(replies, done))
    if question.form.in_one:
        made = [made[0] | {"choices": [choice for one in made for choice in one["choices"]]}]
    return reply(made[0] if len(made) == 1 else made)


async def _streamed(
    serving: Serving, request: Request, question: Exchange, work_in_slot: WorkInSlot, model: str
) -> Response:
    pieces = serving.stream(question.params, work_in_slot, question.urgency, wants_prompt=question.wants_prompt)
    first = await first_of(request, pieces)
    return StreamingResponse(_events(question, model, first, pieces), media_type="text/event-stream")


async def _events(
    question: Exchange,
    model: str,
    first: StreamPiece | tuple[int, list[Done]],
    pieces: AsyncIterator[StreamPiece | tuple[int, list[Done]]],
) -> AsyncIterator[bytes]:
    form, base = question.form, Replies(question.params, model, -1, before=question.before)
    each = [replace(base, index=nth, params=question.params.of(nth)) for nth in range(question.params.n)]
    try:
        for replies in each:
            for data in form.begin(replies):
                yield event(data)
        item: StreamPiece | tuple[int, list[Done]] | None = first
        while isinstance(item, StreamPiece):
            yield event(form.piece(each[item.index], item))
            item = await anext(pieces, None)
        assert item is not None, "a stream ends with what it came to"
        slot, dones = item
        for replies, done in zip(each, dones, strict=True):
            for data in form.end(replace(replies, slot=slot), done):
                yield event(data)
        if form.marker:
            yield b"data: [DONE]\n\n"
    except Exception as error:
        yield event(errors.of(error)[1])
    finally:
        await pieces.aclose()  # type: ignore[attr-defined]


def event(data: Any) -> bytes:
    return b"data: " + packed(data) + b"\n\n"


def packed(data: Any) -> bytes:
    """ASCII JSON, since a text may hold a lone surrogate, which UTF-8 has no bytes for."""
    return json.dumps(data, separators=(",", ":")).encode()


def reply(data: Any, status: int = 200) -> Response:
    return Response(packed(data), status, media_type="application/json; charset=utf-8")
