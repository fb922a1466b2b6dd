"""How a text of a stranger's, such as the name of a file, is written for a model or a person.

In: a text.  Out: the same in one line in which nothing is hidden: what ends a line, moves a cursor, cannot be seen or
turns the direction of text is written as its code, and so is a byte that is no UTF-8.  Pure.

Joiners are a part of how words of Persian and many emoji are written, and stay.
"""

_JOINERS = "\u200c\u200d"


def visible(text: str, but: str = "") -> str:
    """`but`: characters that stay as they are."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in but or char in _JOINERS else ascii(char)[1:-1] for char in text
    )
