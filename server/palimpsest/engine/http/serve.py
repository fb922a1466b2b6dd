"""uvicorn, as this process wants it: our socket, our signals, our logs, our bounds.

In: an ASGI application, a listening socket, an event.  Out: nothing, once the event was set and all was answered.
Knows no route.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from palimpsest.engine.http.connections import Connection, ConnectionAcceptor
from palimpsest.engine.http.public import Tls

KEEP_ALIVE_S = 3600
"""Longer than any client keeps a connection, so that none is closed just as the next request is written to it."""
GRACE_S = 2
"""When the engine stops, requests that do not end by themselves have this long."""
LAST_S = 0.1
"""What was sent by the time the engine is told to stop is still read, and gets an answer."""
MOST = 128
"""Connections that a door has at a time: a window has a handful.  Fewer where the process may have few descriptors: of
those each of two doors takes a quarter."""


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the process's: uvicorn's own handlers would raise them again before anything is cleaned up."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Our own way to accept, in place of asyncio's, which knows no bound."""
        await self.lifespan.startup()
        config = self.config

        def make() -> Connection:
            return Connection(config, self.server_state, self.lifespan.state)

        most = min(MOST, _n_descriptors() // 4)
        self.servers: list[Any] = [ConnectionAcceptor(listener, make, most, config.ssl) for listener in sockets or []]
        self.started = True

    async def main_loop(self) -> None:
        """uvicorn's own looks ten times a second whether it is to end, and a processor that is woken does not sleep."""
        await self.on_tick(0)
        await self._stopping.wait()
        await asyncio.sleep(LAST_S)
        self.should_exit = True


def _n_descriptors() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 4 * MOST
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 4 * MOST if soft == resource.RLIM_INFINITY else max(16, soft)


async def serve(app: ASGIApp, listener: socket.socket, stopping: asyncio.Event, tls: Tls | None = None) -> None:
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    await _Server(config, stopping).serve(sockets=[listener])
