"""Real functions, damaged in known ways.

In: folders of source, how many, a seed.  Out: `Case`s, the ways of damage in turn.  Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from random import Random

from palimpsest.bench.damage import WAYS, Damage
from palimpsest.bench.source import Function, functions
from palimpsest.errors import InvalidArgument
from palimpsest.text.snapshot import Position

LINES = range(4, 21)
"""Of a function; a longer one is less likely to be shown whole."""


@dataclass(frozen=True)
class Case:
    """`function` with `damage`; `at` is in it, somewhere below its first line."""

    function: Function
    damage: Damage
    at: Position

    @property
    def text(self) -> str:
        """The whole damaged document."""
        lines, start = self.function.document, self.function.scope.start_line
        return "\n".join([*lines[:start], *self.damage.lines, *lines[self.function.end :]])


def cases(folders: Sequence[Path], n: int, random: Random) -> list[Case]:
    """`n` functions, each damaged in the way that is rarest so far among those it can be; fewer where there are no
    more.  Raises InvalidArgument where there is none."""
    found, counts = list[Case](), dict.fromkeys(WAYS, 0)
    for function in _in_turn([functions(folder, random, LINES.stop) for folder in folders]):
        if len(function.lines) in LINES and (damages := _damages(function, random)):
            damage = min(damages, key=lambda damage: counts[damage.kind])
            if counts[damage.kind] > min(counts.values()) + 1 and n - len(found) < len(WAYS):
                continue  # of what is common there is enough
            counts[damage.kind] += 1
            line = function.scope.start_line + random.randrange(1, len(damage.lines))
            found.append(Case(function, damage, Position(line, 0)))
        if len(found) == n:
            break
    if not found:
        names = ", ".join(map(str, folders))
        raise InvalidArgument("WORKSPACE", f"{names}: no function of {LINES.start} to {LINES.stop - 1} lines in it.")
    return found


def _damages(function: Function, random: Random) -> list[Damage]:
    """One in each way that is possible."""
    lines, seed = function.lines, random.random()
    found = list[Damage]()
    for way in WAYS.values():
        try:
            damage = way(lines, Random(seed), ())
        except (SyntaxError, IndexError, ValueError):  # it does not stand alone once dedented
            continue
        if damage is not None and len(damage.lines) > 1:
            found.append(damage)
    return found


def _in_turn(sources: Sequence[Iterator[Function]]) -> Iterator[Function]:
    """One of each, and again."""
    return (function for function in chain.from_iterable(zip_longest(*sources)) if function is not None)
