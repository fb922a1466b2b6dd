"""Answers sent: whole as JSON, or piece by piece as server-sent events.

In: work for a `Serving`, the form of its answer.  Out: responses.  An error before the first piece has a status of its
own; a later one is an event.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from palimpsest import wire
from palimpsest.engine.http.request_handling import first_of
from palimpsest.engine.llama_server.answers import errors
from palimpsest.engine.llama_server.answers.shapes import Json, Replies
from palimpsest.engine.llama_server.completions.outcome import Done, StreamPiece
from palimpsest.engine.llama_server.serving.serving import Serving, WorkInSlot


async def answer(
    serving: Serving, request: Request, base: Replies, urgency: wire.Slot, works: list[WorkInSlot]
) -> Response:
    """One object with all completions, an array with one object for each, or a stream.  Completions of one prompt are
    made together, several prompts one after the other."""
    params = base.params
    await asyncio.to_thread(serving.core.prepare_grammar, params.grammar, params.schema)
    base = replace(base, model=(await serving.properties()).name)
    if params.stream:
        pieces = serving.stream(params, works[0], urgency, wants_prompt=base.wants_prompt)
        first = await first_of(request, pieces)
        return StreamingResponse(_events(base, first, pieces), media_type="text/event-stream")
    made = list[Json]()
    for work_in_slot in works:
        slot, dones = await serving.done(request, params, work_in_slot, urgency, wants_prompt=base.wants_prompt)
        for nth, done in enumerate(dones):
            made.append(replace(base, slot=slot, index=len(made), params=params.of(nth)).whole(done))
    if base.in_one:
        made = [made[0] | {"choices": [choice for one in made for choice in one["choices"]]}]
    return errors.reply(made[0] if len(made) == 1 else made)


async def _events(
    base: Replies,
    first: StreamPiece | tuple[int, list[Done]],
    pieces: AsyncIterator[StreamPiece | tuple[int, list[Done]]],
) -> AsyncIterator[bytes]:
    each = [replace(base, index=nth, params=base.params.of(nth)) for nth in range(base.params.n)]
    try:
        for replies in each:
            for data in replies.begin():
                yield event(data)
        item: StreamPiece | tuple[int, list[Done]] | None = first
        while isinstance(item, StreamPiece):
            yield event(each[item.index].piece(item))
            item = await anext(pieces, None)
        assert item is not None, "a stream ends with what it came to"
        slot, dones = item
        for replies, done in zip(each, dones, strict=True):
            for data in replace(replies, slot=slot).end(done):
                yield event(data)
        if base.has_marker:
            yield b"data: [DONE]\n\n"
    except Exception as error:  # whatever it is, the status is sent already: the client gets it as an event
        yield event(errors.of(error))
    finally:
        await pieces.aclose()  # type: ignore[attr-defined]


def event(data: Any) -> bytes:
    return b"data: " + errors.packed(data) + b"\n\n"
