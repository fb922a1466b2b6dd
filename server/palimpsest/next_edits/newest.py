"""One question at a time, of which only the newest matters.

In: questions, by what they are about.  Out: answers, or nothing for who was overtaken.  Owner of the one under way.

One is under way and one waits for it to end.  Whoever asks the same is given the same answer; whoever asks something
else ends what is under way and takes the place of the one that waits.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _UnderWay(Generic[T]):
    """`n_asking`: who waits for the answer."""

    about: Hashable
    task: asyncio.Task[T]
    n_asking: int = 0
    is_dropped: bool = False

    def drop(self) -> None:
        if not self.is_dropped:  # a second time would end what its end takes care of
            self.is_dropped = True
            self.task.cancel()


class NewestTask(Generic[T]):
    def __init__(self) -> None:
        self._under_way: _UnderWay[T] | None = None
        self._waiting: object | None = None

    async def ask(self, about: Hashable, answer: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        """None: something newer was asked, or it was dropped."""
        job = self._under_way
        if job is None or job.is_dropped or job.about != about:
            mine = self._waiting = object()
            if job is not None:
                job.drop()
                await asyncio.wait([job.task])
            if self._waiting is not mine:
                return None
            self._waiting = None
            job = self._under_way = _UnderWay(about, asyncio.create_task(answer()))
        job.n_asking += 1
        try:
            await asyncio.wait([job.task])
        finally:
            job.n_asking -= 1
            if not job.n_asking:
                job.drop()  # nobody wants to know any more
            if job.task.done() and self._under_way is job:
                self._under_way = None
        return None if job.task.cancelled() else job.task.result()

    def drop(self, is_stale: Callable[[Any], bool] = lambda _: True) -> None:
        """End what is under way, and let go who waits, where it is about something that is no more."""
        if self._under_way is not None and is_stale(self._under_way.about):
            self._under_way.drop()
