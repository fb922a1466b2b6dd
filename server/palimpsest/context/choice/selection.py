"""Choose the most valuable blocks under a token budget, with a bonus for blocks that were chosen before.

In: candidates, the last choice, a budget, a token counter.  Out: a `Selection`.  Pure; knows no cache, file or cursor.

There are three tiers: pinned blocks; candidates; and blocks of the last choice that are no longer candidates but still
correct, as after a move to another function of the file.  Keeping the last kind costs nothing, and decoding one again
costs its tokens; but they never take room from a candidate.  The first two are sorted by score; of the last, what was a
candidate last stays longest, since a person who comes back comes back from nearby.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from palimpsest.context.values import RESIDENT_BONUS, TOKENS_PER_POINT
from palimpsest.types import Block, BlockKey


@dataclass(frozen=True, slots=True)
class Ranked:
    """A block with what it costs and is worth now; of those of the last choice, how long it has been none."""

    block: Block
    tokens: int
    tier: int
    score: float

    @property
    def order(self) -> tuple[int, float, BlockKey]:
        return self.tier, -self.score, self.block.key


@dataclass(frozen=True, slots=True)
class Selection:
    """`chosen`, most valuable first; `tokens` is the sum over them.  `ranked` are all that were to have room, in the
    order in which they got it."""

    chosen: list[Block] = field(default_factory=list)
    tokens: int = 0
    ranked: list[Ranked] = field(default_factory=list)


def select(
    candidates: Iterable[Block],
    previous: Sequence[Block],
    budget: int,
    count: Callable[[Block], int],
    still_valid: Callable[[Block], bool] = lambda _: False,
) -> Selection:
    """Choose at most `budget` tokens of blocks.  Deterministic.

    `previous` is the last choice; `still_valid` says whether one of its blocks is still correct.  `count` gives the
    tokens of a block with its tags, perhaps an estimate.  Of several candidates with one key the pinned one counts,
    then the most valuable.  Smaller blocks may still fit behind one that does not.
    """
    current = _by_key(candidates)
    resident = {block.key: block.text for block in previous}
    entries = []
    for key, block in current.items():
        entries.append(_entry(block, 0 if block.pinned else 1, resident.get(key) == block.text, count))
    for since, (key, block) in enumerate(_by_key(previous).items()):
        if key not in current and not block.pinned and still_valid(block):
            entries.append(Ranked(block, count(block), 2, -since))
    chosen, used = list[Block](), 0
    ranked = sorted(entries, key=lambda e: e.order)
    for entry in ranked:
        if used + entry.tokens <= budget:
            chosen.append(entry.block)
            used += entry.tokens
    return Selection(chosen, used, ranked)


def _by_key(candidates: Iterable[Block]) -> dict[BlockKey, Block]:
    best: dict[BlockKey, Block] = {}
    for block in candidates:
        known = best.get(block.key)
        if known is None or _rank(block) > _rank(known):
            best[block.key] = block
    return best


def _rank(block: Block) -> tuple[bool, float, str]:
    return block.pinned, block.value, block.text


def _entry(block: Block, tier: int, is_resident: bool, count: Callable[[Block], int]) -> Ranked:
    tokens = count(block)
    score = block.value - tokens / TOKENS_PER_POINT + (RESIDENT_BONUS if is_resident else 0.0)
    return Ranked(block, tokens, tier, score)
