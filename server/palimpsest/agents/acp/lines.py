"""The protocol's messages over stdin and stdout: a JSON object a line.

In: lines.  Out: messages; what is none is answered with an error, where the library would end.  Also sends updates that
the library does not know yet (`compaction_update`), and notes whether the editor takes them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from acp import stdio_streams

MOST_BUFFERED = 16 << 20
"""Bytes that are read ahead; a line may be longer."""
PARSE_ERROR, INVALID_REQUEST = (-32700, "This line is not JSON."), (-32600, "A JSON object is wanted.")


class Lines:
    """Of one connection: the library's transport."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.takes_compactions = False
        self._reader = reader
        self._writer = writer
        self._writing = asyncio.Lock()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the editor has left."""
        while line := await self._line():
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                await self._refuse(*PARSE_ERROR)
                continue
            if not isinstance(message, dict) or not isinstance(message.get("error", {}), dict):
                await self._refuse(*INVALID_REQUEST)
                continue
            if message.get("method") == "initialize":
                self.takes_compactions = _takes_compactions(message)
            if isinstance(params := message.get("params"), dict):
                params.pop("_meta", None)  # the library takes what is in it for parameters; there is nothing for us
            return message
        return None

    async def send(self, message: Mapping[str, Any]) -> None:
        """Raises ConnectionError, OSError where the editor reads no more."""
        # half a character is no JSON for most readers
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        async with self._writing:
            self._writer.write(data + b"\n")
            await self._writer.drain()

    async def close(self) -> None:
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

    async def _refuse(self, code: int, why: str) -> None:
        await self.send({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}})


async def of_this_process() -> Lines:
    return Lines(*await stdio_streams(limit=MOST_BUFFERED))


def _takes_compactions(message: Mapping[str, Any]) -> bool:
    at: Any = message
    for name in ("params", "clientCapabilities", "session", "compaction"):
        at = at.get(name) if isinstance(at, dict) else None
    return isinstance(at, dict)
