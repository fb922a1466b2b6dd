"""The room that results of calls have, so that an answer fits behind them.

In: tokens, what counts those of a text.  Out: how much of a text fits.  Pure.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResultRoom:
    """`tokens` of the next results; `count` counts those of a text."""

    tokens: int
    count: Callable[[str], Awaitable[int]]

    def chars(self, text: str, n_tokens: int) -> int:
        """Of a text of so many tokens that does not fit: how many characters would."""
        return max(0, len(text) * self.tokens // n_tokens)
