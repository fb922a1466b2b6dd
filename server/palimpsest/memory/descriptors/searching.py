"""Lines of a text that have something in them.

In: a text in pieces, a query.  Out: where it is found.  A regular expression comes from a model: it is tried in a
process of its own, which is ended when it takes too long, since one expression can take for ever.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.errors import InvalidArgument

MOST_PLACES = 1_000
"""Found in one text; further ones are counted."""
LONGEST_QUERY = 1_000
MOST_S = 10.0
_SCRIPT = """
import json, re, sys
find, found, n = re.compile(sys.argv[1], int(sys.argv[2])).search, [], 0
for number, line in enumerate(sys.stdin.buffer):
    there = find(line.decode("utf-8", "surrogatepass").rstrip("\\n"))
    if there:
        n += 1
        if n <= int(sys.argv[3]):
            found.append((number, there.start()))
print(json.dumps([n, found]))
"""


@dataclass(frozen=True, slots=True)
class Places:
    """`count` lines; of the first of them, the number (from 0) and the column."""

    count: int
    found: tuple[tuple[int, int], ...]


def places(pieces: Iterable[str], query: str, *, regex: bool, case_sensitive: bool) -> Places:
    """Raises InvalidArgument for a query that is none."""
    if not query or len(query) > LONGEST_QUERY:
        raise InvalidArgument("query", f"1 to {LONGEST_QUERY} characters are wanted, not {len(query)}.")
    if not regex and "\n" in query:
        raise InvalidArgument("query", "lines are searched one by one; give a part of one line.")
    return _matched(pieces, query, case_sensitive) if regex else _contained(pieces, query, case_sensitive)


def _contained(pieces: Iterable[str], query: str, case_sensitive: bool) -> Places:
    wanted = query if case_sensitive else query.lower()
    number = count = 0
    found = list[tuple[int, int]]()
    for lines in _whole_lines(pieces):
        searched = lines if case_sensitive else lines.lower()
        if wanted in searched:
            for offset, line in enumerate(searched.split("\n")):
                if (column := line.find(wanted)) >= 0:
                    count += 1
                    if len(found) < MOST_PLACES:
                        found.append((number + offset, column))
        number += lines.count("\n")
    return Places(count, tuple(found))


def _whole_lines(pieces: Iterable[str]) -> Iterator[str]:
    """The same text in parts that end with a line."""
    begun = list[str]()
    for piece in pieces:
        end = piece.rfind("\n") + 1
        if end:
            yield "".join([*begun, piece[:end]])
            begun.clear()
        begun.append(piece[end:])
    yield "".join(begun)


def _matched(pieces: Iterable[str], query: str, case_sensitive: bool) -> Places:
    flags = 0 if case_sensitive else re.IGNORECASE
    try:
        re.compile(query, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidArgument("query", f"it is no regular expression: {error}.") from None
    try:
        query.encode()
    except UnicodeEncodeError:
        raise InvalidArgument("query", "it has half a character (a lone surrogate) in it.") from None
    if "\0" in query:
        query = query.replace("\0", r"\x00")
    data = "".join(pieces).encode("utf-8", "surrogatepass")
    command = [sys.executable, "-I", "-S", "-c", _SCRIPT, query, str(int(flags)), str(MOST_PLACES)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=MOST_S, check=False)
    except subprocess.TimeoutExpired:
        raise InvalidArgument("query", "the expression takes too long; write a simpler one.") from None
    if done.returncode:
        raise InvalidArgument("query", "the expression could not be tried; write a simpler one.")
    count, found = json.loads(done.stdout)
    return Places(count, tuple((line, column) for line, column in found))
