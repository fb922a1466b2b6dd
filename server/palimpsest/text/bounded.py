"""What is kept of texts and parses, bounded by number and by size.

In: a dictionary in order of use.  Out: the same without its oldest entries.  A parse takes some tens of bytes for each
character of its source, and sources differ by a factor of a thousand: a number alone bounds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def forget_oldest(kept: dict[K, V], most: int, size: Callable[[V], int], most_size: int) -> None:
    """Take out what was put in first, until at most `most` are left, of `most_size` together; the last stays."""
    total = sum(size(value) for value in kept.values())
    while len(kept) > 1 and (len(kept) > most or total > most_size):
        total -= size(kept.pop(next(iter(kept))))
