"""How many connections one door has, and how long each may keep it waiting.

In: a listening socket, an HTTP protocol of uvicorn's.  Out: connections, never more than the door may have; those that
are slow with a request's head, or wait for their client where there is no more room, are closed.  Each door has its
own bound, so that one that is flooded takes no descriptor from the other.  Knows no route.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""A request's head may take this long, from its first byte or the connection's beginning; so may a TLS handshake."""
LINGER_S = 2.0
"""The rest of a body that was answered before it had all come is read for this long, so that the answer can be read."""
RETRY_S = 0.2
"""Until the next try where the system has no descriptor left."""

logger = logging.getLogger(__name__)


class Connection(H11Protocol):
    """One connection of a door's.  `idle`: between two requests, or with a request that has not all come."""

    door: ConnectionAcceptor | None = None
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
