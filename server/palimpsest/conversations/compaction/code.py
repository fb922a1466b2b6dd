"""The code in a message: what it defines, and what others call it by.

In: texts of messages.  Out: names of definitions with their lengths, the message with its code told in words, and the
names and lines that it mentions.  Pure.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from palimpsest.conversations.compaction.collecting import NAME, QUOTED, is_joined
from palimpsest.conversations.refs.kinds import language_name
from palimpsest.documents.markdown import blanked, fences
from palimpsest.languages.embedded import called
from palimpsest.syntax.parse import parse_file
from palimpsest.syntax.scopes import scopes

MOST_PIECES = 20
"""At most this many pieces of one message are looked at."""
MOST_TRIED = 8
"""At most this many pieces without a fence are looked at: each is parsed in every language."""
LEAST_LINES = 3
"""Code without a fence counts as code from this many lines on."""
LEAST_NAME = 3
"""Characters of a name that needs no quotes."""
INDENTED = re.compile(
    r"^(?![ \t\n]|[-*+>#]|\d+[.)]|</?ref\b)[^\n]+\n(?:[ \t]+\S[^\n]*(?:\n|\Z)|[ \t]*\n|[)}\]][^\n]*(?:\n|\Z))+",
    re.MULTILINE,
)
"""A line and what is indented below it, with brackets that close it."""
LINES = re.compile(r"\blines?[ \t]+(\d{1,6})(?:[ \t]*(?:-|–|to|and|through)[ \t]*(\d{1,6}))?|\.\w{1,8}:(\d{1,6})\b")
CALLED = re.compile(r"([A-Za-z_]\w*)\(")


@dataclass(frozen=True, slots=True)
class CodePiece:
    """A piece of code in a text, from `start` to `end`.  `language`: its fence's word, "" where it has none."""

    start: int
    end: int
    text: str
    language: str

    @property
    def n_lines(self) -> int:
        return self.text.count("\n") + 1


def pieces(text: str) -> list[CodePiece]:
    """Fences, and outside of them what is indented and defines something."""
    fenced = [CodePiece(one.start, one.end, one.content, one.language) for one in fences(text)]
    outside = blanked(text, [(one.start, one.end) for one in fenced])
    return sorted([*fenced, *_indented(outside)], key=lambda one: one.start)[:MOST_PIECES]


def defined(piece: CodePiece) -> Mapping[str, int]:
    """The names of its definitions, with the lines that each has."""
    language = called(language_name(piece.text, {"lang": piece.language} if piece.language else {}))
    if language is None:
        return {}
    definitions = [scope for scope in scopes(parse_file(piece.text, language)) if scope.kind != "file" and scope.name]
    return {scope.name: scope.end_line - scope.start_line for scope in definitions}


def without_code(text: str) -> str:
    """How long each piece is in its place: code in one line is none."""
    words, end = list[str](), 0
    for piece in pieces(text):
        words += [text[end : piece.start], f"({piece.n_lines} lines of code)"]
        end = piece.end
    return "".join([*words, text[end:]])


def mentioned(text: str, *, by_person: bool) -> set[str]:
    """What may be names of code: any word of a person's; of a model's those that are quoted, called or of several
    words, since it says much."""
    quoted = {name for one in QUOTED.findall(text) for name in NAME.findall(one)}
    names = {*quoted, *CALLED.findall(text)}
    for name in NAME.findall(text):
        if is_joined(name) or (by_person and len(name) >= LEAST_NAME):
            names.add(name)
    return {part for name in names for part in (name, *name.split("."))}


def last_line(text: str) -> int:
    """The last of the lines that it mentions by their numbers; 0 for none."""
    return max((int(number) for one in LINES.findall(text) for number in one if number), default=0)


def _indented(text: str) -> Iterator[CodePiece]:
    every = (
        CodePiece(one.start(), one.start() + len(one[0].rstrip()), one[0].rstrip(), "")
        for one in INDENTED.finditer(text)
    )
    long = (piece for piece in every if piece.n_lines >= LEAST_LINES)
    yield from (piece for piece in islice(long, MOST_TRIED) if defined(piece))
