"""An engine that failed once and is well again is used again, whatever failed meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineError
from palimpsest.providers import provider
from palimpsest.providers.base.target import Target
from palimpsest.providers.supervisor import Supervisor
from tests.providers.peer import Peer, block, completion, wanted

PATIENCE_S = 60.0


class Gate:
    """Stands before a server and closes the connection on the next `drops` requests."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.drops = 0
        self._server: asyncio.Server | None = None

    async def open(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, away = await asyncio.open_connection("127.0.0.1", self._port)
        back = asyncio.create_task(self._copied(there, writer))
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                if self.drops:
                    self.drops -= 1
                    break
                away.write(data)
        writer.close()
        away.close()
        await asyncio.wait({back})

    async def _copied(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
        writer.close()


@pytest.fixture
async def gate(peer: Peer) -> AsyncIterator[Gate]:
    it = Gate(peer.port)
    yield it
    await it.close()


@pytest.mark.parametrize("drops", [2, 3, 4], ids=["one request", "and one look", "and the next one"])
async def test_it_is_used_again_after_a_failed_request_and_failed_looks(
    gate: Gate, drops: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request is tried twice where a connection breaks: both are dropped."""
    # no door: how often an engine is looked at is nobody's to set; only a doubt asks for a look here
    monkeypatch.setattr(provider, "PROBE_S", dict.fromkeys(provider.PROBE_S, 3600.0))
    monkeypatch.setattr(provider, "LONGEST_BACKOFF", 0)
    settings = EngineSettings(kind="llama-server", url=await gate.open(), retries=0)
    supervisor = Supervisor(Target(Path("none.gguf"), settings))
    supervisor.start()
    await supervisor.ready(PATIENCE_S)
    request = completion("x", wanted(block("alpha")))

    async def use() -> int:
        async with supervisor.engine(PATIENCE_S) as engine:
            return len((await engine.generate(request)).choices)

    assert await use()
    gate.drops = drops
    with pytest.raises(EngineError):
        await use()
    while gate.drops or supervisor.status.state != "ready":
        await asyncio.sleep(0.01)
    assert await use()
    await supervisor.aclose()
