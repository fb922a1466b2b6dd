"""Cut lines to a number of tokens.

In: lines, a bound.  Out: the lines that fit.  Knows no block.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from palimpsest.context.estimate import chars_for


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
    kept, n_characters = list[int](), 0
    for i in order:
        if n_characters + len(lines[i]) + 1 <= chars_for(max_tokens):
            kept.append(i)
            n_characters += len(lines[i]) + 1
    return sorted(kept)
