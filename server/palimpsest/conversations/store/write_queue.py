"""The thread that writes for an event loop: a transaction may wait for another process's, which the loop must not.

What cannot be written when it is due, since the disk is full or another process writes for too long, is written once it
can be.

In: functions.  Out: what they return.  One after the other, in the order in which they were given.  Owner of the late
ones that are left, while the process lives.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import ParamSpec, TypeVar

from palimpsest.errors import PalimpsestError, StorageError

AGAIN_S = 2.0

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger(__name__)


class LateWrites:
    """One database's, of one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], Awaitable[object]]] = deque()
        self._one_by_one = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def surely(self, write: Callable[[], Awaitable[T]]) -> T:
        """What `write` comes to.  Where it raises StorageError, so does this, and it is tried again until it can be."""
        try:
            return await write()
        except StorageError:
            self._waiting.append(write)
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._try_again())
            raise

    async def catch_up(self) -> None:
        """Now.  Raises StorageError where it still cannot be."""
        async with self._one_by_one:
            while self._waiting:
                write = self._waiting[0]
                try:
                    await write()
                except StorageError:
                    raise
                except PalimpsestError as error:  # another window has deleted what it was for
                    logger.warning("left out: %s", error)
                if self._waiting and self._waiting[0] is write:
                    self._waiting.popleft()

    def close(self) -> None:
        """What is left is lost, as if the process were killed."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    async def _try_again(self) -> None:
        while self._waiting:
            await asyncio.sleep(AGAIN_S)
            with suppress(StorageError):  # it is tried again
                await self.catch_up()
        self._task = None


class WriteQueue:
    """Runs functions that write to a database on a thread of its own, in order."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "memory")

    async def run(self, write: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `write` returns, once it has come to its end.  A task that is cancelled meanwhile goes on until then,
        and is cancelled where it waits next: so what it was writing, and what it was about to do with it, is as if it
        had not waited here.  Raises what `write` raises, and StorageError behind `close`."""
        try:
            done = asyncio.get_running_loop().run_in_executor(self._thread, partial(write, *args, **kwargs))
        except RuntimeError as error:
            raise StorageError("The conversations' database has been closed.") from error
        is_cancelled = False
        while not done.done():
            try:
                await asyncio.wait([done])
            except asyncio.CancelledError:
                is_cancelled = True
        if is_cancelled and (task := asyncio.current_task()) is not None:
            task.uncancel()
            task.cancel()
        return done.result()

    def soon(self, write: Callable[[], object]) -> None:
        """Nobody waits for it; what goes wrong is in the log."""
        self._thread.submit(_logged, write)

    def close(self) -> None:
        """What was given before is written first."""
        self._thread.shutdown()


def _logged(write: Callable[[], object]) -> None:
    try:
        write()
    except PalimpsestError as error:
        logger.warning("left undone: %s", error)
