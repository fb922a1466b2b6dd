"""Places in real Python code where a cursor could stand, with what stands there.

In: a folder of source, a seed.  Out: `Middle`s, `Word`s and `Line`s, each with the editing block around it as text for
a model.  Deterministic.  Knows no model and no token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random

from palimpsest.context.editing.block import editing_at
from palimpsest.errors import InvalidArgument
from palimpsest.languages.registry import language_of
from palimpsest.prompt.blocks import EDITING_END, editing_head
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import scopes
from palimpsest.text.markup import escape_closing
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import to_uri

IDENTIFIER = re.compile(r"(?<!\w)[^\W\d]\w{4,}")
MAX_EDITING = 600
"""Tokens, estimated."""
LEAST_LINES, MOST_LINES = 6, 40
MAX_MIDDLE = 120
"""Characters."""
PER_FILE = 4


@dataclass(frozen=True, slots=True)
class Middle:
    """`text` stands between `prefix` and `suffix`."""

    prefix: str
    suffix: str
    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """The cursor stands inside an identifier at a line's end, `rest` of which is missing."""

    prefix: str
    suffix: str
    rest: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line to be typed, without its indent; `prefix` ends in that."""

    prefix: str
    suffix: str
    text: str


@dataclass(frozen=True, slots=True)
class Cases:
    middles: tuple[Middle, ...]
    words: tuple[Word, ...]
    lines: tuple[Line, ...]


def own_source() -> Path:
    """This package's: nobody was trained on it that is not younger than it."""
    return Path(str(files("palimpsest")))


def cases(folder: Path, seed: int, *, middles: int, words: int, lines: int) -> Cases:
    """So many of each, fewer where the folder has no more.  Raises InvalidArgument when it has none."""
    random = Random(seed)
    found: tuple[list[Middle], list[Word], list[Line]] = ([], [], [])
    for head, text in _functions(folder, random):
        if len(found[0]) < middles and (middle := _middle(head, text, random)):
            found[0].append(middle)
        if len(found[1]) < words and (word := _word(head, text, random)):
            found[1].append(word)
        if len(found[2]) < lines and (line := _line(head, text, random)):
            found[2].append(line)
        if len(found[0]) >= middles and len(found[1]) >= words and len(found[2]) >= lines:
            break
    if not all(found):
        raise InvalidArgument("text", f"{folder} has no Python functions of {LEAST_LINES} to {MOST_LINES} lines.")
    return Cases(tuple(found[0]), tuple(found[1]), tuple(found[2]))


def _functions(folder: Path, random: Random) -> Iterator[tuple[str, str]]:
    """(Opening tag, text) of functions' editing blocks, files in random order, again and again with others of each
    file's functions."""
    paths = sorted(path for path in folder.rglob("*.py") if "test" not in path.parts and path.stat().st_size < 150_000)
    random.shuffle(paths)
    left: list[list[tuple[str, str]]] = []
    for path in paths:
        found = list(_functions_of(path, folder))
        random.shuffle(found)
        left.append(found)
        yield from found[:PER_FILE]
    for found in left:
        yield from found[PER_FILE:]


def _functions_of(path: Path, folder: Path) -> Iterator[tuple[str, str]]:
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    parsed = Parser(language_of).parse(Snapshot(to_uri(path.absolute()), 1, "python", source))
    for scope in scopes(parsed):
        if scope.kind == "function" and LEAST_LINES <= scope.end_line - scope.start_line <= MOST_LINES:
            at = Position(scope.start_line, 0)
            editing = editing_at(parsed, at, path.relative_to(folder).as_posix(), MAX_EDITING)
            if all(line.document_line is not None for line in editing.lines):
                yield editing_head(editing), escape_closing(editing.text, "editing")


def _middle(head: str, text: str, random: Random) -> Middle | None:
    """From anywhere in the body to the end of that line or of one of the next two."""
    body = text.find("\n") + 1
    at = random.randrange(body, len(text))
    end = at
    for _ in range(random.randint(1, 3)):
        end = text.find("\n", end + 1)
        if end < 0:
            end = len(text)
            break
    middle = text[at:end][:MAX_MIDDLE]
    if not middle.strip():
        return None
    return Middle(head + text[:at], text[at + len(middle) :] + EDITING_END, middle)


def _word(head: str, text: str, random: Random) -> Word | None:
    body = text.find("\n") + 1
    found = [match for match in IDENTIFIER.finditer(text, body) if not match[0].startswith("__")]
    if not found:
        return None
    match = random.choice(found)
    at = match.start() + random.randint(1, len(match[0]) - 2)
    end = text.find("\n", match.end())
    behind = text[end:] if end >= 0 else ""
    return Word(head + text[:at], behind + EDITING_END, text[at : match.end()])


def _line(head: str, text: str, random: Random) -> Line | None:
    """A line of code behind the first, of 12 characters or more."""
    starts = list(re.finditer(r"\n([ \t]*)([^\s#\"'][^\n]{11,})", text))
    if not starts:
        return None
    match = random.choice(starts)
    return Line(head + text[: match.start(2)], text[match.end() :] + EDITING_END, match[2])
