"""How many threads decode, where a llama.cpp was built without OpenMP: its threads wait for one another in a loop, and
on cores that other programs use as well, one that has no core keeps all others waiting.  A token then takes thirty
times as long as on one thread.

In: what each decode took, of the clock and of the processor.  Out: how many threads the next one gets.  Calls nothing.
"""

from __future__ import annotations

import math

LEAST_S = 0.01
"""A decode that takes less tells nothing."""
MISSED = 0.25
"""Of a core: threads that never sleep have all of it, where they are given it."""
FIRST_REST_S, LONGEST_REST_S = 5.0, 320.0
"""After a decode that lacked cores: until all threads are tried again."""


class Threads:
    """`now`: for the next decode.  Times are seconds of one clock."""

    def __init__(self, wanted: int) -> None:
        self._wanted = self.now = wanted
        self._rest, self._until = FIRST_REST_S, 0.0

    def begin(self, time: float) -> int:
        if self.now < self._wanted and time >= self._until:
            self.now = self._wanted
        return self.now

    def ended(self, time: float, took: float, of_the_processor: float) -> None:
        """`of_the_processor`: seconds of all threads together."""
        if self.now == 1 or took < LEAST_S:
            return
        had = of_the_processor / took
        if had > self.now - MISSED:
            self._rest = FIRST_REST_S
            return
        self.now = max(1, math.floor(had))
        self._until = time + self._rest
        self._rest = min(2 * self._rest, LONGEST_REST_S)
