"""Pure: which messages a compaction leaves as they are, and which results of calls the model goes on reading.

In: messages and turns with their sizes, the oldest first.  Out: the ids of those to keep, or to drop.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

IMPORTANT = re.compile(r"\bimportant\b", re.IGNORECASE)
ID = re.compile(r"\b(?:turn|result)-\d+(?:-\d+)?\b|\bref:[\w.-]*\w")
POINTER_TOKENS = 40
"""What stands in a result's place."""
LEAST_FREED = 0.05
"""Of the bound: for less, what follows is not decoded again."""


@dataclass(frozen=True, slots=True)
class Message:
    """`names`: what others can call it by; `mentions`: those that it calls; `is_marked`: by the person."""

    id: int
    n_chars: int
    is_marked: bool
    names: Collection[str]
    mentions: Collection[str]


def kept(messages: Sequence[Message], until: int, before: Collection[int], most_chars: int) -> list[int]:
    """Of those up to `until`: first what the person marked, then what later ones mention and what was kept `before`,
    the newest first, as long as they fit."""
    marked, others, mentioned = list[Message](), list[Message](), set[str]()
    is_behind = True
    for one in reversed(messages):
        is_behind = is_behind and one.id != until
        if not is_behind and one.is_marked:
            marked.append(one)
        elif not is_behind and (one.id in before or mentioned.intersection(one.names)):
            others.append(one)
        mentioned.update(one.mentions)
    found, left = list[int](), most_chars
    for one in (*marked, *others):
        if one.n_chars <= left:
            found.append(one.id)
            left -= one.n_chars
    return sorted(found)


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
    """Which results of calls the model reads no more; a pointer stands in their place, and they can still be read by
    their ids.  What is dropped is dropped for good: a longer conversation drops all that its beginning drops, so that
    the engine's cache of a prompt is not lost at every turn.

    `(turn, number)` of each: when all takes more than `bound`, the results but the newest `keep` go, those of the
    tools in `never` excepted.
    """
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
