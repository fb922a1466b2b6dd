"""Real functions, damaged in known ways.

In: folders of source, how many, a seed.  Out: `Case`s, the ways of damage in turn.  Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random
from types import MappingProxyType

from bench.repairing.damage import WAYS, Breaker, Damage
from bench.shared.source import Function, functions
from palimpsest.errors import InvalidArgument
from palimpsest.text.snapshot import Position

LINES = range(4, 21)
"""Of a function; a longer one is less likely to be shown whole."""
LOOKED_AT = 30
"""Functions for each case: what is common is passed over while rare damage is looked for."""


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


def cases(
    folders: Sequence[Path], n: int, random: Random, ways: Mapping[str, Breaker] = MappingProxyType(WAYS)
) -> list[Case]:
    """`n` functions, each damaged in one way, all ways about equally often; fewer where there are no more.

    Raises InvalidArgument where there is none.
    """
    found, spare = list[Case](), list[Case]()
    counts, most = dict.fromkeys(ways, 0), -(-n // len(ways))
    sources = _in_turn([functions(folder, random, LINES.stop) for folder in folders])
    for function in islice((one for one in sources if len(one.lines) in LINES), LOOKED_AT * n):
        if not (damages := _damages(function, random, ways)):
            continue
        damage = min(damages, key=lambda damage: counts[damage.kind])
        line = function.scope.start_line + random.randrange(1, len(damage.lines))
        rare = counts[damage.kind] < most
        counts[damage.kind] += rare
        (found if rare else spare).append(Case(function, damage, Position(line, 0)))
        if len(found) == n:
            break
    found += spare[: n - len(found)]
    if not found:
        names = ", ".join(map(str, folders))
        raise InvalidArgument("WORKSPACE", f"{names}: no function of {LINES.start} to {LINES[-1]} lines but in tests.")
    return found


def _damages(function: Function, random: Random, ways: Mapping[str, Breaker]) -> list[Damage]:
    """One in each way that is possible."""
    lines, seed = function.lines, random.random()
    found = list[Damage]()
    for way in ways.values():
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
