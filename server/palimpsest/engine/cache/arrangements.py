"""Which blocks stand where, by number.

In: the places of what is attached.  Out: a number for each arrangement, the same one when it comes again as long as
somebody holds on to it.  Pure: knows no cell and no tail.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

Arrangement: TypeAlias = tuple[tuple[int, str], ...]
"""First position and digest of each block that is attached, by position."""


class Arrangements:
    """Of one header and footer.  No number is given to two arrangements, `forget` or not."""

    def __init__(self) -> None:
        self._numbers: dict[Arrangement, int] = {}
        self._last = 0

    def number(self, arrangement: Arrangement, held: Collection[int]) -> int:
        """`held`: the numbers that something depends on; the others are forgotten."""
        self._numbers = {known: n for known, n in self._numbers.items() if known == arrangement or n in held}
        if arrangement not in self._numbers:
            self._last += 1
            self._numbers[arrangement] = self._last
        return self._numbers[arrangement]

    def forget(self) -> None:
        """Header or footer are others: nothing comes again."""
        self._numbers.clear()
