"""Lines of a text that have something in them.

In: a text in pieces, a query.  Out: where it is found.  A regular expression comes from a model: RE2 tries it, which
never goes back in a line, and keeps to a bound of memory.  Its steps for a character of a line are at most as many as
the expression has parts, which can be tens of thousands: so there are bounds of what a line and a text may take.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import re2

from palimpsest.errors import InvalidArgument

MOST_PLACES = 1_000
"""Found in one text; further ones are counted."""
LONGEST_QUERY = 1_000
MOST_S = 120.0
"""Searching one text may take this long."""
MOST_STEPS = 1_000_000_000
"""Searching one line may take this many steps: ten seconds."""
MOST_BYTES = 8 << 20
"""An expression may take this much memory, what it is compiled to included."""
_CONTINUED = bytes(range(0x80, 0xC0))
"""Bytes that begin no character."""
SYNTAX = "expressions are RE2's, without look-around and back-references"


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """`count` lines; of the first of them, the number (from 0) and the column."""

    count: int
    found: tuple[tuple[int, int], ...]


def places(
    pieces: Iterable[str], query: str, *, regex: bool, case_sensitive: bool, most_s: float = MOST_S
) -> FoundPlaces:
    """Raises InvalidArgument for a query that is none."""
    if not query or len(query) > LONGEST_QUERY:
        raise InvalidArgument("query", f"1 to {LONGEST_QUERY} characters are wanted, not {len(query)}.")
    if not regex and "\n" in query:
        raise InvalidArgument("query", "lines are searched one by one; give a part of one line.")
    return _matched(pieces, query, case_sensitive, most_s) if regex else _contained(pieces, query, case_sensitive)


def _contained(pieces: Iterable[str], query: str, case_sensitive: bool) -> FoundPlaces:
    wanted = query if case_sensitive else query.lower()
    number = count = 0
    places_found = list[tuple[int, int]]()
    for lines in _whole_lines(pieces):
        searched = lines if case_sensitive else lines.lower()
        if wanted in searched:
            as_written = lines.split("\n") if len(searched) != len(lines) else None
            for offset, line in enumerate(searched.split("\n")):
                if (column := line.find(wanted)) >= 0:
                    count += 1
                    if len(places_found) < MOST_PLACES:
                        written = column if as_written is None else _column(as_written[offset], column)
                        places_found.append((number + offset, written))
        number += lines.count("\n")
    return FoundPlaces(count, tuple(places_found))


def _column(line: str, lowered: int) -> int:
    """The column of what is at `lowered` in the line in lower case, where a letter can be two (İ)."""
    length = 0
    for column, letter in enumerate(line):
        length += len(letter.lower())
        if length > lowered:
            return column
    return len(line)


def _whole_lines(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces joined to parts that end with a line."""
    begun = list[str]()
    for piece in pieces:
        end = piece.rfind("\n") + 1
        if end:
            yield "".join([*begun, piece[:end]])
            begun.clear()
        begun.append(piece[end:])
    yield "".join(begun)


def _matched(pieces: Iterable[str], query: str, case_sensitive: bool, most_s: float) -> FoundPlaces:
    expression = _compiled(query, case_sensitive)
    longest = MOST_STEPS // expression.programsize
    end = time.monotonic() + most_s
    number = count = 0
    places_found = list[tuple[int, int]]()
    for lines in _whole_lines(pieces):
        for line in lines.encode("utf-8", "surrogatepass").removesuffix(b"\n").split(b"\n") if lines else ():
            if len(line) > longest or time.monotonic() > end:
                raise InvalidArgument("query", "the expression takes too long; write a simpler one.")
            if (match := expression.search(line)) is not None:
                count += 1
                if len(places_found) < MOST_PLACES:
                    places_found.append((number, _n_characters(line[: match.start()])))
            number += 1
    return FoundPlaces(count, tuple(places_found))


def _n_characters(utf8: bytes) -> int:
    """How many characters there are, without decoding: `\\C` matches a byte."""
    return len(utf8.translate(None, _CONTINUED))


def _compiled(query: str, case_sensitive: bool) -> re2._Regexp:
    """Raises InvalidArgument."""
    options = re2.Options()
    options.max_mem, options.case_sensitive = MOST_BYTES, case_sensitive
    options.never_capture, options.log_errors = True, False
    try:
        return re2.compile(query.encode(), options)
    except UnicodeEncodeError:
        raise InvalidArgument("query", "it has half a character (a lone surrogate) in it.") from None
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
        raise InvalidArgument("query", f"it is no regular expression: {reason} ({SYNTAX}).") from None
    finally:
        re2.purge()  # it would keep 128 of them
