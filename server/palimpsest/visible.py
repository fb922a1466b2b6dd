"""How a text of a stranger's, such as the name of a file, is written for a model or a person.

In: a text.  Out: the same in one line in which nothing is hidden: what ends a line, moves a cursor, cannot be seen or
turns the direction of text is written as its code, and so is a byte that is no UTF-8.  Pure.
"""

from __future__ import annotations


def visible(text: str, but: str = "") -> str:
    """`but`: characters that stay as they are."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in but else ascii(char)[1:-1] for char in text)
