"""How many there are of something, in words.

In: a number and what is counted, as one is called.  Out: `1 line`, `1,200 lines`.
"""

from __future__ import annotations


def amount(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
