"""Lines that a search found, with those around them.

In: a text's hash and a place in it.  Out: what is shown of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.descriptors.addresses import Addressed
from palimpsest.conversations.descriptors.page_tables import PageTables

LONGEST_SHOWN = 400
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line (from 1) with something in it, cut where it is long; `char` is where in the text."""

    line: int
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    page: int
    char: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`count` lines, of which `matches` are the first."""

    fd: str
    query: str
    count: int
    matches: tuple[Match, ...]


def match(contents: Contents, tables: PageTables, at: Addressed, place: tuple[int, int], context: int) -> Match:
    """`place` is a line, from 0, and a column."""
    line, column = place
    start = contents.line_start(at.hash, line)
    char = start + column
    first = max(0, line - context)

    def lines(begin: int, end: int) -> tuple[str, ...]:
        text = contents.lines(at.hash, begin, end) if begin < end else ""
        each = text.removesuffix("\n").split("\n") if text else ()
        return tuple(one[:LONGEST_SHOWN].rstrip("\r") for one in each)

    begin_shown = max(start, char - LONGEST_SHOWN // 2)
    end = min(contents.line_start(at.hash, line + 1), begin_shown + LONGEST_SHOWN)
    text = contents.slice(at.hash, begin_shown, end).rstrip("\r\n")
    page = tables.page_of(at.hash, at.page_size, char)
    return Match(line + 1, text, lines(first, line), lines(line + 1, line + 1 + context), page, char)
