"""A server that lists its models and refuses what it is asked: the person is told, once, and it is asked again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from .conftest import Editor, start_editor, stop_editor, told, until

WELL = 'data: {"choices": [{"delta": {"content": "x"}, "text": "x", "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


class Server:
    """`status`, `body` and `kind`: what completions are answered with."""

    status, body, kind = 200, WELL, "text/event-stream"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = [int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")]
        if length:
            await reader.readexactly(length[0])
        answer = (self.status, self.body, self.kind)
        if "/models" in head.splitlines()[0]:
            answer = (200, json.dumps({"data": [{"id": "code-model-instruct"}]}), "application/json")
        status, body, kind = answer
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", "Connection: close", "Location: /login", "", body]
        writer.write("\r\n".join(lines).encode())
        writer.close()


@asynccontextmanager
async def window(shop: Path, server: Server) -> AsyncIterator[Editor]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    engine = {"kind": "openai", "url": f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", "retries": 0}
    editor = await start_editor(shop, {"engine": engine, "completion": {"time_ms": 20_000}})
    await editor.ready()
    yield editor
    await stop_editor(editor)
    listening.close()


def refusal(message: str) -> str:
    return json.dumps({"error": {"message": message}})


FILTERED = WELL.replace('"x", "finish_reason": "stop"', '"", "finish_reason": "content_filter"')
PAGE = "<!doctype html><title>Log in</title>"
REFUSALS = [
    (401, refusal("no such key, request 1"), "refuses the key", "PALIMPSEST_"),
    (402, refusal("no credit"), "wants to be paid: no credit", "account"),
    (403, PAGE, "refuses the key: status 403", "PALIMPSEST_"),
    (404, refusal("no model of that name"), "neither of the two routes: no model of that name", "`engine.model`"),
    (400, refusal("a strange field"), "a strange field", "`engine.model`"),
    (429, refusal("out of quota"), "out of quota", "`engine.url`"),
    (503, refusal("Loading model"), "is loading its model", "asked again"),
    (500, refusal("a mistake"), "failed: a mistake", "`engine.url`"),
    (302, PAGE, "failed: status 302", "`engine.url`"),
    (200, PAGE, "no engine answers", "`engine.url`"),
    (200, refusal("all credit is used"), "failed: all credit is used", "`engine.url`"),
    (200, FILTERED, "will not answer: a filter", "`engine.url`"),
]


async def test_every_kind_of_refusal_is_in_the_status_and_told_once(shop: Path) -> None:
    server, causes = Server(), set[str]()
    async with window(shop, server) as editor:
        uri = editor.open("shop/cart.py")
        for n, (status, body, words, what_to_do) in enumerate(REFUSALS):
            server.status, server.body, server.kind = status, body, "text/html" if body == PAGE else "application/json"
            for letters in ("a", "b"):
                position = editor.edit(uri, "return total\n", f"return total + {letters}{n}$0\n")
                assert await editor.complete(uri, position) == []
                editor.edit(uri, f"return total + {letters}{n}\n", "return total\n")
                await until(lambda: editor.status["state"] == "degraded")
                assert editor.status["kind"] == "Warning"
                assert words in editor.status["message"]
                assert what_to_do in editor.status["message"]
            causes.add(editor.status["cause"])
            assert len(told(editor)) == len(causes), told(editor)
            server.status, server.body, server.kind = 200, WELL, "text/event-stream"
            await editor.complete(uri, editor.edit(uri, "return total\n", f"return total + c{n}$0\n"))
            editor.edit(uri, f"return total + c{n}\n", "return total\n")
            await until(lambda: editor.status["state"] == "ready")
            assert editor.status["cause"] == ""
        assert len(causes) == len(REFUSALS) - 3  # 403 is 401's, 302 and an error with 200 are 500's
