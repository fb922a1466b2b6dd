"""Pure: spans, half-open ranges of positions, and the free list: which positions are nobody's.

In: spans taken and given back.  Out: holes.  This package knows no block; `arena.py` owns a free list.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple


class Span(NamedTuple):
    """Positions `start, end`, half-open.  Ordered by start; unpacks as a pair, as the wire wants it."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


class FreeList:
    """Holes in order of position, never two side by side."""

    def __init__(self, span: Span) -> None:
        self._holes: list[Span] = [span] if span.size else []

    def __iter__(self) -> Iterator[Span]:
        return iter(self._holes)

    def __eq__(self, other: object) -> bool:
        return self._holes == other._holes if isinstance(other, FreeList) else NotImplemented

    def copy(self) -> FreeList:
        other = FreeList(Span(0, 0))
        other._holes = list(self._holes)
        return other

    def find(self, n: int, slack: int) -> Span | None:
        """Best fit: in the smallest hole for `n` and `slack`, else in the smallest for `n`, with what slack that
        allows; of equal holes the lowest.  None when no hole is large enough."""
        fitting = [hole for hole in self._holes if hole.size >= n]
        if not fitting:
            return None
        roomy = [hole for hole in fitting if hole.size >= n + slack]
        hole = min(roomy or fitting, key=lambda h: (h.size, h.start))
        return Span(hole.start, min(hole.end, hole.start + n + slack))

    def free_until(self, position: int) -> int:
        """The end of the hole that `position` is in, else `position`."""
        i = bisect_right(self._holes, position, key=lambda hole: hole.start) - 1
        return max(position, self._holes[i].end) if i >= 0 else position

    def take(self, span: Span) -> None:
        """Make `span`, which is inside one hole, no hole."""
        i = bisect_right(self._holes, span.start, key=lambda hole: hole.start) - 1
        assert i >= 0, f"{span} is not free"
        hole = self._holes[i]
        assert hole.contains(span), f"{span} is not free, {hole} is"
        rest = [Span(hole.start, span.start), Span(span.end, hole.end)]
        self._holes[i : i + 1] = [part for part in rest if part.size]

    def give(self, span: Span) -> None:
        """Make `span` a hole, one with those it touches."""
        if not span.size:
            return
        i = bisect_left(self._holes, span)
        j, start, end = i, span.start, span.end
        if i > 0 and self._holes[i - 1].end == start:
            i, start = i - 1, self._holes[i - 1].start
        if j < len(self._holes) and self._holes[j].start == end:
            j, end = j + 1, self._holes[j].end
        self._holes[i:j] = [Span(start, end)]

    def check(self) -> None:
        """Raises AssertionError where holes are empty, out of order, or side by side."""
        assert all(hole.size > 0 for hole in self._holes), f"an empty hole: {self._holes}"
        for a, b in pairwise(self._holes):
            assert a.end < b.start, f"holes {a} and {b} are out of order or side by side"
