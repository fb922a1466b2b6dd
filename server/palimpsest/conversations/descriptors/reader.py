"""A stored text, read in parts: by page, line, character or unit, or all of it.

In: what is wanted of a text.  Out: `PageReading`s, and the lines around a place.  Costs what is read, whatever the
text's size; only to find paragraphs, functions and classes all of it is read.  Owner of the table `page_start`: page
5,000 is found without reading those before it.  Every character is on exactly one page.  Pages end at line ends where a
line fits a page, else inside the line.
"""

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain
from typing import NamedTuple

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.descriptors.addresses import Addressed
from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument, NotFound, OutOfRange
from palimpsest.languages.embedded import called
from palimpsest.syntax.parse import parse_file
from palimpsest.syntax.scopes import scopes
from palimpsest.text.amounts import amount
from palimpsest.text.snapshot import Position


class PageStart(NamedTuple):
    """`line` is the number of line ends before `char`."""

    char: int
    line: int


def page_starts(pieces: Iterable[str], size: int) -> Iterator[PageStart]:
    """At least one: an empty text has an empty page."""
    here = PageStart(0, 0)
    yield here
    text = ""
    for piece in pieces:
        text += piece
        at = 0
        while len(text) - at > size:
            end = _page_end(text, at, size)
            here = PageStart(here.char + end - at, here.line + text.count("\n", at, end))
            at = end
            yield here
        text = text[at:]


def _page_end(text: str, at: int, size: int) -> int:
    """The text goes on behind `at + size`."""
    newline = text.rfind("\n", at, at + size)
    if newline >= 0:
        return newline + 1
    end = at + size
    splits_line_end = text[end - 1] == "\r" and text[end] == "\n" and size > 1
    return end - splits_line_end


@dataclass(frozen=True, slots=True)
class PageReading:
    """A part of a text: characters `start` to `end`, lines `first_line` to `last_line` (from 1, both included).

    `continued`: it begins inside a line; `truncated`: it ends inside one.  `page` is None for a part that is no page.
    """

    fd: str
    content: str
    start: int
    end: int
    first_line: int
    total_lines: int
    continued: bool
    truncated: bool
    pages: int
    page: int | None = None

    @property
    def last_line(self) -> int:
        return self.first_line + self.content.count("\n", 0, -1) if self.content else self.first_line

    @property
    def lines(self) -> str:
        """`3-7`; `partial` for less than one line."""
        if (self.continued or self.truncated) and self.first_line == self.last_line:
            return "partial"
        return f"{self.first_line}-{self.last_line}"


LONGEST = 4_000_000
PARAGRAPH = "paragraph"
UNITS = (PARAGRAPH, "function", "class")
_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*\n?")


def check_length(n_chars: int) -> None:
    """Raises InvalidArgument for a text that is too long to be told apart; ask before it is read."""
    if n_chars > LONGEST:
        raise InvalidArgument("unit", f"it is read by pages or lines: it has more than {LONGEST:,} characters.")


def unit_bounds(text: str, language: str, unit: str, index: int | None, name: str) -> tuple[int, int]:
    """(First character, character behind the last).  `index` is from 1; `name` may be qualified, `Cart.add`."""
    if unit == PARAGRAPH:
        units = [(one.span(), "") for one in _PARAGRAPH.finditer(text)]
    elif unit in UNITS:
        units = _definitions(text, language, unit)
    else:
        raise InvalidArgument("unit", f"one of {', '.join(UNITS)} is wanted, not {unit[:40]!r}.")
    if not units:
        raise NotFound("unit", f"there is no {unit} in it.")
    return _named(units, unit, name) if name else _numbered(units, unit, 1 if index is None else index)


def _definitions(text: str, language: str, unit: str) -> list[tuple[tuple[int, int], str]]:
    known = called(language) if language else None
    if known is None:
        raise InvalidArgument("unit", f"its language is not known, so {unit} cannot be told; read it by lines.")
    parsed = parse_file(text, known)
    if parsed.is_hurried:
        raise InvalidArgument("unit", f"it takes too long to be parsed, so no {unit} can be told; read it by lines.")
    document = parsed.snapshot
    return [
        (
            (
                document.offset(Position(scope.start_line, 0)),
                len(text) if scope.end_line >= document.line_count else document.offset(Position(scope.end_line, 0)),
            ),
            scope.qualified_name,
        )
        for scope in scopes(parsed)
        if scope.kind == unit
    ]


