"""Pure: how far two sequences are alike, from both ends.

In: texts, lines.  Out: counts.
"""

from collections.abc import Sequence


def n_alike(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def ends_alike(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """How many items both begin with, and how many of the rest they end with."""
    head = n_alike(one, other)
    return head, n_alike(one[head:][::-1], other[head:][::-1])
