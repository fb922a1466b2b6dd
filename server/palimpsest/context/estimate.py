"""Estimated token counts, good enough to cut texts by.

In: text.  Out: a number.  Knows no tokenizer: the engine counts exactly, but a keystroke cannot wait for it.
"""

from __future__ import annotations

import math

CHARS_PER_TOKEN = 3.2
"""For source code with the vocabularies of today's code models, rounded down: better to expect too many tokens."""


def estimate(text: str) -> int:
    """Tokens, rounded up; a longer text never has fewer."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def chars_for(tokens: int) -> int:
    """The most characters that `estimate` counts as so many tokens."""
    return math.floor(tokens * CHARS_PER_TOKEN)
