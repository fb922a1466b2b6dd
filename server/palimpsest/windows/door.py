"""The socket of one window: answers requests, each a line of JSON, with a line.

In: `{"id", "method", "params"}`.  Out: `{"id", "result"}`, or `{"id", "error": {"code", "message"}}`.  Owner of the
socket and of its connections; knows no method.
"""

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.windows.sockets import LONGEST_LINE, socket_of

logger = logging.getLogger(__name__)

Answer = Callable[[str, Any], Awaitable[dict[str, Any]]]
"""(method, params) → result.  Raises PalimpsestError."""
MOST_CONNECTIONS = 16
TOO_LONG = InvalidArgument(
    "request", f"its answer is longer than {LONGEST_LINE >> 20} MiB; ask for a part, such as a page."
)
OUR_FAULT = "Palimpsest failed at this; its log says how."


class WindowSocket:
    """Lives on the window's event loop.  A door that cannot be opened is logged: a person can work without agents."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._path: Path | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._closed = False

    async def open(self) -> None:
        try:
            path = socket_of(os.getpid())
            path.unlink(missing_ok=True)  # of an earlier process with this number
            before = os.umask(0o177)  # the mode from its first moment on
            try:
                self._server = await asyncio.start_unix_server(self._connected, path, limit=LONGEST_LINE)
            finally:
                os.umask(before)
        except (OSError, AttributeError) as error:
            logger.warning("agents cannot reach this window: %s", error)
            return
        self._path = path
        if self._closed:
            self.close()

    def close(self) -> None:
        """Nothing is answered any more, and the socket is gone.  Idempotent."""
        self._closed = True
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        if self._path is not None:
            with suppress(OSError):  # it is gone, or the folder is
                self._path.unlink()
            self._path = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            if len(self._connections) >= MOST_CONNECTIONS or self._closed:
                return
            self._connections.add(task)
            while (line := await self._line(reader, writer)) is not None:
                await _send(writer, await self._reply(line))
        except asyncio.CancelledError:
            pass  # the window closes; asyncio would report it as an error of its own
        except OSError:
            pass  # the other side is gone
        finally:
            self._connections.discard(task)
            writer.close()

    @staticmethod
    async def _line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError:
            await _send(writer, _error(None, InvalidArgument("request", f"is longer than {LONGEST_LINE >> 20} MiB.")))
            return None
        return line

    async def _reply(self, line: bytes) -> dict[str, Any]:
        number: Any = None
        try:
            request = _request(line)
            number = request["id"]
            return {"id": number, "result": await self._answer(request["method"], request.get("params"))}
        except PalimpsestError as error:
            return _error(number, error)
        except Exception:  # a defect of ours is no reason to close the door
            logger.exception("an agent's request failed")
            return _error(number, PalimpsestError(OUR_FAULT))


def _request(line: bytes) -> dict[str, Any]:
    """Raises InvalidArgument."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument("request", f"is not JSON: {error}") from None
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        raise InvalidArgument("request", "expected an object with `id`, `method` and `params`.")
    if not isinstance(request.get("id"), (int, str)):
        raise InvalidArgument("id", "expected a number or a string.")
    return request


def _error(number: Any, error: PalimpsestError) -> dict[str, Any]:
    return {"id": number, "error": {"code": error.code, "message": str(error)}}


async def _send(writer: asyncio.StreamWriter, answer: dict[str, Any]) -> None:
    # half a character, which a text may end with, is no JSON for most readers
    line = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    if len(line) > LONGEST_LINE:
        line = json.dumps(_error(answer["id"], TOO_LONG)).encode() + b"\n"
    writer.write(line)
    await writer.drain()
