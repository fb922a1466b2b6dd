"""How alike two pieces of code are.

In: lines.  Out: a number from 0 to 1, the Sørensen-Dice coefficient of the lines that are not blank, their indents left
out.  Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def similarity(one: Iterable[str], other: Iterable[str]) -> float:
    """Twice the lines that both have, by the lines of both; 0 where there are none."""
    a, b = _lines(one), _lines(other)
    both = a.total() + b.total()
    return 2 * (a & b).total() / both if both else 0.0


def _lines(lines: Iterable[str]) -> Counter[str]:
    return Counter(stripped for line in lines if (stripped := line.strip()))
