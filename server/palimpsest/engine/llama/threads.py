"""How many threads decode, where a llama.cpp was built without OpenMP: its threads wait for one another in a loop, and
on cores that other programs use as well, one that has no core keeps all others waiting.  A token then takes thirty
times as long as on one thread.

In: what each decode took, of the clock and of the processor.  Out: how many threads the next one gets.  Calls nothing.
"""

import math

LEAST_S = 0.1
"""Decodes are judged when they took this long together: a single short one is held up by whatever the window does at a
keystroke."""
MISSED = 0.8
"""Where all threads together miss more than this share of a core, divided by the threads, one thread less is faster;
each does its share of the work. On two cores, beside a program that had half, three quarters and all of one, two
threads missed 0.3, 0.6 and 0.7 cores and took 16, 27 and 38 ms for a token; one thread took 20 ms."""
FIRST_REST_S, LONGEST_REST_S = 5.0, 80.0
"""After decodes that lacked cores: until all threads are tried again."""


class Threads:
    """`now`: for the next decode.  Times are seconds of one clock."""

    def __init__(self, wanted: int) -> None:
        self._wanted = self.now = wanted
        self._took = self._had = 0.0
        self._rest, self._until = FIRST_REST_S, 0.0

    def begin(self, time: float) -> int:
        if self.now < self._wanted and time >= self._until:
            self.now = self._wanted
        return self.now

    def ended(self, time: float, took: float, of_the_processor: float) -> None:
        """`of_the_processor`: seconds of all threads together."""
        if self.now == 1:
            return
        self._took, self._had = self._took + took, self._had + of_the_processor
        if self._took < LEAST_S:
            return
        had, self._took, self._had = self._had / self._took, 0.0, 0.0
        if self.now - had < MISSED / self.now:
            self._rest = FIRST_REST_S
            return
        self.now = max(1, math.floor(had))
        self._until = time + self._rest
        self._rest = min(2 * self._rest, LONGEST_REST_S)
