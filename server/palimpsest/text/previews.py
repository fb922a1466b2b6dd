"""A text as a person is shown it in a question.

In: a text of somebody else's.  Out: its beginning, in which nothing is hidden: a character that cannot be seen, or that
turns others around, is written as its code.  Pure.
"""

from __future__ import annotations

MOST_LINES = 20
MOST_CHARS = 1_200


def preview(text: str) -> str:
    """Ends with how much there is besides."""
    lines = text.splitlines()
    shown = "\n".join(lines[:MOST_LINES])[:MOST_CHARS]
    n_more = len("\n".join(lines)) - len(shown)
    visible = "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in shown)
    return f"{visible}\n… and {n_more:,} more characters" if n_more else visible
