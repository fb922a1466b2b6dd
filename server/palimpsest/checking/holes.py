"""Holes in files of any language.

In: a folder, a random generator.  Out: `Hole`s: a file with a piece of one line taken out, and the piece.

    line    all of a line behind its indentation
    rest    from a word within a line to the line's end
    word    what is left of a word behind its first letters
    member  a word behind a dot, an arrow or two colons

Not in comments, and only in files that parse.  Knows no model.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random

from palimpsest.checking.source import documents
from palimpsest.errors import InvalidArgument
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.places import is_comment
from palimpsest.text.positions import utf8
from palimpsest.text.uris import to_path

MOST_FILES = 200
SHORTEST_LINE, SHORTEST_REST = 8, 4
"""Characters; shorter ones say little."""
WORD = re.compile(r"[^\W\d]\w{3,}")
MEMBER = re.compile(r"\w(?:\)|\])*(?:\.|->|::)([^\W\d]\w{2,})")
MOST_IN_VAIN = 10
TRIES = 20
"""Lines of a file that are looked at for one hole."""


@dataclass(frozen=True)
class Hole:
    """The file with `text` taken out between `prefix` and `suffix`."""

    kind: str
    parsed: Parsed
    prefix: str
    text: str
    suffix: str

    @property
    def path(self) -> Path:
        return to_path(self.parsed.snapshot.uri)

    def n_errors(self, text: str, taken: int = 0) -> int:
        """Of the file with something else in the hole, and so many characters before it taken away."""
        prefix = self.prefix[: len(self.prefix) - taken]
        return parse_text(prefix + text + self.suffix, self.parsed.language).n_errors


Punch = Callable[[str, Random], tuple[int, int] | None]


def holes(folder: Path, n: int, random: Random) -> list[Hole]:
    """`n` of each kind, as far as may be in different files, none twice.  Raises InvalidArgument where none can be
    made."""
    files = list(documents(folder, random, MOST_FILES))
    found = [hole for kind, punch in KINDS.items() for hole in islice(_different(kind, punch, files, random), n)]
    if not found:
        raise InvalidArgument("FOLDER", f"{folder} has no source files that parse.")
    return found


def _different(kind: str, punch: Punch, files: Sequence[Parsed], random: Random) -> Iterator[Hole]:
    """File after file, until no other is found in any of them."""
    seen, n_in_vain = set[tuple[str, int, int]](), 0
    for parsed in cycle(files):
        hole = _hole(kind, punch, parsed, random)
        place = None if hole is None else (parsed.snapshot.uri, len(hole.prefix), len(hole.text))
        n_in_vain = 0 if place and place not in seen else n_in_vain + 1
        if hole is not None and not n_in_vain:
            seen.add((parsed.snapshot.uri, len(hole.prefix), len(hole.text)))
            yield hole
        if n_in_vain > MOST_IN_VAIN * len(files):
            return


def _hole(kind: str, punch: Punch, parsed: Parsed, random: Random) -> Hole | None:
    lines = parsed.snapshot.lines
    for _ in range(TRIES):
        number = random.randrange(len(lines))
        line = lines[number]
        above = len("\n".join(lines[:number])) + bool(number)
        piece = punch(line, random) if len(line.strip()) >= SHORTEST_LINE else None
        if piece is None:
            continue
        start, end = above + piece[0], above + piece[1]
        text = parsed.snapshot.text
        if not is_comment(parsed, *(len(utf8(text[:at])) for at in (start, end))):
            return Hole(kind, parsed, text[:start], text[start:end], text[end:])
    return None


def _line(line: str, _: Random) -> tuple[int, int]:
    return len(line) - len(line.lstrip()), len(line.rstrip())


def _rest(line: str, random: Random) -> tuple[int, int] | None:
    first, end = _line(line, random)
    starts = [one.start() for one in re.finditer(r"\b\w", line) if first < one.start() <= end - SHORTEST_REST]
    return (random.choice(starts), end) if starts else None


def _word(line: str, random: Random) -> tuple[int, int] | None:
    words = list(WORD.finditer(line))
    if not words:
        return None
    word = random.choice(words)
    return random.randrange(word.start() + 1, word.end() - 1), word.end()


def _member(line: str, random: Random) -> tuple[int, int] | None:
    members = list(MEMBER.finditer(line))
    return random.choice(members).span(1) if members else None


KINDS: Mapping[str, Punch] = {"line": _line, "rest": _rest, "word": _word, "member": _member}