def _named(units: list[tuple[tuple[int, int], str]], unit: str, name: str) -> tuple[int, int]:
    if unit == PARAGRAPH:
        raise InvalidArgument("name_of_unit", "paragraphs have no names; give index.")
    for place, qualified in units:
        if name in (qualified, qualified.rpartition(".")[2]):
            return place
    names = ", ".join(qualified for _, qualified in units[:30])
    raise NotFound("name_of_unit", f"there is no {unit} {name[:60]!r}.", hint=f"There are: {names}.")


def _numbered(units: list[tuple[tuple[int, int], str]], unit: str, index: int) -> tuple[int, int]:
    if not 1 <= index <= len(units):
        raise OutOfRange("index", f"there is no {unit} {index}.", hint=f"There are 1 to {len(units)}.")
    return units[index - 1][0]


LONGEST_SHOWN = 400
"""Characters of a line with a match that are shown."""
_ENTRY = struct.Struct("<QQ")


@dataclass(frozen=True, slots=True)
class PartWanted:
    """One way to say which part; none means the first page.  Lines and pages from 1, `end_line` included; characters
    from 0, `end_char` behind the last."""

    page: int | None = None
    read_all: bool = False
    start_line: int | None = None
    end_line: int | None = None
    start_char: int | None = None
    end_char: int | None = None
    unit: str = ""
    index: int | None = None
    name_of_unit: str = ""

    @property
    def given(self) -> list[str]:
        ways = {
            "page": self.page is not None,
            "read_all": self.read_all,
            "start_line": self.start_line is not None or self.end_line is not None,
            "start_char": self.start_char is not None or self.end_char is not None,
            "unit": bool(self.unit),
        }
        return [name for name, is_given in ways.items() if is_given]

    @property
    def way(self) -> str:
        return next(iter(self.given), "page")

    def check(self) -> None:
        """Raises InvalidArgument where two ways are mixed."""
        given = self.given
        if len(given) > 1:
            raise InvalidArgument(given[1], f"cannot be combined with {given[0]}; give one of them.")
        if (self.index is not None or self.name_of_unit) and not self.unit:
            raise InvalidArgument("unit", "index and name_of_unit need a unit: paragraph, function or class.")


def name_of_unit(fd: str, name: str, unit: str, given: str) -> str:
    """Beside the descriptor's id, `name` is that of the unit: `read_fd(fd="fd-3", unit="function", name="add")`."""
    return given or (name if fd and unit else "")


def no_such(field: str, what: str, number: int, total: int) -> OutOfRange:
    """Lines or characters that are asked for and are not there."""
    return OutOfRange(field, f"there is no {what} {number}.", hint=f"It has {amount(total, what)}.")


WAYS = tuple(one.name for one in fields(PartWanted))


@dataclass(frozen=True, slots=True)
class Match:
    """A line (from 1) with something in it, cut where it is long; `char` is where in the text."""

    line: int
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    page: int
    char: int


