"""Answers that are read in the background, for sources that a person who types does not wait for.

In: questions.  Out: the last answer to each; one that is old or missing is read on an executor, which raises
`revision`.  Without an executor it is read at once.
"""

import logging
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Executor
from typing import Generic, TypeVar

from palimpsest.languages.catalog import PendingReads
from palimpsest.newest import Newest

Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")
MOST_KEPT = 64

log = logging.getLogger(__name__)


class Answers(Generic[Q, A]):
    """`read` runs on one thread at a time and may raise; what it raises is logged, and `none` is the answer."""

    def __init__(self, read: Callable[[Q], A], executor: Executor | None, none: A) -> None:
        self._read = read
        self._reads = PendingReads[Q](executor) if executor is not None else None
        self._none = none
        self._lock = threading.Lock()
        self._known = Newest[Q, tuple[Hashable, A]](MOST_KEPT)  # with the state that each was read for
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
            if self._reads is None:
                self._answer(question, state)
            else:  # of one that is being read, the answer is compared with the state when it is asked for again
                self._reads.begin(question, lambda: self._answer(question, state))
            with self._lock:
                known = self._known.get(question)
        return self._none if known is None else known[1]

    def last(self, question: Q) -> A:
        """The last answer, old or not; nothing is read."""
        known = self._known.get(question)
        return self._none if known is None else known[1]

    def wait(self, seconds: float | None) -> bool:
        """Wait until nothing is being read; False on a timeout."""
        return self._reads is None or self._reads.wait(seconds)

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
