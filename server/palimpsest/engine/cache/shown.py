"""What the model was shown before: of the tokens that are decoded, how many were decoded already.

In: tokens, as they are decoded.  Out: counts.  Calls nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

STRETCH = 8
"""Tokens in a row that stood together before: fewer are alike by chance."""
MOST = 1 << 16
"""Stretches that are remembered, some 6 MB; those decoded longest ago are forgotten first."""


class DecodedBefore:
    def __init__(self) -> None:
        self._stretches: dict[int, None] = {}

    def note(self, tokens: Sequence[int]) -> int:
        """Of one prompt's tokens in a micro-batch, how many stand in a stretch that was decoded before."""
        found = [hash(tuple(tokens[i : i + STRETCH])) for i in range(len(tokens) - STRETCH + 1)]
        n = end = 0
        for i, stretch in enumerate(found):
            if stretch in self._stretches:
                n, end = n + i + STRETCH - max(i, end), i + STRETCH
        for stretch in found:
            self._stretches.pop(stretch, None)
            self._stretches[stretch] = None
        for stretch in list(islice(self._stretches, max(0, len(self._stretches) - MOST))):
            del self._stretches[stretch]
        return n
