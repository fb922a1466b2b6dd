"""Which blocks the model gets: the most valuable under a token budget, with a liking for what is there already.

In: candidates, what was chosen last, a budget, a way to count tokens.  Out: a `Selection`.  Pure: this room knows no
cache, no file and no cursor.

Three tiers, each by score: pinned; candidates; blocks chosen before that are no longer candidates but still describe
what is there (the cursor moved to another function of the file).  The last stay attached while there is room, since
leaving them costs nothing and bringing them back costs their tokens; they never take room from a candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from palimpsest.context.values import RESIDENT_BONUS, TOKENS_PER_POINT
from palimpsest.types import Block, BlockKey


@dataclass(frozen=True, slots=True)
class Selection:
    """`chosen` in order of value, most valuable first; `left_out` what no room was left for, in the same order.

    `tokens` is what `chosen` counts together.
    """

    chosen: list[Block] = field(default_factory=list)
    left_out: list[BlockKey] = field(default_factory=list)
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    block: Block
    tokens: int
    tier: int
    score: float

    @property
    def order(self) -> tuple[int, float, BlockKey]:
        return self.tier, -self.score, self.block.key


def select(
    candidates: Iterable[Block],
    previous: Sequence[Block],
    budget: int,
    count: Callable[[Block], int],
    still_valid: Callable[[Block], bool] = lambda _: False,
) -> Selection:
    """Choose under `budget` tokens.  Deterministic; never more than the budget.

    `previous` is what was chosen last, `still_valid` says of one of those whether what it describes still stands.
    `count` gives the tokens of a block with its tags (an estimate will do).  Of candidates with one key
    the pinned, then the more valuable one counts.  A block that does not fit is left out and smaller ones behind it
    may still fit.
    """
    wanted = _by_key(candidates)
    resident = {block.key: block.text for block in previous}
    entries = []
    for key, block in wanted.items():
        entries.append(_entry(block, 0 if block.pinned else 1, resident.get(key) == block.text, count))
    for key, block in _by_key(previous).items():
        if key not in wanted and not block.pinned and still_valid(block):
            entries.append(_entry(block, 2, True, count))
    chosen, left_out, used = list[Block](), list[BlockKey](), 0
    for entry in sorted(entries, key=lambda e: e.order):
        if used + entry.tokens <= budget:
            chosen.append(entry.block)
            used += entry.tokens
        elif entry.tier < 2:
            left_out.append(entry.block.key)
    return Selection(chosen, left_out, used)


def _by_key(candidates: Iterable[Block]) -> dict[BlockKey, Block]:
    best: dict[BlockKey, Block] = {}
    for block in candidates:
        known = best.get(block.key)
        if known is None or _rank(block) > _rank(known):
            best[block.key] = block
    return best


def _rank(block: Block) -> tuple[bool, float, str]:
    return block.pinned, block.value, block.text


def _entry(block: Block, tier: int, is_resident: bool, count: Callable[[Block], int]) -> _Entry:
    tokens = count(block)
    score = block.value - tokens / TOKENS_PER_POINT + (RESIDENT_BONUS if is_resident else 0.0)
    return _Entry(block, tokens, tier, score)
