"""Which names can be meant by one that is defined nowhere.

In: the name, the names that could stand there.  Out: those that it can be a slip of, the likeliest first.  Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

ALIKE = 0.7
"""difflib's ratio of two names, where nothing tells more."""
MOST = 8


def meant(name: str, names: Collection[str]) -> list[str]:
    """At most `MOST` of `names`: those of the same letters in another order; if there is none, those that one letter
    too many, too few or wrong makes of it; if there is none, those that are alike."""
    others = sorted(set(names) - {name})
    turned = [other for other in others if sorted(other) == sorted(name)]
    slips = turned or [other for other in others if _is_one_off(other, name)]
    return get_close_matches(name, slips or others, n=MOST, cutoff=0.0 if slips else ALIKE)


def _is_one_off(one: str, other: str) -> bool:
    """Whether a letter added, taken away or replaced makes one of the other; names of one letter are no sign."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2 or len(long) - len(short) > 1:
        return False
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]
