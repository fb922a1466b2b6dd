"""An engine's client that is closed while a request begins: the connection is closed too, and whoever waits is told."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from palimpsest.errors import EngineDied, EngineError
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.http.http import Http
from palimpsest.providers.palimpsest.client import InPlaceEngine

STEPS = range(40)
"""How many times the event loop goes round between the request and the closing: more than a request takes."""


class Server:
    """Answers every request with an object that is no engine's, and knows how many connections are open."""

    def __init__(self) -> None:
        self.open: set[asyncio.StreamWriter] = set()
        self.went = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.add(writer)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            self.open.discard(writer)
            self.went.set()

    async def all_gone(self) -> None:
        while self.open:
            self.went.clear()
            await self.went.wait()


async def answer_when_closed(engine: InPlaceEngine | Http, request: Coroutine[Any, Any, object], steps: int) -> object:
    asked = asyncio.create_task(request)
    for _ in range(steps):
        await asyncio.sleep(0)
    await engine.aclose()
    (answer,) = await asyncio.gather(asked, return_exceptions=True)
    return answer


async def test_no_connection_is_left_to_our_engine(short: Path) -> None:
    server = Server()
    async with await asyncio.start_unix_server(server.serve, short / "e.sock"):
        for steps in STEPS:
            engine = InPlaceEngine.over_socket(short / "e.sock")
            answer = await answer_when_closed(engine, engine.reset("workspace"), steps)
            assert answer is None or isinstance(answer, EngineError), (steps, answer)
            await server.all_gone()


async def test_no_connection_is_left_to_a_server_of_another_make() -> None:
    server = Server()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        free.listen()
        async with await asyncio.start_server(server.serve, sock=free):
            for steps in STEPS:
                engine = Http(Endpoint(f"http://127.0.0.1:{free.getsockname()[1]}"))
                answer = await answer_when_closed(engine, engine.get("/props"), steps)
                assert answer == {} or isinstance(answer, EngineError), (steps, answer)
                await server.all_gone()


async def test_a_closed_engine_is_not_asked(short: Path) -> None:
    engine = InPlaceEngine.over_socket(short / "e.sock")
    await engine.aclose()
    with pytest.raises(EngineDied):
        await engine.health()
