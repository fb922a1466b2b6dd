"""Pure: which results of calls the model reads no more: the older ones, once the conversation has grown past a bound.

In: how large turns and results are.  Out: the results in whose place a pointer stands; they can still be read by their
ids.  What is dropped is dropped for good: a longer conversation drops all that its beginning drops, so that the
engine's cache of a prompt is not lost at every turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

POINTER_TOKENS = 40
"""What stands in a result's place."""
LEAST_FREED = 0.05
"""Of the bound: for less, what follows is not decoded again."""


@dataclass(frozen=True, slots=True)
class SizedResult:
    number: int
    tool: str
    tokens: int


@dataclass(frozen=True, slots=True)
class SizedTurn:
    """`tokens`: without its calls' results."""

    id: int
    tokens: int
    results: tuple[SizedResult, ...] = field(default_factory=tuple)


def dropped(turns: Iterable[SizedTurn], bound: int, keep: int, never: Collection[str] = ()) -> set[tuple[int, int]]:
    """`(turn, number)` of each: when all takes more than `bound`, the results but the newest `keep` go, those of the
    tools in `never` excepted."""
    gone, held, total = set[tuple[int, int]](), list[tuple[int, int, int]](), 0
    for turn in turns:
        total += turn.tokens + sum(result.tokens for result in turn.results)
        held += [
            (turn.id, result.number, result.tokens)
            for result in turn.results
            if result.tool not in never and result.tokens > POINTER_TOKENS
        ]
        older = held[: max(0, len(held) - keep)]
        freed = sum(tokens - POINTER_TOKENS for _, _, tokens in older)
        if total > bound and older and freed >= bound * LEAST_FREED:
            gone.update((turn_id, number) for turn_id, number, _ in older)
            held, total = held[len(older) :], total - freed
    return gone
