"""uvicorn, as this process wants it: our socket, our signals, our logs.

In: an ASGI application, a listening socket, an event.  Out: nothing, once the event was set and all was answered.
Knows no route.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from palimpsest.kv.process.public import Tls

KEEP_ALIVE_S = 3600
"""Longer than any client keeps a connection, so that none is closed just as the next request is written to it."""
GRACE_S = 5
"""For requests that do not end by themselves when the engine stops."""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the process's: uvicorn's own handlers would raise them again before anything is cleaned up."""
        yield


async def serve(app: ASGIApp, listener: socket.socket, stopping: asyncio.Event, tls: Tls | None = None) -> None:
    config = uvicorn.Config(
        app,
        http="h11",
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
    server = _Server(config)

    async def stop() -> None:
        await stopping.wait()
        server.should_exit = True

    waiting = asyncio.ensure_future(stop())
    try:
        await server.serve(sockets=[listener])
    finally:
        waiting.cancel()
