"""`/tokenize` and `/detokenize`.

In: requests.  Out: JSON.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palimpsest.engine.http.request_handling import body
from palimpsest.engine.llama_server.answers.sending import reply
from palimpsest.engine.llama_server.completions.prompt_tokens import prompt_tokens
from palimpsest.engine.llama_server.requests.fields import Fields, called
from palimpsest.engine.llama_server.serving.serving import Serving
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument


class TokenRoutes:
    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    def routes(self) -> list[Route]:
        return [
            Route("/tokenize", self.tokenize, methods=["POST"]),
            Route("/detokenize", self.detokenize, methods=["POST"]),
        ]

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

        return reply({"tokens": await asyncio.wrap_future(self._serving.core.call(work))})

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

        return reply({"content": await asyncio.wrap_future(self._serving.core.call(work))})


def _piece(engine: NativeEngine, token: int) -> dict[str, Any]:
    """A token's text, or its bytes where they are not UTF-8."""
    raw = engine.model.piece(token, special=True)
    try:
        return {"id": token, "piece": raw.decode()}
    except UnicodeDecodeError:
        return {"id": token, "piece": list(raw)}
