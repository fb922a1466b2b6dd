"""The protocol's messages over stdin and stdout: a JSON object a line.

In: lines.  Out: messages; what is none is answered with an error, where the library would end.  Also sends updates that
the library does not know yet (`compaction_update`), and notes whether the editor takes them.  Methods that the library
has types for and no routes (0.12: `nes/…`, `document/…`) become extensions, which it hands to the agent.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from palimpsest.agents.lines import LineError, message_in, no_request, written

UNROUTED = ("nes/", "document/")
MOST_BUFFERED = 16 << 20
"""Bytes that are read ahead; a line may be longer."""


class LineTransport:
    """The library's transport for a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.takes_compactions = False
        self._reader = reader
        self._writer = writer
        self._writing = asyncio.Lock()
        self._left = asyncio.Event()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the editor has left."""
        while line := await self._line():
            if not line.strip():
                continue
            message = message_in(line)
            if isinstance(message, dict) and not isinstance(message.get("error", {}), dict):
                message = no_request("An error is a JSON object.", message)
            if isinstance(message, LineError):
                await self.send(message.message)
                continue
            method = message.get("method")
            if method == "initialize":
                self.takes_compactions = _takes_compactions(message)
            elif isinstance(method, str) and method.startswith(UNROUTED):
                message["method"] = f"_{method}"
            if isinstance(params := message.get("params"), dict):
                params.pop("_meta", None)  # the library takes what is in it for parameters; there is nothing for us
            return message
        return None

    async def send(self, message: Mapping[str, Any]) -> None:
        """Raises ConnectionError, OSError where the editor reads no more.  An editor that is slow to read is waited for
        as long as it is there (the library's pipe tells nobody that it has broken); behind `close` nobody is told."""
        data = f"{written(message)}\n".encode()
        async with self._writing:
            if self._left.is_set():
                return
            self._writer.write(data)
            waiting = [asyncio.ensure_future(one) for one in (self._writer.drain(), self._left.wait())]
            try:
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    one.result()
            finally:
                for one in waiting:
                    one.cancel()

    async def close(self) -> None:
        self._left.set()
        self._writer.close()

    async def _line(self) -> bytes:
        pieces = list[bytes]()
        while True:
            try:
                return b"".join((*pieces, await self._reader.readuntil(b"\n")))
            except asyncio.LimitOverrunError as error:
                pieces.append(await self._reader.readexactly(error.consumed))
            except asyncio.IncompleteReadError as error:
                return b"".join((*pieces, error.partial))


def _takes_compactions(message: Mapping[str, Any]) -> bool:
    at: Any = message
    for name in ("params", "clientCapabilities", "session", "compaction"):
        at = at.get(name) if isinstance(at, dict) else None
    return isinstance(at, dict)
