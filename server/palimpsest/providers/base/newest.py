"""Work of which only the newest matters: the next task of a line cancels the one before.

In: coroutines and the names of their lines.  Out: tasks.  Does what `GenerateRequest.replace` asks for, where the
server cannot.  Knows no request."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Newest:
    """Running tasks by line, each with its rank; 0 is the most urgent."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[int, asyncio.Task[Any]]] = {}

    def start(self, line: str, rank: int, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin `work`; a task that still runs in its line is cancelled unless it is more urgent.  "" is no line."""
        task = asyncio.create_task(work)
        if line:
            before = self._running.get(line)
            if before is not None:
                if before[0] < rank:
                    return task
                before[1].cancel()
            self._running[line] = (rank, task)
            task.add_done_callback(lambda done: self._ended(line, done))
        return task

    def _ended(self, line: str, task: asyncio.Task[Any]) -> None:
        if line in self._running and self._running[line][1] is task:
            del self._running[line]
