"""How often a function is broken in which way for training, and the reply that mends it, as ln-diff (FORMATS.md).

In: the lines of a function that parses.  Out: a `Damage`, and its reply's text.  The ways are the product's own
(`palimpsest.bench.repairing.damage`), which measures itself on them.
Numbers in the reply are those of the broken lines, counted from 1.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from palimpsest.bench.repairing.damage import (
    Breaker,
    Damage,
    doubled,
    dropped,
    misspelt,
    no_colon,
    no_docstring,
    no_return,
    open_bracket,
    operator,
    stale_signature,
    swapped,
)

__all__ = ["BREAKERS", "Breaker", "Damage", "damage", "reply_text"]

BREAKERS: dict[Breaker, int] = {
    misspelt: 34,
    dropped: 14,
    swapped: 7,
    operator: 9,
    no_return: 8,
    stale_signature: 8,
    doubled: 9,
    no_colon: 7,
    open_bracket: 6,
    no_docstring: 10,
}


WISHES: dict[str, tuple[str, ...]] = {
    "misspelt": ("Fix the typo.", "There is a misspelt name", "fix the NameError"),
    "dropped": ("A line is missing, add it", "Add what is missing.", "restore the missing statement"),
    "swapped": ("The arguments are in the wrong order", "fix the call", "Swap the arguments back."),
    "operator": ("The condition is wrong", "fix the operator", "Correct the comparison or operator."),
    "no-return": ("Return the result", "it returns None, fix it", "The return is missing."),
    "stale-signature": ("Add the missing parameter", "the signature lacks a parameter", "Fix the signature."),
    "doubled": ("Remove the duplicate line", "a line stands here twice", "Delete the repeated statement."),
    "no-colon": ("Fix the syntax error", "a colon is missing"),
    "open-bracket": ("Fix the syntax error", "close the bracket"),
    "no-docstring": ("Add a docstring", "document this function", "Write a docstring."),
}
"""What a person may ask for who sees the fault but not the edit."""


def wishes(broken: Damage) -> tuple[str, ...]:
    """Instructions that the reply follows; the last is the reply's own summary."""
    return (*WISHES.get(broken.kind, ()), "Fix this function.", broken.summary)


def damage(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """The function broken in one way that is possible, or None.  `known` are names that blocks define."""
    for breaker in rng.choices(list(BREAKERS), list(BREAKERS.values()), k=4):
        if broken := breaker(lines, rng, known):
            return broken
    return None


def reply_text(broken: Damage) -> str:
    """The reply as the model is to write it."""
    lines = "\n".join(broken.reply)
    return f'<suggestion name="editing">\n{lines}\n</suggestion>\n<summary>{broken.summary}</summary>\n'
