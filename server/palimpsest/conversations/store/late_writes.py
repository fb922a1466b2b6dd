"""Writes that could not be done when they were due, since the disk was full or another process wrote for too long: they
are done once they can be.

In: writes.  Out: that they are done, in their order, while the process lives.  Owner of those that are left.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from palimpsest.errors import PalimpsestError, StorageError

AGAIN_S = 2.0

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
        """What is left is as where the process is killed."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    async def _try_again(self) -> None:
        while self._waiting:
            await asyncio.sleep(AGAIN_S)
            with suppress(StorageError):  # it is tried again
                await self.catch_up()
        self._task = None
