"""The thread that writes for an event loop: a transaction may wait for another process's, which the loop must not.

In: functions.  Out: what they return.  One after the other, in the order in which they were given.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from palimpsest.errors import PalimpsestError, StorageError

P = ParamSpec("P")
T = TypeVar("T")


logger = logging.getLogger(__name__)


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
