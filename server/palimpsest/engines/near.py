"""httpx's way to an engine on this machine: HTTP/1.1 over one stream, without a pool's machinery.

In: httpx's requests, a way to open a stream.  Out: httpx's responses and exceptions.  Knows no route.

httpx's own transport takes a millisecond of a keystroke, this one a third of it: a request is one write, and what is
read goes to h11 as it comes.  A response left before its end closes its connection, which cancels the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import h11
import httpx

MOST = 1 << 16
"""Bytes of one read."""
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NearTransport(httpx.AsyncBaseTransport):
    """Owner of its connections; those that wait for the next request are used again, the newest first."""

    def __init__(self, connect: Callable[[], Awaitable[Streams]]) -> None:
        """`connect` raises OSError."""
        self._connect = connect
        self._idle: list[_Connection] = []

    @classmethod
    def over_socket(cls, path: Path) -> NearTransport:
        return cls(lambda: asyncio.open_unix_connection(path))

    @classmethod
    def over_tcp(cls, host: str, port: int) -> NearTransport:
        return cls(lambda: asyncio.open_connection(host, port))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        content = await request.aread()
        limits = request.extensions.get("timeout", {})
        connection = self._waiting() or await self._opened(limits.get("connect"))
        try:
            head = await connection.ask(request, content, limits.get("read"))
        except BaseException:
            connection.abort()
            raise
        return httpx.Response(head.status_code, headers=head.headers.raw_items(), stream=_Body(connection, self._idle))

    async def aclose(self) -> None:
        idle, self._idle[:] = self._idle[:], []
        for connection in idle:
            await connection.close()

    def _waiting(self) -> _Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
            connection.abort()
        return None

    async def _opened(self, limit: float | None) -> _Connection:
        try:
            async with asyncio.timeout(limit):
                return _Connection(*await self._connect())
        except TimeoutError as error:
            raise httpx.ConnectTimeout("nobody accepts the connection") from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error


class _Connection:
    """One stream and where its talk stands: one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._talk = h11.Connection(h11.CLIENT)
        self._limit: float | None = None

    @property
    def is_open(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    async def ask(self, request: httpx.Request, content: bytes, limit: float | None) -> h11.Response:
        """Send a request; the answer's head.  `limit`: seconds to wait for each piece of the answer."""
        self._limit = limit
        head = h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
        with _translated():
            data = self._talk.send(head) or b""
            if content:
                data += self._talk.send(h11.Data(content)) or b""
            self._writer.write(data + (self._talk.send(h11.EndOfMessage()) or b""))
        while not isinstance(event := await self.event(), h11.Response):
            pass  # 100 and its like
        return event

    async def event(self) -> Any:
        """h11's next event.  Raises httpx's exceptions."""
        with _translated():
            while (event := self._talk.next_event()) is h11.NEED_DATA:
                async with asyncio.timeout(self._limit):
                    self._talk.receive_data(await self._reader.read(MOST))
            return event

    def again(self) -> bool:
        """After the answer's end: whether the next request may be sent here."""
        if self._talk.our_state is not h11.DONE or self._talk.their_state is not h11.DONE:
            return False
        self._talk.start_next_cycle()
        return self.is_open

    def abort(self) -> None:
        """Close it at once, whatever was on its way."""
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


class _Body(httpx.AsyncByteStream):
    """What follows an answer's head.  Read to its end, the connection goes back to `idle`."""

    def __init__(self, connection: _Connection, idle: list[_Connection]) -> None:
        self._connection = connection
        self._idle = idle
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while isinstance(event := await self._connection.event(), h11.Data):
            yield bytes(event.data)
        self._ended = True

    async def aclose(self) -> None:
        if self._ended and self._connection.again():
            self._idle.append(self._connection)
        else:
            self._connection.abort()


@contextmanager
def _translated() -> Iterator[None]:
    """What goes wrong on a stream, in httpx's words."""
    try:
        yield
    except TimeoutError as error:
        raise httpx.ReadTimeout("nothing came in time") from error
    except OSError as error:
        raise httpx.ReadError(str(error)) from error
    except h11.RemoteProtocolError as error:
        raise httpx.RemoteProtocolError(str(error)) from error
