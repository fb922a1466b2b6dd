"""The routes for completions, chats and infills, and those for their texts and tokens.

In: requests.  Out: answers in each route's form: whole as JSON, or piece by piece as server-sent events.  An error
before the first piece has a status of its own; a later one is an event.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from palimpsest import wire
from palimpsest.engine.http.request_handling import body, first_of
from palimpsest.engine.llama_server.answers import errors
from palimpsest.engine.llama_server.answers.shapes import ChatReplies, CompletionReplies, Json, NativeReplies, Replies
from palimpsest.engine.llama_server.completions.outcome import Done, StreamPiece
from palimpsest.engine.llama_server.completions.prompt_tokens import prompt_tokens
from palimpsest.engine.llama_server.requests import chat, infill, params, prompts
from palimpsest.engine.llama_server.requests.chat import Chat
from palimpsest.engine.llama_server.requests.fields import Fields, called
from palimpsest.engine.llama_server.serving.serving import Serving, WorkInSlot
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument

MAX_PROMPTS = 64
"""One request may have this many prompts; they are answered one after another."""


class TextRoutes:
    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._rendering = asyncio.Lock()  # one at a time: a thread that waits is one that others lack

    def routes(self) -> list[Route]:
        table: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/completion": partial(self.completion, NativeReplies),
            "/completions": partial(self.completion, NativeReplies),
            "/v1/completions": partial(self.completion, CompletionReplies),
            "/chat/completions": self.chat,
            "/v1/chat/completions": self.chat,
            "/infill": self.infill,
            "/apply-template": self.apply_template,
            "/tokenize": self.tokenize,
            "/detokenize": self.detokenize,
        }
        return [Route(path, handler, methods=["POST"]) for path, handler in table.items()]

    async def completion(self, form: type[Replies], request: Request) -> Response:
        fields = Fields(await body(request))
        read = params.read(fields)
        several = prompts.read(fields.raw("prompt"))
        if len(several) > MAX_PROMPTS:
            raise InvalidArgument("prompt", f"expected {MAX_PROMPTS} prompts at most, got {len(several)}.")
        if len(several) > 1 and read.stream:
            raise InvalidArgument("prompt", "several prompts are not answered as a stream.")
        return await _answer(self._serving, request, form(read), "chat", [_ask(parts) for parts in several])

    async def chat(self, request: Request) -> Response:
        data = await body(request)
        fields = Fields(_with_schema(data))
        asked = chat.read(fields)
        read = params.read(fields, n_probs=_n_probs(fields))
        text = await self._rendered(asked)
        return await _answer(self._serving, request, ChatReplies(read, asked.before), "chat", [_ask((text,))])

    async def infill(self, request: Request) -> Response:
        fields = Fields(await body(request))
        asked, read = infill.read(fields), params.with_review(params.read(fields), fields)
        urgency: wire.Slot = "background" if asked.only_chunks and read.n_predict == 0 else "typing"
        works: list[WorkInSlot] = [lambda work, slot: work.infill(slot, asked)]
        return await _answer(self._serving, request, NativeReplies(read), urgency, works)

    async def apply_template(self, request: Request) -> Response:
        asked = chat.read(Fields(await body(request)))
        return errors.reply({"prompt": await self._rendered(asked)})

    async def tokenize(self, request: Request) -> Response:
        fields = Fields(await body(request))
        content = fields.raw("content")
        parts = tuple(content) if isinstance(content, list) else ("" if content is None else content,)
        for part in parts:
            if isinstance(part, bool) or not isinstance(part, (int, str) if isinstance(content, list) else str):
                raise InvalidArgument("content", f"expected a string, or an array with tokens, got {called(part)}.")
        special, parse = fields.flag("add_special"), fields.flag("parse_special", default=True)
        with_pieces = fields.flag("with_pieces")

        def work(engine: NativeEngine) -> list[Any]:
            ids = prompt_tokens(engine, parts, add_special=special, parse_special=parse)
            return [_piece(engine, i) for i in ids] if with_pieces else ids

        return errors.reply({"tokens": await asyncio.wrap_future(self._serving.core.call(work))})

    async def detokenize(self, request: Request) -> Response:
        tokens = Fields(await body(request)).items("tokens")
        for token in tokens:
            if isinstance(token, bool) or not isinstance(token, int):
                raise InvalidArgument("tokens", f"expected numbers, got {called(token)} among them.")

        def work(engine: NativeEngine) -> str:
            if not all(0 <= token < engine.model.n_vocab for token in tokens):
                raise InvalidArgument("tokens", f"there are {engine.model.n_vocab} tokens.")
            raw = b"".join(engine.model.piece(token, special=True) for token in tokens)
            return raw.decode("utf-8", "replace")

        return errors.reply({"content": await asyncio.wrap_future(self._serving.core.call(work))})

    async def _rendered(self, asked: Chat) -> str:
        properties = await self._serving.properties()
        async with self._rendering:
            return await asyncio.to_thread(
                asked.text, self._serving.renderer, properties.template, bos=properties.bos, eos=properties.eos
            )


def _ask(parts: prompts.Parts) -> WorkInSlot:
    return lambda work, slot: work.text(slot, prompt_tokens(work.engine, parts))


def _n_probs(fields: Fields) -> int:
    """OpenAI's chats have two fields for it."""
    n = fields.integer("top_logprobs", default=20, low=0, high=params.MAX_PROBS)
    if fields.flag("logprobs"):
        return n
    if fields.has("top_logprobs"):
        raise InvalidArgument("top_logprobs", "`logprobs` must be true for it.")
    return fields.integer("n_probs", default=0, low=0, high=params.MAX_PROBS)


def _with_schema(data: dict[str, Any]) -> dict[str, Any]:
    """The body with `response_format` as the JSON schema that it means."""
    wanted = data.get("response_format")
    if wanted is None:
        return data
    if not isinstance(wanted, dict):
        raise InvalidArgument("response_format", "expected an object.")
    kind = wanted.get("type", "text")
    if kind == "text":
        return data
    if kind == "json_object":
        return data | {"json_schema": wanted.get("schema") or {"type": "object"}}
    schema = wanted.get("json_schema")
    if kind == "json_schema" and isinstance(schema, dict):
        return data | {"json_schema": schema.get("schema", {})}
    raise InvalidArgument("response_format", f"expected type text, json_object or json_schema, got {kind!r}.")


def _piece(engine: NativeEngine, token: int) -> dict[str, Any]:
    """A token's text, or its bytes where they are not UTF-8."""
    raw = engine.model.piece(token, special=True)
    try:
        return {"id": token, "piece": raw.decode()}
    except UnicodeDecodeError:
        return {"id": token, "piece": list(raw)}


async def _answer(
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
                yield _event(data)
        item: StreamPiece | tuple[int, list[Done]] | None = first
        while isinstance(item, StreamPiece):
            yield _event(each[item.index].piece(item))
            item = await anext(pieces, None)
        assert item is not None, "a stream ends with what it came to"
        slot, dones = item
        for replies, done in zip(each, dones, strict=True):
            for data in replace(replies, slot=slot).end(done):
                yield _event(data)
        if base.has_marker:
            yield b"data: [DONE]\n\n"
    except Exception as error:  # whatever it is, the status is sent already: the client gets it as an event
        yield _event(errors.of(error))
    finally:
        await pieces.aclose()  # type: ignore[attr-defined]


def _event(data: Any) -> bytes:
    return b"data: " + errors.packed(data) + b"\n\n"
