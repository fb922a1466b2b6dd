"""uvicorn, as this process wants it: our socket, our signals, our logs, our bounds.

In: an ASGI application, a listening socket, an event.  Out: nothing, once the event was set and all was answered.
Connections that are slow with a request's head, or wait for their client where there is no more room, are closed.
Each door has its own bound, so that one that is flooded takes no descriptor from the other.  Knows no route.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from palimpsest.engine.http.public import Tls

HEAD_S = 10.0
"""A request's head may take this long, from its first byte or the connection's beginning; so may a TLS handshake."""
LINGER_S = 2.0
"""The rest of a body that was answered before it had all come is read for this long, so that the answer can be read."""
RETRY_S = 0.2
"""Until the next try where the system has no descriptor left."""

logger = logging.getLogger(__name__)
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


class Connection(H11Protocol):
    """One connection of a door's.  `idle`: between two requests, or with a request that has not all come."""

    door: "ConnectionAcceptor | None" = None
    _head: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        return self._between or self.cycle.more_body

    @property
    def _between(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)
        if self.door is not None:
            self.door.lost(self)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self._between:
            self._await_head()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:  # nobody reads the rest
            self._after(LINGER_S)

    def _await_head(self) -> None:
        if self._head is None:
            self._after(HEAD_S)

    def _after(self, seconds: float) -> None:
        self._stop_waiting()
        self._head = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None


class ConnectionAcceptor:
    """Accepts for one listening socket.  `most`: connections at a time; the oldest idle one makes room."""

    def __init__(
        self, listener: socket.socket, make: Callable[[], Connection], most: int, tls: ssl.SSLContext | None
    ) -> None:
        self._listener, self._make, self._most, self._tls = listener, make, most, tls
        self._open: dict[Connection, None] = {}  # oldest first
        self._n_beginning = 0
        self._room = asyncio.Event()
        self._beginning: dict[asyncio.Task[None], None] = {}  # TLS handshakes, above all; oldest first
        listener.setblocking(False)
        self._accepting = asyncio.ensure_future(self._accept())

    # What uvicorn asks of a server

    def close(self) -> None:
        self._accepting.cancel()

    async def wait_closed(self) -> None:
        await asyncio.gather(self._accepting, *self._beginning, return_exceptions=True)

    # Connections

    def lost(self, connection: Connection) -> None:
        self._open.pop(connection, None)
        self._room.set()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        has_warned = False
        while True:
            try:
                accepted, _ = await loop.sock_accept(self._listener)
            except OSError as error:  # no descriptor, or the client has gone already
                if not has_warned:
                    logger.warning("no connection can be accepted: %s", error)
                has_warned = True
                self._make_room()
                await asyncio.sleep(RETRY_S)
                continue
            has_warned = False
            while len(self._open) + self._n_beginning >= self._most:
                self._room.clear()
                self._make_room()
                await self._room.wait()
            self._n_beginning += 1
            task = asyncio.ensure_future(self._begin(accepted))
            self._beginning[task] = None
            task.add_done_callback(lambda task: self._beginning.pop(task, None))

    def _make_room(self) -> None:
        """Close the oldest connection that waits for its client, where there is one, else the oldest that begins."""
        for connection in self._open:
            if connection.idle:
                self._open.pop(connection)
                connection.transport.abort()
                self._room.set()
                return
        for task in self._beginning:
            if not task.cancelling():
                task.cancel()
                return

    async def _begin(self, accepted: socket.socket) -> None:
        made = self._make()
        made.door = self
        limit: dict[str, Any] = {"ssl": self._tls, "ssl_handshake_timeout": HEAD_S} if self._tls else {}
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(lambda: made, accepted, **limit)
        except (OSError, TimeoutError):  # also what TLS finds wrong
            accepted.close()
        except asyncio.CancelledError:  # to make room
            accepted.close()
            raise
        else:
            if not made.transport.is_closing():
                self._open[made] = None
        finally:
            self._n_beginning -= 1
            self._room.set()
