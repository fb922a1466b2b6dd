"""Commands of ours in processes of their own: what takes memory or time that the server should not.

In: arguments of `palimpsest … --json`.  Out: its answer, or its error.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from palimpsest.errors import ModelError

GRACE_S = 5.0
"""A process has this long to end by itself before it is ended."""


async def our_answer(
    *arguments: str,
    given: str = "",
    told: Callable[[dict[str, Any]], None] = lambda _: None,
    grace_s: float = GRACE_S,
) -> dict[str, Any]:
    """The last object that it printed.  `given` is what it reads; `told` gets each object that it prints on stderr
    meanwhile.  Cancelled, it is ended.  Raises ModelError with what it says went wrong."""
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-P", "-m", "palimpsest", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(given.encode())
        process.stdin.close()
        output, _ = await asyncio.gather(process.stdout.read(), _listen(process.stderr, told))
        await process.wait()
    finally:
        if process.returncode is None:  # cancelled: what it has written so far is kept for another time
            await _ended(process, grace_s)
    answer = _object(output.rstrip().rpartition(b"\n")[2])
    if answer is None:
        raise ModelError(f"`palimpsest {' '.join(arguments[:2])}` ended with status {process.returncode}.")
    if error := answer.get("error"):
        raise ModelError(str(error["message"]), hint=str(error["hint"] or ""))
    return answer


async def _ended(process: asyncio.subprocess.Process, grace_s: float) -> None:
    """It and what it started: a pip goes on for half an hour otherwise."""
    _signal(process, signal.SIGTERM)
    # Not `asyncio.timeout`: up to Python 3.11.2 it ends in a CancelledError where the task was cancelled before.
    _, running = await asyncio.wait({asyncio.create_task(process.wait())}, timeout=grace_s)
    if running:
        _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        await process.wait()


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    if sys.platform == "win32":
        process.terminate()
    else:
        with suppress(ProcessLookupError):  # it has ended
            os.killpg(process.pid, number)


async def _listen(stream: asyncio.StreamReader | None, told: Callable[[dict[str, Any]], None]) -> None:
    assert stream is not None
    while line := await stream.readline():
        if (said := _object(line)) is not None:
            told(said)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
