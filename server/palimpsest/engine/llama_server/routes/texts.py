"""The routes for completions, chats and infills.

In: requests.  Out: answers in each route's form.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palimpsest.engine.http.request_handling import body
from palimpsest.engine.llama_server.answers.sending import CHAT, COMPLETION, NATIVE, Exchange, ReplyForm, answer, reply
from palimpsest.engine.llama_server.completions.prompt_tokens import prompt_tokens
from palimpsest.engine.llama_server.requests import chat, infill, params, prompts
from palimpsest.engine.llama_server.requests.chat import Chat
from palimpsest.engine.llama_server.requests.fields import Fields
from palimpsest.engine.llama_server.serving.properties import ModelProperties
from palimpsest.engine.llama_server.serving.serving import Serving, WorkInSlot
from palimpsest.errors import InvalidArgument

MAX_PROMPTS = 64
"""One request may have this many prompts; they are answered one after another."""


class TextRoutes:
    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._rendering = asyncio.Lock()  # one at a time: a thread that waits is one that others lack

    def routes(self) -> list[Route]:
        table = {
            "/completion": self.completion,
            "/completions": self.completion,
            "/v1/completions": self.openai_completion,
            "/chat/completions": self.chat,
            "/v1/chat/completions": self.chat,
            "/infill": self.infill,
            "/apply-template": self.apply_template,
        }
        return [Route(path, handler, methods=["POST"]) for path, handler in table.items()]

    async def completion(self, request: Request) -> Response:
        return await self._completion(request, NATIVE)

    async def openai_completion(self, request: Request) -> Response:
        return await self._completion(request, COMPLETION)

    async def _completion(self, request: Request, form: ReplyForm) -> Response:
        fields = Fields(await body(request))
        read = params.read(fields)
        found = prompts.read(fields.raw("prompt"))
        if len(found) > MAX_PROMPTS:
            raise InvalidArgument("prompt", f"expected {MAX_PROMPTS} prompts at most, got {len(found)}.")
        if len(found) > 1 and read.stream:
            raise InvalidArgument("prompt", "several prompts are not answered as a stream.")
        return await answer(self._serving, request, Exchange(read, form, "chat"), [_ask(parts) for parts in found])

    async def chat(self, request: Request) -> Response:
        data = await body(request)
        fields = Fields(_with_schema(data))
        asked = chat.read(fields)
        read = params.read(fields, n_probs=_n_probs(fields))
        properties = await self._serving.properties()
        text = await self._rendered(asked, properties)
        return await answer(self._serving, request, Exchange(read, CHAT, "chat", asked.before), [_ask((text,))])

    async def infill(self, request: Request) -> Response:
        fields = Fields(await body(request))
        asked, read = infill.read(fields), params.with_review(params.read(fields), fields)
        background = asked.only_chunks and read.n_predict == 0
        question = Exchange(read, NATIVE, "background" if background else "typing")
        return await answer(self._serving, request, question, [lambda work, slot: work.infill(slot, asked)])

    async def apply_template(self, request: Request) -> Response:
        asked = chat.read(Fields(await body(request)))
        properties = await self._serving.properties()
        return reply({"prompt": await self._rendered(asked, properties)})

    async def _rendered(self, asked: Chat, properties: ModelProperties) -> str:
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
