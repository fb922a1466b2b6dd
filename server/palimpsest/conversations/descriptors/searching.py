"""Lines of a text that have something in them.

In: a text in pieces, a query.  Out: where it is found.  A regular expression comes from a model: it is tried in a
process of its own, which is ended when it takes too long, since one expression can take for ever.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from palimpsest.errors import InvalidArgument

MOST_PLACES = 1_000
"""Found in one text; further ones are counted."""
LONGEST_QUERY = 1_000
_SCRIPT = """
import faulthandler, json, re, sys
faulthandler.dump_traceback_later(float(sys.argv[4]), exit=True)  # whoever asked may be gone by then
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[5]),) * 2)
except (ImportError, OSError, ValueError):
    pass
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
class Bounds:
    """Seconds for a text, and for one piece of it: a long text takes its time, an expression without an end does not
    get it.  Bytes of memory: an expression can take 100 and more for every character of a line."""

    text_s: float = 120.0
    piece_s: float = 10.0
    n_bytes: int = 1_200_000_000


@dataclass(frozen=True, slots=True)
class Places:
    """`count` lines; of the first of them, the number (from 0) and the column."""

    count: int
    found: tuple[tuple[int, int], ...]


def places(
    pieces: Iterable[str], query: str, *, regex: bool, case_sensitive: bool, bounds: Bounds = Bounds()
) -> Places:
    """Raises InvalidArgument for a query that is none."""
    if not query or len(query) > LONGEST_QUERY:
        raise InvalidArgument("query", f"1 to {LONGEST_QUERY} characters are wanted, not {len(query)}.")
    if not regex and "\n" in query:
        raise InvalidArgument("query", "lines are searched one by one; give a part of one line.")
    return _matched(pieces, query, case_sensitive, bounds) if regex else _contained(pieces, query, case_sensitive)


def _contained(pieces: Iterable[str], query: str, case_sensitive: bool) -> Places:
    wanted = query if case_sensitive else query.lower()
    number = count = 0
    found = list[tuple[int, int]]()
    for lines in _whole_lines(pieces):
        searched = lines if case_sensitive else lines.lower()
        if wanted in searched:
            as_written = lines.split("\n") if len(searched) != len(lines) else None
            for offset, line in enumerate(searched.split("\n")):
                if (column := line.find(wanted)) >= 0:
                    count += 1
                    if len(found) < MOST_PLACES:
                        written = column if as_written is None else _column(as_written[offset], column)
                        found.append((number + offset, written))
        number += lines.count("\n")
    return Places(count, tuple(found))


def _column(line: str, lowered: int) -> int:
    """The column of what is at `lowered` in the line in lower case, where a letter can be two (İ)."""
    length = 0
    for column, letter in enumerate(line):
        length += len(letter.lower())
        if length > lowered:
            return column
    return len(line)


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


def _matched(pieces: Iterable[str], query: str, case_sensitive: bool, bounds: Bounds) -> Places:
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
    told = (query, int(flags), MOST_PLACES, bounds.text_s + bounds.piece_s, bounds.n_bytes)
    answer = _answer_of([sys.executable, "-I", "-S", "-c", _SCRIPT, *map(str, told)], pieces, bounds)
    count, found = json.loads(answer)
    return Places(count, tuple((line, column) for line, column in found))


def _answer_of(command: list[str], pieces: Iterable[str], bounds: Bounds) -> bytes:
    """What the process says of the text, which it is given piece by piece: it need not be in memory as a whole."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        begun = taken = time.monotonic()
        is_over, is_late = threading.Event(), threading.Event()

        def watch() -> None:
            while not is_over.wait(min(bounds.text_s, bounds.piece_s) / 50):
                if time.monotonic() - begun > bounds.text_s or time.monotonic() - taken > bounds.piece_s:
                    is_late.set()
                    process.kill()
                    return

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            with suppress(OSError):  # it has ended
                for piece in pieces:
                    process.stdin.write(piece.encode("utf-8", "surrogatepass"))
                    taken = time.monotonic()
            with suppress(OSError):
                process.stdin.close()
            answer = process.stdout.read()
            status = process.wait()
        finally:
            is_over.set()
            watching.join()
            process.kill()
            with suppress(OSError):
                process.stdin.close()
    if is_late.is_set():
        raise InvalidArgument("query", "the expression takes too long; write a simpler one.")
    if status:
        raise InvalidArgument("query", "the expression could not be tried; write a simpler one.")
    return answer
