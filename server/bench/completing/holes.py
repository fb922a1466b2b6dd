"""Holes punched in real functions.

In: a workspace's functions, a random generator.  Out: `Hole`s: a document with a piece taken out, and the piece.

    line   a statement of one line; its indent is there
    span   from a word in a line to the line's end, or to the closing brackets there
    body   all below the header and the docstring; the first statement's indent is there

A span does not go on over the next lines: behind a cursor within a line only the rest of the statement is offered.
Knows no model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.shared.source import Function, functions
from palimpsest.errors import InvalidArgument
from palimpsest.syntax.names import names_in
from palimpsest.text.snapshot import Position

MOST_LINES = 60
"""Of a function with a hole in it."""
BODY_LINES = range(2, 13)
SHORTEST_LINE, SHORTEST_SPAN = 8, 4
"""Characters; shorter ones say little."""
WORD = re.compile(r"\b\w")
MEMBER = re.compile(r"\w\s*\.\s*([^\W\d]\w*)")
CLOSERS = re.compile(r"[)\]}:,]+$")


@dataclass(frozen=True)
class Hole:
    """`function`'s document with `text` taken out between two positions of it; `names` are identifiers in `text`."""

    kind: str
    function: Function
    start: Position
    end: Position
    text: str
    names: frozenset[str]

    def filled(self, text: str) -> str:
        """The whole document with something else in the hole; "" leaves it open."""
        lines, start, end = self.function.document, self.start, self.end
        line = lines[start.line][: start.column] + text + lines[end.line][end.column :]
        return "\n".join([*lines[: start.line], line, *lines[end.line + 1 :]])

    def trimmed(self, completion: str) -> str:
        """The part of a completion that fills this hole: of one for a line what a person accepts by line."""
        return completion.split("\n")[0] if self.kind == "line" else completion


Punch = Callable[[Function, Random], tuple[Position, Position] | None]


def holes(folder: Path, n: int, random: Random) -> list[Hole]:
    """`n` of each kind in different functions, fewer where there are no more.  Raises InvalidArgument where there is
    no function at all."""
    candidates = list(_first(folder, random, n))
    found = list[Hole]()
    for kind, punch in KINDS.items():
        random.shuffle(candidates)
        places = ((function, punch(function, random)) for function in candidates)
        of_kind = [_hole(kind, function, *place) for function, place in places if place is not None]
        found += of_kind[:n]
    if not found:
        raise InvalidArgument("WORKSPACE", f"{folder} has no functions of {MOST_LINES} lines or less but in tests.")
    return found


def _first(folder: Path, random: Random, n: int) -> list[Function]:
    """Functions enough for `n` holes of each kind."""
    found, enough = list[Function](), dict.fromkeys(KINDS, 0)
    for function in functions(folder, random, MOST_LINES):
        found.append(function)
        for kind, punch in KINDS.items():
            enough[kind] += punch(function, Random(0)) is not None
        if min(enough.values()) >= 2 * n:
            break
    return found


def _line(function: Function, random: Random) -> tuple[Position, Position] | None:
    places = [
        (lines.start, text)
        for lines in function.statements()
        if len(lines) == 1 and len((text := function.document[lines.start]).strip()) >= SHORTEST_LINE
    ]
    if not places:
        return None
    line, text = random.choice(places)
    return Position(line, _indent(text)), Position(line, len(text))


def _span(function: Function, random: Random) -> tuple[Position, Position] | None:
    places = list[tuple[int, int, int]]()
    for lines in function.statements():
        text = function.document[lines.start]
        if "#" in text:  # whose words are no code
            continue
        closers = CLOSERS.search(text)
        for end in {len(text), closers.start() if closers else len(text)}:
            starts = (match.start() for match in WORD.finditer(text, _indent(text) + 1))
            places += [(lines.start, start, end) for start in starts if end - start >= SHORTEST_SPAN]
    if not places:
        return None
    line, start, end = random.choice(sorted(places))
    return Position(line, start), Position(line, end)


def _body(function: Function, random: Random) -> tuple[Position, Position] | None:
    body = function.statements()
    if not body or function.end - body[0].start not in BODY_LINES:
        return None
    first, last = body[0].start, function.end - 1
    return Position(first, _indent(function.document[first])), Position(last, len(function.document[last]))


KINDS: Mapping[str, Punch] = {"line": _line, "span": _span, "body": _body}


def _hole(kind: str, function: Function, start: Position, end: Position) -> Hole:
    lines = function.document[start.line : end.line + 1]
    text = "\n".join([*lines[:-1], lines[-1][: end.column]])[start.column :]
    names = names_in(function.parsed, start.line, end.line + 1)
    names |= set(MEMBER.findall(text))
    inside = frozenset(name for name in names if re.search(rf"\b{re.escape(name)}\b", text))
    return Hole(kind, function, start, end, text, inside)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
