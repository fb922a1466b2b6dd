"""Moves what a tail has decoded behind other blocks or other words to where it goes now.

In: a sequence, the tokens in it, what is wanted.  Out: cells, moved to their new positions.  Their keys and values have
seen what stood before them then: they are kept on purpose (`wire.GenerateRequest.kv`), not exact.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.engine.arena.plan import common_prefix
from palimpsest.engine.cache.pool import CellPool, SequenceOwner

LEAST = 32
"""Tokens of a piece behind the common beginning: for fewer, a shift is not worth its while, and a chance is likely."""


@dataclass(frozen=True, slots=True)
class CarriedPiece:
    """`n` tokens, from `old` on there and from `new` on in what is wanted."""

    old: int
    new: int
    n: int


def pieces(old: Sequence[int], new: Sequence[int], least: int = LEAST) -> list[CarriedPiece]:
    """The common beginning, then the longest pieces that follow one another in both, each of `least` tokens or more.

    A piece is found by its first `least` tokens, at the first place behind the piece before where these stand in `old`:
    the time grows with the number of tokens, not with its square.
    """
    start = common_prefix(old, new)
    carried = [CarriedPiece(0, 0, start)] if start else []
    places: dict[tuple[int, ...], list[int]] = {}
    for i in range(start, len(old) - least + 1):
        places.setdefault(tuple(old[i : i + least]), []).append(i)
    at_old, at_new = start, start
    while at_new <= len(new) - least:
        there = places.get(tuple(new[at_new : at_new + least]), [])
        i = bisect_left(there, at_old)
        if i == len(there):
            at_new += 1
            continue
        place, n = there[i], least
        while place + n < len(old) and at_new + n < len(new) and old[place + n] == new[at_new + n]:
            n += 1
        carried.append(CarriedPiece(place, at_new, n))
        at_old, at_new = place + n, at_new + n
    return carried


class Carried:
    """`pieces`: what of it is wanted.  `seq` is its own until it is given back."""

    def __init__(
        self,
        pool: CellPool,
        owner: SequenceOwner,
        seq: int,
        start: int,
        tokens: Sequence[int],
        wanted: Sequence[int],
    ) -> None:
        """`start`: position of the first of `tokens`."""
        self._pool = pool
        self._owner = owner
        self.seq = seq
        self._start = start
        self._tokens = tokens
        self.pieces = pieces(tokens, wanted)

    def move(self, piece: CarriedPiece, target: int, others: Iterable[int], begins: int) -> tuple[int, ...]:
        """Have `target` the cells of a piece at its new place; the tokens of it, none where it cannot be moved.
        `begins`: the position of the first of what is wanted."""
        context, distance = self._pool.context, begins + piece.new - self._start - piece.old
        start = self._start + piece.old
        end = start + piece.n
        is_shared = distance != 0 and self._is_shared(piece, others)
        if is_shared and not (self._pool.make_room(piece.n, self._owner) and self._pool.apply_shifts()):
            return ()
        if not distance:
            context.copy(self.seq, target, start, end)
            return tuple(self._tokens[piece.old : piece.old + piece.n])
        with self._pool.scratch() as moved:
            context.copy(self.seq, moved, start, end)
            context.remove(self.seq, start, end)
            if is_shared:
                copy = context.save(moved)
                context.remove(moved)
                if not context.load(moved, copy, start, piece.n):
                    return ()
            context.shift(moved, start, end, distance)
            context.copy(moved, target, start + distance, end + distance)
        return tuple(self._tokens[piece.old : piece.old + piece.n])

    def can_move(self, piece: CarriedPiece, others: Iterable[int], begins: int) -> bool:
        """False where a piece would get other positions, one of the sequences `others` has some of it as well, which
        stays where it is, and there is no room for a copy."""
        is_there = self._start + piece.old == begins + piece.new
        return is_there or not self._is_shared(piece, others) or self._pool.make_room(piece.n, self._owner)

    def _is_shared(self, piece: CarriedPiece, others: Iterable[int]) -> bool:
        start = self._start + piece.old
        shared = self._pool.context.cells.shared(self.seq, others)
        return bool(((shared >= start) & (shared < start + piece.n)).any())
