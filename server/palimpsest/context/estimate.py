"""Estimated token counts, good enough to cut texts by.

In: text, blocks.  Out: a number.  Knows no tokenizer: the engine counts exactly, but a keystroke cannot wait for it.
"""

from __future__ import annotations

import math

from palimpsest.types import Block

CHARS_PER_TOKEN = 3.2
"""Source code has about this many characters a token with the vocabularies of today's code models. The figure is
rounded down: better to expect too many tokens."""

TAG_TOKENS = 24
"""A block's tags with their attributes take about this many tokens."""


def estimate(text: str) -> int:
    """Tokens, rounded up; a longer text never has fewer."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def estimate_of(block: Block) -> int:
    """Tokens of a block with its tags."""
    return estimate(block.text) + TAG_TOKENS


def chars_for(tokens: int) -> int:
    """The most characters that `estimate` counts as so many tokens."""
    return math.floor(tokens * CHARS_PER_TOKEN)
