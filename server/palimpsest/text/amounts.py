"""How many there are of something, in words.

In: a number and what is counted, as one is called.  Out: `1 line`, `1,200 lines`.
"""


def amount(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
