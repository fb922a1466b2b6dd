"""Requests that a server of another make is working on: one task for each, which others can cancel.

In: generators that ask the server.  Out: their pieces or their answer; Cancelled where a newer request replaced them.
Owner of these tasks.  Knows no server.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from palimpsest.errors import Cancelled, EngineDied, EngineError
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.wire import SLOTS, GenerateAnswer, GenerateRequest

T = TypeVar("T")
Pieces = AsyncGenerator[TextPiece | GenerateAnswer, None]
OTHERS_TEMPERATURE = 0.7
"""The least for alternatives after the first: greedy ones would all be the same."""
REPLACED = "The request was cancelled, or replaced by a newer one."


class Streams:
    """The tasks of one engine.  Made on an event loop.

    Of the tasks of one line (`GenerateRequest.replace`) only the newest matters: the next one cancels the one before,
    where the server cannot."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[int, asyncio.Task[Any]]] = {}  # by line, with its rank; 0 is the most urgent
        self._running: set[asyncio.Task[Any]] = set()
        self._ahead: dict[str, asyncio.Task[Any]] = {}
        self._closed = False

    async def pieces(self, request: GenerateRequest, work: Pieces) -> Pieces:
        """What `work` yields; leaving early ends it."""
        queue: asyncio.Queue[TextPiece | GenerateAnswer | None] = asyncio.Queue()

        async def pump() -> None:
            async with aclosing(work) as items:
                async for item in items:
                    queue.put_nowait(item)

        task = self._start(request.replace, SLOTS.index(request.slot), pump())
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (item := await queue.get()) is not None:
                yield item
            if task.cancelled():
                raise self._why()
            task.result()
        finally:
            await _ended(task)
            await work.aclose()  # it may never have begun

    async def answer(self, request: GenerateRequest, work: Pieces) -> GenerateAnswer:
        """The last of what `work` yields."""
        async with aclosing(self.pieces(request, work)) as items:
            async for item in items:
                if isinstance(item, GenerateAnswer):
                    return item
        raise AssertionError("a generator without an answer")

    async def ahead(self, workspace: str, work: Coroutine[Any, Any, T]) -> T:
        """Work that nobody waits for; `stop_ahead` cancels it, and so does the next of its workspace."""
        self.stop_ahead(workspace)
        task = self._start("", 0, work)
        self._ahead[workspace] = task
        try:
            await asyncio.wait({task})
            if task.cancelled():
                raise self._why()
            return task.result()
        finally:
            await _ended(task)
            if self._ahead.get(workspace) is task:
                del self._ahead[workspace]

    def stop_ahead(self, workspace: str) -> None:
        if (task := self._ahead.get(workspace)) is not None:
            task.cancel()

    async def aclose(self) -> None:
        """Cancel what still runs; whoever waits for it gets EngineDied."""
        self._closed = True
        tasks = set(self._running)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _why(self) -> EngineError:
        """The exception for whoever waits for a task that was cancelled."""
        return EngineDied("The engine is away; the request was given up.") if self._closed else Cancelled(REPLACED)

    def _start(self, line: str, rank: int, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin `work`; a task that still runs in its line is cancelled unless it is more urgent.  "" is no line."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        before = self._newest.get(line)
        if line and (before is None or before[0] >= rank):
            if before is not None:
                before[1].cancel()
            self._newest[line] = (rank, task)
            task.add_done_callback(lambda done: self._leave(line, done))
        return task

    def _leave(self, line: str, task: asyncio.Task[Any]) -> None:
        if line in self._newest and self._newest[line][1] is task:
            del self._newest[line]


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task that still runs, and wait while it closes its connection."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
