"""Jobs that wait for the engine's thread, in the order in which they run.

In: jobs, from any thread.  Out: the next one.  Of equally urgent jobs each workspace has one in a round: however many
one window asks for, another one's first waits for one of them.  Knows no model.
"""

import itertools
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from palimpsest import wire
from palimpsest.errors import Cancelled

T = TypeVar("T")
Kind = Literal["sync", "generate", "other"]
Work = Callable[[], Generator[None, None, T]]
_numbers = itertools.count()


@dataclass(eq=False, slots=True)
class QueuedJob(Generic[T]):
    """`work` makes the generator that does it, yielding where it may be suspended or end.  `line`: of the jobs of one
    line only the newest counts, unless an older one is more urgent.  `syncs`: it changes what its workspace has
    attached.  `begun`: the engine's thread has started it, and only that thread ends it.  `repeatable`: no part of its
    answer was sent.  `round`: the queue's."""

    work: Work[T]
    slot: wire.Slot = "typing"
    kind: Kind = "other"
    workspace: str = ""
    line: str = ""
    syncs: bool = False
    cancel: threading.Event = field(default_factory=threading.Event)
    future: Future[T] = field(default_factory=Future)
    number: int = field(default_factory=lambda: next(_numbers))
    submitted: float = field(default_factory=time.perf_counter)
    running: Generator[None, None, T] | None = None
    begun: bool = False
    repeatable: bool = True
    round: int = 0
    why_cancelled: str = "The request was cancelled."

    @property
    def order(self) -> tuple[int, int, int]:
        """Lower runs first."""
        return wire.SLOTS.index(self.slot), self.round, self.number

    def replaces(self, other: "QueuedJob[Any]") -> str:
        """Why an older job is not needed any more; "" when it is."""
        if other.workspace != self.workspace or other.number >= self.number:
            return ""
        more_urgent = wire.SLOTS.index(other.slot) < wire.SLOTS.index(self.slot)
        if self.line and other.line == self.line and not more_urgent:
            return "A newer request replaced this one."
        if self.syncs and other.kind == "sync" and other.slot == "background":
            return "A newer sync replaced this one."
        return ""


class Queue:
    """Jobs waiting or suspended.  Every method may be called from any thread."""

    def __init__(self) -> None:
        self._jobs: list[QueuedJob[Any]] = []
        self._rounds = dict[wire.Slot, int]()
        """Of each slot, the last of which a job has begun."""
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: QueuedJob[Any]) -> list[QueuedJob[Any]]:
        """The jobs it replaces that had not begun, taken out: however long the thread is busy, no more wait than are
        wanted.  Raises Cancelled once the queue is closed."""
        with self._changed:
            if self._closed:
                raise Cancelled("The engine is stopping.")
            for other in self._jobs:
                if why := job.replaces(other):
                    other.why_cancelled = why
                    other.cancel.set()
            dropped = [other for other in self._jobs if other.cancel.is_set() and not other.begun]
            self._jobs = [other for other in self._jobs if other not in dropped]
            job.round = self._round_of(job)
            self._jobs.append(job)
            self._changed.notify()
            return dropped

    def _round_of(self, job: QueuedJob[Any]) -> int:
        """The one behind the last of its workspace's that are wanted, else the present one; the present one for short
        questions about no workspace."""
        own = [it for it in self._jobs if (it.workspace, it.slot) == (job.workspace, job.slot)]
        last = max((it.round for it in own if job.workspace and not it.cancel.is_set()), default=-1)
        return max(self._rounds.get(job.slot, 0), last + 1)

    def next(self) -> QueuedJob[Any] | None:
        """Wait for the job to run now; it stays in the queue.  None once the queue is closed.

        A cancelled job comes first, whatever its slot: it only ends, and what it holds is free again.
        """
        with self._changed:
            while not self._jobs and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            job = min(self._jobs, key=lambda job: (not job.cancel.is_set(), job.order))
            job.begun = True
            self._rounds[job.slot] = max(self._rounds.get(job.slot, 0), job.round)
            return job

    def remove(self, job: QueuedJob[Any]) -> None:
        with self._changed:
            if job in self._jobs:
                self._jobs.remove(job)

    def others(self, than: QueuedJob[Any]) -> list[QueuedJob[Any]]:
        """Older jobs of the same workspace."""
        with self._changed:
            return [job for job in self._jobs if job.workspace == than.workspace and job.number < than.number]

    def suspended(self, but: QueuedJob[Any] | None) -> QueuedJob[Any] | None:
        """The least urgent job in the middle of its work; None when there is none."""
        with self._changed:
            others = [job for job in self._jobs if job.running is not None and job is not but]
            return max(others, key=lambda job: job.order, default=None)

    def __len__(self) -> int:
        with self._changed:
            return len(self._jobs)

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """No more jobs are taken or handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def drain(self) -> list[QueuedJob[Any]]:
        """The jobs that are left, taken out."""
        with self._changed:
            jobs, self._jobs = self._jobs, []
            return jobs
