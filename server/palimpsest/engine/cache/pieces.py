"""Which pieces of a tail's tokens stand in the next prompt as well, in the same order, wherever.

In: the tokens that are there and those that are wanted.  Out: pieces of both.  Pure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.engine.arena.plan import common_prefix

LEAST = 32
"""Tokens of a piece behind the common beginning: for fewer, a shift is not worth its while, and a chance is likely."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`n` tokens, from `old` on there and from `new` on in what is wanted."""

    old: int
    new: int
    n: int


def pieces(old: Sequence[int], new: Sequence[int], least: int = LEAST) -> list[Piece]:
    """The common beginning, then the longest pieces that follow one another in both, each of `least` tokens or more.

    A piece is found by its first `least` tokens, at the first place behind the piece before where these stand in `old`:
    the time grows with the number of tokens, not with its square.
    """
    start = common_prefix(old, new)
    found = [Piece(0, 0, start)] if start else []
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
        found.append(Piece(place, at_new, n))
        at_old, at_new = place + n, at_new + n
    return found
