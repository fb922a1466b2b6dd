"""Pure: which messages a compaction leaves as they are, and which results of calls the model goes on reading.

In: messages and turns with their sizes, the oldest first.  Out: the ids of those to keep, or to drop.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

IMPORTANT = re.compile(r"\bimportant\b", re.IGNORECASE)
ID = re.compile(r"\b(?:turn|result)-\d+(?:-\d+)?\b|\bref:[\w.-]*\w")
POINTER_TOKENS = 40
"""What stands in a result's place."""
LEAST_FREED = 0.05
"""Results are dropped only where that frees this share of the bound: for less, what follows is not decoded again."""


@dataclass(frozen=True, slots=True)
class KeepableMessage:
    """`names`: what others can call it by; `mentions`: those that it calls, and what may be names of code;
    `is_marked`: by the person.  `defines`: the names of the code in it, with the lines of each; `n_lines`: those of its
    longest piece of code; `last_line`: the last one of some code that it mentions by its number; 0 for none."""

    id: int
    n_chars: int
    is_marked: bool
    names: Collection[str]
    mentions: Collection[str]
    defines: Mapping[str, int] = field(default_factory=dict)
    n_lines: int = 0
    last_line: int = 0


def kept(
    messages: Sequence[KeepableMessage],
    until: int,
    before: Collection[int],
    most_chars: int,
    most_with_code: int | None = None,
) -> list[int]:
    """The messages up to `until` that stay: first what the person marked, then what later ones mention and what was
    kept `before`, then other code, which may be asked about yet; of each the newest first, as long as they fit.  Of
    code that was written again, the later is kept, unless it is shorter.  `most_with_code`: the most characters with
    that other code, `most_chars` where it is None."""
    marked, others, code = list[KeepableMessage](), list[KeepableMessage](), list[KeepableMessage]()
    mentioned, defined, by_lines = set[str](), dict[str, int](), _mentioned_by_lines(messages)
    is_behind = True
    for one in reversed(messages):
        is_behind = is_behind and one.id != until
        newest = {name for name, n_lines in one.defines.items() if n_lines > defined.get(name, 0)}
        is_mentioned = one.id in by_lines or not mentioned.isdisjoint({*one.names, *newest})
        if not is_behind and one.is_marked:
            marked.append(one)
        elif not is_behind and (is_mentioned or (one.id in before and not one.n_lines)):
            others.append(one)
        elif not is_behind and (newest or (one.n_lines and not one.defines)):
            code.append(one)
        mentioned.update(one.mentions)
        defined.update({name: one.defines[name] for name in newest})
    ids, taken = list[int](), 0
    for some, most in ((marked + others, most_chars), (code, most_chars if most_with_code is None else most_with_code)):
        for one in some:
            if taken + one.n_chars <= most:
                ids.append(one.id)
                taken += one.n_chars
    return sorted(ids)


def _mentioned_by_lines(messages: Sequence[KeepableMessage]) -> set[int]:
    """Of each message that mentions lines, the nearest one before it whose code has so many; else the nearest with
    code, which may be a part of a file."""
    ids = set[int]()
    for i, one in enumerate(messages):
        if one.last_line:
            with_code = [other for other in reversed(messages[:i]) if other.n_lines]
            long_enough = [other for other in with_code if other.n_lines >= one.last_line]
            ids.update(other.id for other in (long_enough or with_code)[:1])
    return ids


def staying(sizes: Sequence[int], wanted: int, most: int | None, worth: float = 0) -> int:
    """How many of the newest messages stay as they are: `wanted` at most, as long as they take `most` tokens together
    and those before them are `worth` a summary."""
    for n in range(min(wanted, len(sizes) - 1), 0, -1):
        if (most is None or sum(sizes[-n:]) <= most) and sum(sizes[:-n]) >= worth:
            return n
    return 0


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
        if total <= bound:
            continue
        older = held[: max(0, len(held) - keep)]
        freed = sum(tokens - POINTER_TOKENS for _, _, tokens in older)
        if older and freed >= bound * LEAST_FREED:
            gone.update((turn_id, number) for turn_id, number, _ in older)
            held, total = held[len(older) :], total - freed
    return gone