class StoredText:
    """The text that an address means, in pages of its size."""

    def __init__(self, database: Database, contents: Contents, at: Addressed) -> None:
        self._database = database
        self._contents = contents
        self._id, self._hash, self._size = at.id, at.hash, at.page_size
        self.info = contents.info(at.hash)

    def count_pages(self) -> int:
        """Reads the whole text once, the first time that it is asked for."""
        row = self._database.row(
            "SELECT length(starts) FROM page_start WHERE hash = ? AND page_size = ?", (self._hash, self._size)
        )
        return self._make_pages() if row is None else int(row[0]) // _ENTRY.size

    def read(self, language: str, wanted: PartWanted, most: int | None = None) -> PageReading:
        """`most`: the characters of the longest part that may be read, but for one page.  Raises InvalidArgument,
        OutOfRange or NotFound."""
        start, end, page = self._bounds(language, wanted)
        if most is not None and end - start > max(most, self._size):
            raise OutOfRange(
                wanted.way,
                f"that part has {end - start:,} characters; at most {max(most, self._size):,} can be read at once.",
                hint=f"Read it by page (there are {self.count_pages()}) or by fewer lines, or search it.",
            )
        return self._part(start, end, page)

    def match(self, place: tuple[int, int], context: int) -> Match:
        """What is shown of a `place`, which is a line, from 0, and a column."""
        line, column = place
        start = self._contents.line_start(self._hash, line)
        char = start + column
        begin = max(start, char - LONGEST_SHOWN // 2)
        end = min(self._contents.line_start(self._hash, line + 1), begin + LONGEST_SHOWN)
        text = self._contents.slice(self._hash, begin, end).rstrip("\r\n")
        before, after = self._lines(max(0, line - context), line), self._lines(line + 1, line + 1 + context)
        return Match(line + 1, text, before, after, self._page_of(char), char)

    def line_bounds(self, start_line: int, end_line: int | None) -> tuple[int, int]:
        """Characters of lines, both included."""
        total = self.info.n_lines
        if not 1 <= start_line <= max(1, total):
            raise no_such("start_line", "line", start_line, total)
        if end_line is not None and end_line < start_line:
            raise InvalidArgument("end_line", f"{end_line} is before start_line, {start_line}.")
        end = total if end_line is None else min(end_line, total)
        return self._contents.line_start(self._hash, start_line - 1), self._contents.line_start(self._hash, end)

    def _bounds(self, language: str, wanted: PartWanted) -> tuple[int, int, int | None]:
        wanted.check()
        if wanted.unit:
            check_length(self.info.n_chars)
            text = self._contents.text(self._hash)
            return *unit_bounds(text, language, wanted.unit, wanted.index, wanted.name_of_unit), None
        if wanted.read_all:
            return 0, self.info.n_chars, None
        if wanted.start_line is not None or wanted.end_line is not None:
            first = 1 if wanted.start_line is None else wanted.start_line
            return *self.line_bounds(first, wanted.end_line), None
        if wanted.start_char is not None or wanted.end_char is not None:
            return *self._char_bounds(wanted.start_char or 0, wanted.end_char), None
        page = 1 if wanted.page is None else wanted.page
        start, end = self._page_bounds(page)
        return start.char, end, page

    def _part(self, start: int, end: int, page: int | None) -> PageReading:
        before = max(0, start - 1)
        text = self._contents.slice(self._hash, before, end)
        content = text[start - before :]
        return PageReading(
            fd=self._id,
            content=content,
            start=start,
            end=end,
            first_line=self._contents.line_of(self._hash, start) + 1 if self.info.n_lines else 0,
            total_lines=self.info.n_lines,
            continued=start > 0 and text[:1] != "\n" and start < self.info.n_chars,
            truncated=bool(content) and end < self.info.n_chars and content[-1] != "\n",
            pages=self.count_pages(),
            page=page,
        )

    def _char_bounds(self, start: int, end: int | None) -> tuple[int, int]:
        total = self.info.n_chars
        if not 0 <= start <= total:
            raise no_such("start_char", "character", start, total)
        if end is not None and end < start:
            raise InvalidArgument("end_char", f"{end} is before start_char, {start}.")
        return start, total if end is None else min(end, total)

    def _lines(self, begin: int, end: int) -> tuple[str, ...]:
        text = self._contents.lines(self._hash, begin, end) if begin < end else ""
        each = text.removesuffix("\n").split("\n") if text else ()
        return tuple(one[:LONGEST_SHOWN].rstrip("\r") for one in each)

    def _page_bounds(self, page: int) -> tuple[PageStart, int]:
        """(Where a page begins, the character behind it); pages are counted from 1.  Raises OutOfRange."""
        n_pages = self.count_pages()
        if not 1 <= page <= n_pages:
            there = "is page 1 only" if n_pages == 1 else f"are pages 1 to {n_pages}"
            raise OutOfRange("page", f"there is no page {page}.", hint=f"There {there}.")
        (data,) = self._database.row(
            "SELECT substr(starts, ?, ?) FROM page_start WHERE hash = ? AND page_size = ?",
            (1 + (page - 1) * _ENTRY.size, 2 * _ENTRY.size, self._hash, self._size),
        )
        starts = [PageStart(*one) for one in _ENTRY.iter_unpack(data)]
        return starts[0], starts[1].char if len(starts) > 1 else self.info.n_chars

    def _page_of(self, char: int) -> int:
        """The page that has a character."""
        low, high = 1, self.count_pages()
        while low < high:
            middle = (low + high + 1) // 2
            if self._page_bounds(middle)[0].char <= char:
                low = middle
            else:
                high = middle - 1
        return low

    def _make_pages(self) -> int:
        starts = list(page_starts(self._contents.pieces(self._hash), self._size))
        data = struct.pack(f"<{2 * len(starts)}Q", *chain.from_iterable(starts))
        with self._database.transaction() as rows:
            rows.execute("INSERT OR REPLACE INTO page_start VALUES (?, ?, ?)", (self._hash, self._size, data))
        return len(starts)
