"""One open window, as another program of this user sees it.

In: a socket, methods and their arguments.  Out: answers.  Owner of one connection.
"""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.windows.sockets import LONGEST_LINE

ANSWER_S = 30.0
"""A window answers within milliseconds, or within seconds where it waits for sources that read."""


class WindowGone(PalimpsestError):
    """The window was closed, its server was killed, or it does not answer."""

    code = "unavailable"


class WindowSilent(WindowGone):
    """It does not answer: it is suspended, or busy."""


class WindowClient:
    """Requests go one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._turn = asyncio.Lock()
        self._number = 0

    async def call(self, method: str, params: dict[str, Any], answer_s: float = ANSWER_S) -> dict[str, Any]:
        """Raises WindowSilent behind `answer_s` seconds, WindowGone, or what the window says is wrong with what was
        asked."""
        async with self._turn:
            try:
                async with asyncio.timeout(answer_s):
                    answer = await self._exchange(method, params)
            except TimeoutError:
                self.close()
                raise WindowSilent(f"The editor window did not answer within {answer_s:.0f} s.") from None
            except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
                self.close()
                raise WindowGone(f"The editor window is gone ({type(error).__name__}).") from None
        if (problem := answer.get("error")) is not None:
            raise _Refused(str(problem.get("message", "")), str(problem.get("code", "error")))
        result = answer.get("result")
        return result if isinstance(result, dict) else {}

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _exchange(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        line = json.dumps({"id": self._number, "method": method, "params": params}).encode() + b"\n"
        if len(line) > LONGEST_LINE:
            raise InvalidArgument("request", f"is longer than {LONGEST_LINE >> 20} MiB.")
        if self._reader is None or self._writer is None:
            try:
                self._reader, self._writer = await asyncio.open_unix_connection(self.path, limit=LONGEST_LINE)
            except ConnectionRefusedError:
                with suppress(OSError):  # another program has removed it
                    self.path.unlink()  # its process is dead
                raise
        self._writer.write(line)
        await self._writer.drain()
        answer = json.loads(await self._reader.readuntil(b"\n"))
        if not isinstance(answer, dict) or answer.get("id") not in (self._number, None):
            raise ValueError("no answer to this request")
        self._number += 1
        return answer


class _Refused(PalimpsestError):
    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code
