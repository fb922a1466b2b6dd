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
    """`pieces`: what of it is wanted.  `seq` is its own until it is given back.  First `lift`, then `place`, each of
    all that is carried for a prompt, then `give` as the prompt is put together: llama.cpp carries out all shifts with
    the next decode, and goes through the whole cache for it, however little is shifted."""

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
        self._distance = 0
        self._copies: dict[CarriedPiece, bytearray] = {}
        self.is_placed = False
        self.pieces = pieces(tokens, wanted)

    def lift(self, begins: int, others: Iterable[int]) -> None:
        """Before any of it is moved: pieces that get other positions and that `others` have as well, which stay where
        they are, are copied; where there is no room for that, they are not wanted any more.  `begins`: the position of
        the first of what is wanted."""
        self._distance, wanted, n_copied = begins - self._start, self.pieces, 0
        shared = self._pool.context.cells.shared(self.seq, others)
        self.pieces = []
        for piece in wanted:
            start, end = self._place_of(piece)
            if self._moves_by(piece) and ((shared >= start) & (shared < end)).any():
                n_copied += piece.n
                if not (self._pool.make_room(n_copied, self._owner) and self._pool.apply_shifts()):
                    n_copied -= piece.n
                    continue
                with self._pool.scratch() as copied:
                    self._pool.context.copy(self.seq, copied, start, end)
                    self._copies[piece] = self._pool.context.save(copied)
            self.pieces.append(piece)

    def place(self) -> None:
        """Have all pieces where they go, and nothing else behind the first position."""
        at = self._start
        for piece in self.pieces:
            start, end = self._place_of(piece)
            if at < start:
                self._pool.context.remove(self.seq, at, start)
            at = end
        self._pool.context.remove(self.seq, at)
        # None comes to lie on another: those that go up begin with the last, those that go down with the first.
        ups = [piece for piece in reversed(self.pieces) if self._moves_by(piece) > 0]
        downs = [piece for piece in self.pieces if self._moves_by(piece) < 0]
        self.pieces = [piece for piece in self.pieces if not self._moves_by(piece)]
        self.pieces += [piece for piece in (*ups, *downs) if self._shift(piece)]
        self.pieces.sort(key=lambda piece: piece.new)
        self.is_placed = True

    def give(self, piece: CarriedPiece, target: int) -> tuple[int, ...]:
        """Have `target` the cells of a piece that is where it goes; its tokens."""
        start, end = (position + self._moves_by(piece) for position in self._place_of(piece))
        self._pool.context.copy(self.seq, target, start, end)
        return tuple(self._tokens[piece.old : piece.old + piece.n])

    def _shift(self, piece: CarriedPiece) -> bool:
        """Done by llama.cpp at the next decode; False where the copy finds no room after all."""
        context, (start, end), distance = self._pool.context, self._place_of(piece), self._moves_by(piece)
        with self._pool.scratch() as moved:
            copy = self._copies.pop(piece, None)
            if copy is None:
                context.copy(self.seq, moved, start, end)
            context.remove(self.seq, start, end)
            if copy is not None and not context.load(moved, copy, start, piece.n):
                return False
            context.shift(moved, start, end, distance)
            context.copy(moved, self.seq, start + distance, end + distance)
        return True

    def _moves_by(self, piece: CarriedPiece) -> int:
        return self._distance + piece.new - piece.old

    def _place_of(self, piece: CarriedPiece) -> tuple[int, int]:
        """Where it was: its first position, and the one behind it."""
        return self._start + piece.old, self._start + piece.old + piece.n
