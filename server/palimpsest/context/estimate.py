"""Estimated token counts, and lines that are cut by them.

In: text, blocks, a bound.  Out: a number, the lines that fit.  Knows no tokenizer: the engine counts exactly, but a
keystroke cannot wait for it.
"""

import math
from collections.abc import Collection, Sequence

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


def head(lines: Sequence[str], max_tokens: int) -> list[str]:
    """The first lines that fit together."""
    taken, n_characters = list[str](), 0
    for line in lines:
        n_characters += len(line) + 1
        if n_characters > chars_for(max_tokens):
            break
        taken.append(line)
    return taken


def fitted(lines: Sequence[str], first: Collection[int], max_tokens: int) -> list[int]:
    """The sorted indexes of the lines that fit; the lines whose index is in `first` get room before the others."""
    order = sorted(range(len(lines)), key=lambda i: i not in first)
    fitting, n_characters = list[int](), 0
    for i in order:
        if n_characters + len(lines[i]) + 1 <= chars_for(max_tokens):
            fitting.append(i)
            n_characters += len(lines[i]) + 1
    return sorted(fitting)
