"""Pure: finds undefined names and the known names that they may be misspellings of.

In: a parse and lines of it.  Out: `Slip`s, each with the names that may be meant.  Pure: reads trees through `syntax/`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches

from palimpsest.syntax.names import visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scope_at
from palimpsest.syntax.unknown import bound_in, unbound_in
from palimpsest.text.alike import n_alike
from palimpsest.text.snapshot import Position

ALIKE = 0.8
"""Minimum similarity of two names (difflib's ratio) if nothing more specific applies."""
MOST = 8


@dataclass(frozen=True, slots=True)
class Slip:
    """An undefined name that begins at `start`; `meant` are the names it may stand for, the likeliest first, at least
    one."""

    name: str
    start: Position
    meant: tuple[str, ...]


def slips(parsed: Parsed, start_line: int, end_line: int, others: Collection[str] = ()) -> list[Slip]:
    """The slips in the lines `start..end`, in order; an undefined name without similar names is not a slip.  `others`
    are names that can be used everywhere in the document though it does not define them."""
    found = (
        Slip(one.name, one.start, tuple(meant(one.name, _visible(parsed, one.start).union(others))))
        for one in unbound_in(parsed, start_line, end_line)
        if one.name not in others
    )
    return [slip for slip in found if slip.meant]


def meant(name: str, names: Collection[str]) -> list[str]:
    """At most `MOST` of `names`: those with the same letters in another order; if there are none, those that differ by
    one added, missing or wrong letter; if there are none, similar ones."""
    others = sorted(set(names) - {name})
    turned = [other for other in others if sorted(other) == sorted(name)]
    slips = turned or [other for other in others if _is_one_off(other, name)]
    return get_close_matches(name, slips or others, n=MOST, cutoff=0.0 if slips else ALIKE)


def is_slip_of(name: str, other: str) -> bool:
    """Whether one letter added, missing or wrong, or two neighbours that changed places, make one of the other."""
    if _is_one_off(name, other):
        return name != other
    apart = [i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b]
    return len(name) == len(other) and len(apart) == 2 and apart[1] == apart[0] + 1 and sorted(name) == sorted(other)


def _is_one_off(one: str, other: str) -> bool:
    """Whether adding, removing or replacing one letter turns one into the other; names of one letter do not count."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2 or len(long) - len(short) > 1:
        return False
    same = n_alike(short, long)
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


def _visible(parsed: Parsed, at: Position) -> set[str]:
    """The plain names that can be used there; names of comprehensions and lambdas only on their own line."""
    scope = scope_at(parsed, at.line, at.column)
    names = {item.name for item in visible(parsed, scope) if "." not in item.name}
    names |= bound_in(parsed, at.line, at.line + 1)
    return names | parsed.language.builtins
