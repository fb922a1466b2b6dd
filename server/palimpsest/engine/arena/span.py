"""Pure: a span: a half-open range of positions.

Out: `Span`.  This package knows no cell, no token and no llama.cpp.
"""

from __future__ import annotations

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
