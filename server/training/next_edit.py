"""Next edits from histories of edits: a change made in one place, and the same change still to be made in another.

In: a function's lines.  Out: the function as it was before the change (a `Damage`, whose reply makes it), and what the
model is told of the change made elsewhere.  The line elsewhere is this one with other
names, so that the change has to be understood, not copied.  Knows no language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from bench.repairing.damage import Damage, replaced
from training.examples import fresh_name

NAME = re.compile(r"(?<![\w'\"])[A-Za-z_]\w{3,}")
LAST_ARGUMENT = re.compile(r",\s*([\w.]+(?:\s*[=:]\s*[\w.\"']+)?)(?=\))")
CALL = re.compile(r"(?<=[.])(\w{3,})(?=\()")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
KIND, SUMMARY = "next-edit", "Make the same change."
SHORTEST = 12
"""Characters of a line that can be recognised."""
Undo = Callable[[str, Random, Sequence[str]], str | None]
"""A line as it may have been before a change that led to it."""


def next_edit(lines: Sequence[str], rng: Random, words: Sequence[str]) -> tuple[Damage, str] | None:
    """The function before the change, and what is said of the change made elsewhere."""
    places = [i for i, line in enumerate(lines) if i and len(line.strip()) >= SHORTEST and len(NAME.findall(line)) > 1]
    if not places or not words:
        return None
    index = rng.choice(places)
    line = lines[index]
    for undo in rng.sample(UNDOS, len(UNDOS)):
        before = undo(line, rng, words)
        if before and before.strip() and before != line:
            there = elsewhere(before, line, rng, words)
            return replaced(KIND, lines, index, before, SUMMARY), same_change(*(text.strip() for text in there))
    return None


def same_change(old: str, new: str) -> str:
    """What a model is asked to do where a similar line became another one."""
    return f"In another place `{old}` became `{new}`. Make the same change here."


def elsewhere(before: str, after: str, rng: Random, words: Sequence[str]) -> tuple[str, str]:
    """The same change of another line: one or two names that it leaves alone are others there."""
    kept = sorted(set(NAME.findall(before)) & set(NAME.findall(after)))
    for name in rng.sample(kept, min(len(kept), rng.randint(1, 2))):
        other = fresh_name(name, words, rng)
        before, after = (re.sub(rf"\b{name}\b", other, text) for text in (before, after))
    return before, after


def other_name(line: str, rng: Random, words: Sequence[str]) -> str | None:
    """A name was another one."""
    found = list(NAME.finditer(line))
    match = rng.choice(found) if found else None
    return line[: match.start()] + fresh_name(match[0], words, rng) + line[match.end() :] if match else None


def without_argument(line: str, rng: Random, words: Sequence[str]) -> str | None:
    """A call had an argument less."""
    found = list(LAST_ARGUMENT.finditer(line))
    match = rng.choice(found) if found else None
    return line[: match.start()] + line[match.end() :] if match else None


def other_method(line: str, rng: Random, words: Sequence[str]) -> str | None:
    """Another method was called."""
    found = list(CALL.finditer(line))
    match = rng.choice(found) if found else None
    return line[: match.start()] + fresh_name(match[0], words, rng) + line[match.end() :] if match else None


def other_number(line: str, rng: Random, words: Sequence[str]) -> str | None:
    """A number was another one."""
    found = list(NUMBER.finditer(line))
    match = rng.choice(found) if found else None
    return (
        line[: match.start()] + str(rng.choice([0, 1, 2, 3, 5, 10, 16, 60, 100])) + line[match.end() :]
        if match
        else None
    )


UNDOS: tuple[Undo, ...] = (other_name, without_argument, other_method, other_number)
