"""The engine's thread: runs jobs, the most urgent first, each as far as its next yield.

In: jobs.  Out: their futures.  A job is a generator that yields between micro-batches and between tokens; there a more
urgent job goes first, and a cancelled one is closed, whose `finally` clauses leave the cache consistent.  Every native
handle belongs to this thread.  Knows no model.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

from palimpsest.engine.jobs.queue import Queue, QueuedJob
from palimpsest.errors import Cancelled, ContextTooLarge

LOG = logging.getLogger("palimpsest.engine")
NO_ROOM = "The cache has no room for this beside what is more urgent."


class Loop:
    """`on_start` is the first and `on_stop` the last call on the thread; `on_busy` is told when decoding begins and
    when no job is left."""

    def __init__(
        self, on_start: Callable[[], None], on_stop: Callable[[], None], on_busy: Callable[[bool], None]
    ) -> None:
        self._queue = Queue()
        self._on_start, self._on_stop, self._on_busy = on_start, on_stop, on_busy
        self._thread = threading.Thread(target=self._run, name="palimpsest-engine", daemon=True)
        self._started = False
        self._lock = threading.Lock()
        self._current: QueuedJob[Any] | None = None

    def start(self) -> None:
        """Nothing once it was stopped."""
        with self._lock:
            if not self._queue.closed:
                self._started = True
                self._thread.start()

    def stop(self) -> None:
        """Cancel what waits and runs, end the thread.  Idempotent; not to be called from a job."""
        with self._lock:
            self._queue.close()
        if self._started:
            self._thread.join()
        else:
            self._end_all()

    def submit(self, job: QueuedJob[Any]) -> None:
        """Queue it; those it replaces are cancelled."""
        try:
            replaced = self._queue.put(job)
        except Cancelled as error:
            _fail(job, error)
            return
        for other in replaced:
            _fail(other, Cancelled(other.why_cancelled))

    @property
    def n_waiting(self) -> int:
        """Jobs that wait or are under way."""
        return len(self._queue)

    def end_others(self, than: QueuedJob[Any], why: str) -> None:
        """From a job: end the older jobs of its workspace now."""
        for job in self._queue.others(than):
            self._end(job, Cancelled(why))

    def end_suspended(self) -> bool:
        """From a job: end the least urgent of the jobs that are suspended in the middle of their work, which frees
        what it has in the cache; False when there is none.  It starts anew when its turn comes, unless a part of its
        answer was sent already."""
        job = self._queue.suspended(self._current)
        if job is None:
            return False
        if not job.repeatable:
            self._end(job, ContextTooLarge(NO_ROOM, fitting=0, hint="Set a larger `engine.n_ctx`."))
            return True
        LOG.info("a job of slot %s makes way and is done over", job.slot)
        self._close(job)
        job.running = None
        return True

    def _run(self) -> None:
        try:
            self._on_start()
            busy = False
            while (job := self._queue.next()) is not None:
                if not busy and job.kind != "other":
                    busy = True
                    self._on_busy(True)
                self._turn(job)
                if busy and not len(self._queue):
                    busy = False
                    self._on_busy(False)
        finally:
            self._queue.close()
            self._end_all()
            self._on_stop()

    def _turn(self, job: QueuedJob[Any]) -> None:
        """Let the job go as far as its next yield."""
        if job.cancel.is_set():
            self._end(job, Cancelled(job.why_cancelled))
            return
        first = job.running is None and not job.future.running()
        if first and not job.future.set_running_or_notify_cancel():
            self._queue.remove(job)
            return
        self._current = job
        try:
            job.running = job.running or job.work()
            next(job.running)
        except StopIteration as done:
            self._queue.remove(job)
            job.future.set_result(done.value)
        except Exception as error:  # it is the job's, and its future says so
            self._queue.remove(job)
            _fail(job, error)

    def _end(self, job: QueuedJob[Any], error: Exception) -> None:
        """Close a job that waits or is suspended."""
        self._queue.remove(job)
        self._close(job)
        _fail(job, error)

    def _close(self, job: QueuedJob[Any]) -> None:
        if job.running is not None:
            try:
                job.running.close()
            except Exception:  # the job has ended all the same
                LOG.exception("a job did not end well")

    def _end_all(self) -> None:
        for job in self._queue.drain():
            self._end(job, Cancelled("The engine is stopping."))


def _fail(job: QueuedJob[Any], error: Exception) -> None:
    if job.future.running() or (not job.future.done() and job.future.set_running_or_notify_cancel()):
        job.future.set_exception(error)
