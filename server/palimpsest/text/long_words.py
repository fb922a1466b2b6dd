"""The long words of a text, which are few in most texts.

In: a text.  Out: its long words.  Pure.

A word is of ASCII letters, digits, `_` and `-` here, and a run of these and what is in addresses and base64.  What can
only stand in a long one need not be looked for elsewhere.
"""

from __future__ import annotations

import string

_OF_WORDS = (string.ascii_letters + string.digits + "_-").encode()
_OF_RUNS = _OF_WORDS + b".+/=:~$"
WORDS, RUNS = (
    bytes(ord("w") if byte in members else ord(" ") for byte in range(256)) for members in (_OF_WORDS, _OF_RUNS)
)


def long_words(text: str, fewest: int, kind: bytes = WORDS) -> str:
    """The words or runs of at least `fewest` characters, a line each."""
    classes, word = text.encode("ascii", "replace").translate(kind), b"w" * fewest
    found, at = list[str](), classes.find(word)
    while at >= 0:
        end = classes.find(b" ", at + fewest)
        end = len(text) if end < 0 else end
        found.append(text[at:end])
        at = classes.find(word, end)
    return "\n".join(found)
