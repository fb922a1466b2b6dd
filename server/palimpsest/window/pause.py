"""Work that waits until nobody has typed or moved for a moment.

In: `soon`, called again and again.  Out: the work, once, after the last call; earlier work still running is cancelled.
With a `Usage` it counts as busy from the first call on, so that a client can wait for its end.  Knows no document.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from palimpsest.errors import Cancelled, EngineError, InvalidArgument
from palimpsest.window.usage import Usage

logger = logging.getLogger(__name__)

IDLE_S = 0.15
"""Seconds after the last change or move until context is gathered and decoded ahead."""


class Pause:
    """Owner of the one task that waits or works."""

    def __init__(
        self,
        work: Callable[[], Awaitable[None]],
        usage: Usage | None,
        *,
        idle_s: float = IDLE_S,
    ) -> None:
        self._work = work
        self._usage = usage
        self._idle_s = idle_s
        self._task: asyncio.Task[None] | None = None
        self._closed = self._works = self._again = False

    def soon(self) -> None:
        """Must be called on the event loop."""
        if self._closed:
            return
        usage = self._usage
        if usage is not None:
            usage.begin()  # before the earlier one ends: it goes on being busy
        self.cancel()
        self._task = asyncio.get_running_loop().create_task(self._after_a_pause())
        if usage is not None:
            self._task.add_done_callback(lambda _task: usage.end())

    def once_more(self) -> None:
        """Wait for a pause, unless one is under way; behind work that is under way it is done once more."""
        if not self.pending:
            self.soon()
        else:
            self._again = self._works

    @property
    def pending(self) -> bool:
        """Whether it waits or works."""
        return self._task is not None and not self._task.done()

    def cancel(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()

    def close(self) -> None:
        """Nothing begins any more, whatever still happens while the window closes."""
        self._closed = True
        self.cancel()

    async def _after_a_pause(self) -> None:
        await asyncio.sleep(self._idle_s)
        self._again, self._works = False, True
        try:
            await self._work()
        except (Cancelled, InvalidArgument):
            pass  # the person typed on, or closed the document
        except EngineError as error:
            logger.debug("preparing context: %s", error)
        except Exception:  # nobody awaits the task, and the next pause may go well
            logger.exception("preparing context failed")
        finally:
            self._works = False
        if self._again:
            await self._after_a_pause()
