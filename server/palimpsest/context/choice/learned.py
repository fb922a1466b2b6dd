"""Which kinds of block the names in accepted text came from, and what a kind is worth more or less for that.

In: accepted text, the blocks that the model saw.  Out: points for each kind.  Pure.

The table of values is the prior: of two blocks, the one that is worth `DOUBLING` points more is expected to hold twice
as many of the names that are accepted.  A kind whose blocks held more than was expected of them is worth more from then
on, as if `PRIOR` names had come as expected before, and `MOST` points at most.  Nothing but the sums is kept.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from palimpsest.types import Block

DOUBLING = 12.0
PRIOR = 20.0
MOST = 12.0
_NAME = re.compile(r"[^\W\d]\w{2,}")

Counts = Mapping[str, tuple[float, float]]
"""By kind (a block's `source`): how many accepted names were expected of its blocks, and how many of those were in
them."""


class Learned:
    """Points for each kind of block in one workspace."""

    def __init__(self, counts: Counts | None = None) -> None:
        self.counts: dict[str, tuple[float, float]] = dict(counts or {})

    def add(self, counts: Counts) -> None:
        for kind, (expected, found) in counts.items():
            before = self.counts.get(kind, (0.0, 0.0))
            self.counts[kind] = before[0] + expected, before[1] + found

    def points(self, kind: str) -> float:
        expected, found = self.counts.get(kind, (0.0, 0.0))
        return max(-MOST, min(MOST, DOUBLING * math.log2((found + PRIOR) / (expected + PRIOR))))


def counted(blocks: Iterable[Block], accepted: str, known: str, points: Callable[[str], float]) -> Counts:
    """What accepted text says of the kinds of the blocks.  Names that are in `known`, the code that the model saw
    besides, say nothing; a name that blocks of several kinds have counts for each in part.  `points`: what is in the
    blocks' values already for what was learned."""
    names = frozenset(_NAME.findall(accepted)) - frozenset(_NAME.findall(known))
    weights, held = defaultdict[str, float](float), defaultdict[str, set[str]](set)
    for block in blocks if names else ():
        if not block.pinned:
            weights[block.source] += 2 ** ((block.value - points(block.source)) / DOUBLING)
            held[block.source] |= names & frozenset(_NAME.findall(block.text))
    n_kinds = {name: sum(name in has for has in held.values()) for name in names}
    n_found = sum(n > 0 for n in n_kinds.values())
    whole = sum(weights.values())
    return {
        kind: (n_found * weight / whole, sum(1 / n_kinds[name] for name in held[kind]))
        for kind, weight in weights.items()
        if n_found
    }
