"""The account of the cache's cells: which are free, and which positions each sequence has.

In: every operation on the cache, from the `Context` that carries it out.  Out: counts and positions.  llama.cpp has no
function that tells how many cells are in use or what lies between a sequence's lowest and highest position, so each
operation is repeated here on two arrays.  Pure: knows no llama.cpp.

A cell has one position and belongs to any number of sequences; it is free when it belongs to none.  An entry here is
not any particular cell of llama.cpp's.
"""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Mask: TypeAlias = npt.NDArray[np.bool_]
MAX_SEQUENCES = 64
"""Bits of an owner mask."""


class Cells:
    """`n` cells.  Ranges `start, end` are half-open, −1 for all, as llama.cpp has them."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._all_owners, self._all_positions = np.zeros(n, np.uint64), np.zeros(n, np.int32)
        self._look_at(0)

    def _look_at(self, n: int) -> None:
        """Behind the first so many all are free: few are looked at as long as few are used."""
        self._owners, self._positions = self._all_owners[:n], self._all_positions[:n]

    @property
    def used(self) -> int:
        return int(np.count_nonzero(self._owners))

    @property
    def free(self) -> int:
        return self.n - self.used

    def count(self, seqs: Iterable[int], but: Iterable[int] = (), start: int = -1, end: int = -1) -> int:
        """Cells that any of `seqs` has and none of `but`."""
        owners, theirs, others = self._owners, _bits(seqs), _bits(but)
        return int(np.count_nonzero(((owners & theirs) != 0) & ((owners & others) == 0) & self._within(start, end)))

    def positions(self, seq: int) -> npt.NDArray[np.int32]:
        """Ascending."""
        return np.sort(self._positions[self._of(seq)])

    def shared(self, seq: int, others: Iterable[int]) -> npt.NDArray[np.int32]:
        """Positions of the cells that `seq` and any of the others have, ascending."""
        return np.sort(self._positions[self._of(seq) & ((self._owners & _bits(others)) != 0)])

    def put(self, seq: int, start: int, n_tokens: int) -> None:
        """Tokens were decoded, or a saved state loaded.  There were cells for them, or that had failed."""
        free = np.flatnonzero(self._owners == 0)[:n_tokens]
        missing = n_tokens - len(free)
        if 0 < missing <= self.n - len(self._owners):
            free = np.append(free, np.arange(len(self._owners), len(self._owners) + missing))
            self._look_at(len(self._owners) + missing)
        assert len(free) == n_tokens, f"{n_tokens} cells used of {len(free)} free"
        self._owners[free] = _bit(seq)
        self._positions[free] = np.arange(start, start + n_tokens)

    def remove(self, seq: int, start: int = -1, end: int = -1) -> None:
        self._owners[self._of(seq) & self._within(start, end)] &= ~_bit(seq)

    def copy(self, source: int, target: int, start: int = -1, end: int = -1) -> None:
        self._owners[self._of(source) & self._within(start, end)] |= _bit(target)

    def shift(self, seq: int, start: int, end: int, delta: int) -> None:
        """For every sequence that has the cells."""
        self._positions[self._of(seq) & self._within(start, end)] += delta

    def _of(self, seq: int) -> Mask:
        mask: Mask = (self._owners & _bit(seq)) != 0
        return mask

    def _within(self, start: int, end: int) -> Mask | np.bool_:
        if start < 0 and end < 0:
            return np.True_
        low: Mask = self._positions >= start
        return low & (self._positions < end) if end >= 0 else low


def _bit(seq: int) -> np.uint64:
    assert 0 <= seq < MAX_SEQUENCES, f"sequence {seq}"
    return np.uint64(1 << seq)


def _bits(seqs: Iterable[int]) -> np.uint64:
    mask = 0
    for seq in seqs:
        if seq >= 0:
            mask |= 1 << seq
    return np.uint64(mask)
