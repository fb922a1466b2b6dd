"""The engine's HTTP server, by itself."""

import asyncio
import socket
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from palimpsest.engine.http.serve import serve


async def test_at_rest_nothing_wakes_it_and_it_ends_when_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    listener = socket.create_server(("127.0.0.1", 0))
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    serving = asyncio.create_task(serve(app, listener, stopping))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert (await reader.read()).endswith(b"here")
    writer.close()
    set_before, planned = loop.call_at, list[float]()

    def call_at(when: float, *arguments: Any, **options: Any) -> asyncio.TimerHandle:
        planned.append(when)
        return set_before(when, *arguments, **options)

    monkeypatch.setattr(loop, "call_at", call_at)  # no door: a clock that is set is all that can wake it
    await asyncio.sleep(0.5)
    assert len(planned) == 1, "but for this test's own"
    monkeypatch.undo()
    stopping.set()
    async with asyncio.timeout(10):
        await serving
