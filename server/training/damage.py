"""How often a function is broken in which way for training, and the reply that mends it, as ln-diff (docs/formats.md).

In: the lines of a function that parses.  Out: a `Damage`, and its reply's text.  The ways are the product's own
(`bench.repairing.damage`), which measures itself on them.
Numbers in the reply are those of the broken lines, counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from random import Random

from bench.repairing.damage import (
    Breaker,
    Damage,
    at,
    doubled,
    dropped,
    misspelt,
    no_colon,
    no_docstring,
    no_return,
    open_bracket,
    operator,
    replaced,
    stale_signature,
    swapped,
)
from palimpsest.prompt import titles
from palimpsest.types import LineEdit

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
    "no-semicolon": ("Fix the syntax error", "a semicolon is missing"),
    "open-bracket": ("Fix the syntax error", "close the bracket"),
    "no-docstring": ("Add a docstring", "document this function", "Write a docstring."),
}
"""What a person may ask for who sees the fault but not the edit."""


def wishes(broken: Damage) -> tuple[str, ...]:
    """Instructions that the reply follows; the last is the reply's own summary."""
    return (*WISHES.get(broken.kind, ()), "Fix this function.", broken.summary)


def damage_of_lines(
    lines: list[str], simple: list[int], has_semicolons: bool, rng: Random, known: Collection[str]
) -> Damage | None:
    """As `damage`, of a function in any language: `simple` are the statements on a line of their own."""
    wanted = {**OF_LINES, no_semicolon: 9 if has_semicolons else 0}
    for breaker in rng.choices(list(wanted), list(wanted.values()), k=4):
        if broken := breaker(lines, simple, rng, known):
            return broken
    return None


LineBreaker = Callable[[list[str], list[int], Random, Collection[str]], Damage | None]


def without_line(lines: list[str], simple: list[int], rng: Random, known: Collection[str]) -> Damage | None:
    """A statement is gone; best one that sets a name used further down."""
    setting = {i: m[1] for i in simple if (m := SETS.search(lines[i])) and re.search(rf"\b{m[1]}\b", after(lines, i))}
    if not simple or len(lines) < 4:
        return None
    index = rng.choice(sorted(setting) or simple)
    name = setting.get(index)
    summary = titles.LACKS_LINE_OF.format(name) if name else titles.LACKS_LINE
    return Damage("dropped", at(lines, index), (LineEdit(index, index, (lines[index],)),), summary)


def twice(lines: list[str], simple: list[int], rng: Random, known: Collection[str]) -> Damage | None:
    """A statement stands there twice."""
    places = [i for i in simple if lines[i + 1 : i + 2] != [lines[i]]]
    if not places:
        return None
    index = rng.choice(places)
    broken = at(lines, index, lines[index], lines[index])
    return Damage("doubled", broken, (LineEdit(index + 1, index + 2, ()),), titles.TWICE)


def no_semicolon(lines: list[str], simple: list[int], rng: Random, known: Collection[str]) -> Damage | None:
    places = [i for i in simple if lines[i].endswith(";")]
    if not places:
        return None
    index = rng.choice(places)
    return replaced("no-semicolon", lines, index, lines[index][:-1], titles.LACKS_SEMICOLON)


def unclosed(lines: list[str], simple: list[int], rng: Random, known: Collection[str]) -> Damage | None:
    """Without the last bracket of a statement."""
    places = [i for i in simple if re.search(r"\);?$", lines[i]) and lines[i].count("(") == lines[i].count(")")]
    if not places:
        return None
    index = rng.choice(places)
    return replaced("open-bracket", lines, index, re.sub(r"\)(;?)$", r"\1", lines[index]), titles.LACKS_BRACKET)


def no_value(lines: list[str], simple: list[int], rng: Random, known: Collection[str]) -> Damage | None:
    """A value is computed and not returned."""
    places = [i for i, line in enumerate(lines) if re.match(r"\s+return \w+[^\s;]", line) and line.count("(") > 0]
    if not places:
        return None
    index = rng.choice(places)
    return replaced("no-return", lines, index, lines[index].replace("return ", "", 1), "Return the result.")


def after(lines: Sequence[str], index: int) -> str:
    return "\n".join(lines[index + 1 :])


SETS = re.compile(r"(\w+)\s*:?=[^=]")
OF_LINES: dict[LineBreaker, int] = {
    lambda lines, simple, rng, known: misspelt(lines, rng, known): 34,
    lambda lines, simple, rng, known: operator(lines, rng, known): 9,
    without_line: 14,
    twice: 9,
    unclosed: 6,
    no_value: 8,
}


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
