"""Answers that are read in the background, for sources that a person who types does not wait for.

In: questions.  Out: the last answer to each; one that is old or missing is read on an executor, which raises
`revision`.  Without an executor it is read at once.
"""

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

from palimpsest.context.newest import Newest

Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")
MOST_KEPT = 64

log = logging.getLogger(__name__)


class Answers(Generic[Q, A]):
    """`read` runs on one thread at a time and may raise; what it raises is logged, and `none` is the answer."""

    def __init__(self, read: Callable[[Q], A], executor: Executor | None, none: A) -> None:
        self._read = read
        self._executor = executor
        self._none = none
        self._lock = threading.Lock()
        self._known = Newest[Q, tuple[Hashable, A]](MOST_KEPT)  # with the state that each was read for
        self._due: dict[Q, Future[None]] = {}
        self._revision = 0

    @property
    def revision(self) -> int:
        """Rises with each answer that differs from the one before."""
        return self._revision

    def ask(self, question: Q, state: Hashable = None) -> A:
        """The last answer, the `none` answer before the first.  `state` is what the answer depends on besides."""
        with self._lock:
            known = self._known.get(question)
            if known is not None:
                self._known[question] = known  # the last one used
        if known is None or known[0] != state:
            self._begin(question, state)
            with self._lock:
                known = self._known.get(question)
        return self._none if known is None else known[1]

    def last(self, question: Q) -> A:
        """The last answer, old or not; nothing is read."""
        known = self._known.get(question)
        return self._none if known is None else known[1]

    def wait(self, seconds: float | None) -> bool:
        """Wait until nothing is being read; False on a timeout."""
        until = None if seconds is None else time.monotonic() + seconds
        while due := list(self._due.values()):
            remaining = None if until is None else until - time.monotonic()
            if remaining is not None and remaining <= 0:
                return False
            concurrent.futures.wait(due, remaining)
        return True

    def _begin(self, question: Q, state: Hashable) -> None:
        if self._executor is None:
            self._answer(question, state)
            return
        with self._lock:
            if question in self._due:
                return  # its answer is compared with the state when it is asked for again
            done = self._due[question] = Future[None]()
        try:
            run = self._executor.submit(self._run, question, state, done)
        except RuntimeError:  # the process is ending
            self._end(question, done)
        else:  # a shutdown also cancels what has not begun
            run.add_done_callback(lambda it: self._end(question, done) if it.cancelled() else None)

    def _run(self, question: Q, state: Hashable, done: Future[None]) -> None:
        try:
            self._answer(question, state)
        finally:
            self._end(question, done)

    def _end(self, question: Q, done: Future[None]) -> None:
        with self._lock:
            self._due.pop(question, None)
        done.set_result(None)

    def _answer(self, question: Q, state: Hashable) -> None:
        try:
            answer = self._read(question)
        except (
            Exception
        ) as error:  # whatever a stranger's repository or document does to a reader, nobody typing hears it
            log.info("%s: %s", question, error)
            answer = self._none
        with self._lock:
            known = self._known.get(question)
            self._known[question] = state, answer
            if (self._none if known is None else known[1]) != answer:
                self._revision += 1
