"""What a tail has decoded behind other blocks, or with other words in between, while it is put where it goes now.

In: a sequence, the tokens in it, what is wanted.  Out: cells, moved to their new positions.  Their keys and values have
seen what stood before them then: they are kept on purpose (`wire.GenerateRequest.kv`), not exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.engine.cache.pieces import Piece, pieces
from palimpsest.engine.cache.pool import CellPool


class Carried:
    """`pieces`: what of it is wanted.  `seq` is its own until it is given back."""

    def __init__(self, pool: CellPool, seq: int, start: int, tokens: Sequence[int], wanted: Sequence[int]) -> None:
        """`start`: position of the first of `tokens`."""
        self._pool = pool
        self.seq = seq
        self._start = start
        self._tokens = tokens
        self.pieces = pieces(tokens, wanted)

    def move(self, piece: Piece, target: int, others: Iterable[int]) -> tuple[int, ...]:
        """Have `target` the cells of a piece at its new place; the tokens of it, none where one of the sequences
        `others` has some of them as well and would lose its place in them."""
        context, distance = self._pool.context, piece.new - piece.old
        start = self._start + piece.old
        end = start + piece.n
        tokens = tuple(self._tokens[piece.old : piece.old + piece.n])
        if not distance:
            context.copy(self.seq, target, start, end)
            return tokens
        shared = context.cells.shared(self.seq, others)
        if ((shared >= start) & (shared < end)).any():
            return ()
        with self._pool.scratch() as moved:
            context.copy(self.seq, moved, start, end)
            context.remove(self.seq, start, end)
            context.shift(moved, start, end, distance)
            context.copy(moved, target, start + distance, end + distance)
        return tokens
