"""A tail's prompt as tokens, by where they go in the cache.

Out: `TailPrompt`, and the position of an isolated suffix.  Knows no text.
"""

from dataclasses import dataclass, replace
from typing import Literal

Layout = Literal["spm", "isolated", "psm", "text"]
SLACK, STRIDE = 16, 128
"""Positions kept free between a growing prefix and the isolated suffix behind it: `SLACK` and what is missing to a
multiple of `STRIDE`, so that the suffix stays while the prefix grows, and stands where it would in a fresh cache."""


def isolated_start(n_prefix: int) -> int:
    """How far behind its prefix's first token an isolated suffix stands."""
    return -(-(n_prefix + SLACK) // STRIDE) * STRIDE


@dataclass(frozen=True, slots=True)
class TailPrompt:
    """`alone` is encoded behind the header only; `tokens` continue the base (and `alone` in spm) and are what grows
    while a person types; `after` stand between them and the answer, behind the suffix where it is isolated.
    `piece`: what the answer's bytes must begin with.  `opened`: what the chat template has written of the answer, the
    mark of a thought."""

    layout: Layout
    tokens: tuple[int, ...]
    alone: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    piece: bytes = b""
    opened: str = ""

    @property
    def n_tokens(self) -> int:
        return len(self.alone) + len(self.tokens) + len(self.after)

    @property
    def in_order(self) -> "TailPrompt":
        """The same with nothing alone, for a cache that knows ordinary causal order only."""
        assert self.layout != "isolated"
        return replace(self, tokens=self.alone + self.tokens, alone=())
