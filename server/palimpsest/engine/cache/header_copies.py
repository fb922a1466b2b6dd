"""Copies of a workspace's header, each at the place where something was decoded behind it.

In: sequences, and positions before which they begin with the header.  Out: copies that are shared with them.  A copy
depends on the header and its own position alone, so it is good for whatever is decoded there next.
"""

from palimpsest.engine.cache.pool import NONE, CellPool

SHARE = 32
"""Copies take at most this part of the cells."""


class HeaderCopies:
    """`tokens`: the header's.  `n_cells` of the cache may be taken, 0 for none."""

    def __init__(self, pool: CellPool, tokens: tuple[int, ...] = (), n_cells: int = 0) -> None:
        self.tokens = tokens
        self.seq = NONE
        self._pool = pool
        self._most = n_cells // len(tokens) if tokens else 0
        self._ends: list[int] = []  # the position behind each, the least recently used first

    @property
    def n_cells(self) -> int:
        return len(self._ends) * len(self.tokens)

    def put(self, seq: int, end: int) -> tuple[int, ...]:
        """Have an empty sequence begin with a copy that ends before a position; the tokens that are to be decoded there
        for want of one."""
        if end not in self._ends:
            return self.tokens
        self._ends.remove(end)
        self._ends.append(end)
        self._pool.context.copy(self.seq, seq, end - len(self.tokens), end)
        return ()

    def keep(self, seq: int, end: int) -> None:
        """A sequence begins with the header: it is kept for what comes there next."""
        if end in self._ends or not self._most or (self.seq == NONE and not self._pool.free_sequences):
            return
        if self.seq == NONE:
            self.seq = self._pool.take()
        n, context = len(self.tokens), self._pool.context
        overlapping = [other for other in self._ends if abs(other - end) < n]
        for other in overlapping or self._ends[: max(0, len(self._ends) + 1 - self._most)]:
            context.remove(self.seq, other - n, other)
            self._ends.remove(other)
        context.copy(seq, self.seq, end - n, end)
        self._ends.append(end)

    def drop(self) -> bool:
        """Give all of them back; False where there are none."""
        seq, self.seq, self._ends = self.seq, NONE, []
        self._pool.give(seq)
        return seq != NONE

    def close(self) -> None:
        """The header goes: whoever still has these keeps nothing more."""
        self.drop()
        self._most = 0

    def check(self) -> None:
        """Raises AssertionError where other cells are there than those of the copies."""
        n = len(self.tokens)
        expected = sorted(position for end in self._ends for position in range(end - n, end))
        there = self._pool.context.cells.positions(self.seq).tolist() if self.seq != NONE else []
        assert there == expected, f"copies of the header before {self._ends}, cells at {there}"
