"""Parts of stored texts: by page, line, character or unit, or all of it.

In: a text's hash and what is wanted.  Out: `PageReading`.  Costs what is read, whatever the text's size.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.descriptors.page_tables import PageTables
from palimpsest.conversations.descriptors.pages import PageReading
from palimpsest.conversations.descriptors.units import check_length, unit_bounds
from palimpsest.errors import InvalidArgument, OutOfRange
from palimpsest.text.amounts import amount


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


class DescriptorReader:
    def __init__(self, contents: Contents, tables: PageTables) -> None:
        self._contents = contents
        self._tables = tables

    def read(
        self, fd: str, hash: str, page_size: int, language: str, wanted: PartWanted, most: int | None = None
    ) -> PageReading:
        """`most`: the characters of the longest part that may be read, but for one page.  Raises InvalidArgument,
        OutOfRange or NotFound."""
        start, end, page = self._bounds(hash, page_size, language, wanted)
        if most is not None and end - start > max(most, page_size):
            pages = self._tables.n_pages(hash, page_size)
            raise OutOfRange(
                wanted.way,
                f"that part has {end - start:,} characters; at most {max(most, page_size):,} can be read at once.",
                hint=f"Read it by page (there are {pages}) or by fewer lines, or search it.",
            )
        return self.part(fd, hash, page_size, start, end, page)

    def _bounds(self, hash: str, page_size: int, language: str, wanted: PartWanted) -> tuple[int, int, int | None]:
        wanted.check()
        if wanted.unit:
            check_length(self._contents.info(hash).n_chars)
            text = self._contents.text(hash)
            return *unit_bounds(text, language, wanted.unit, wanted.index, wanted.name_of_unit), None
        if wanted.read_all:
            return 0, self._contents.info(hash).n_chars, None
        if wanted.start_line is not None or wanted.end_line is not None:
            first = 1 if wanted.start_line is None else wanted.start_line
            return *self.line_bounds(hash, first, wanted.end_line), None
        if wanted.start_char is not None or wanted.end_char is not None:
            return *self._char_bounds(hash, wanted.start_char or 0, wanted.end_char), None
        page = 1 if wanted.page is None else wanted.page
        start, end = self._tables.bounds(hash, page_size, page)
        return start.char, end, page

    def part(self, fd: str, hash: str, page_size: int, start: int, end: int, page: int | None = None) -> PageReading:
        info = self._contents.info(hash)
        before = max(0, start - 1)
        text = self._contents.slice(hash, before, end)
        content = text[start - before :]
        return PageReading(
            fd=fd,
            content=content,
            start=start,
            end=end,
            first_line=self._contents.line_of(hash, start) + 1 if info.n_lines else 0,
            total_lines=info.n_lines,
            continued=start > 0 and text[:1] != "\n" and start < info.n_chars,
            truncated=bool(content) and end < info.n_chars and content[-1] != "\n",
            pages=self._tables.n_pages(hash, page_size),
            page=page,
        )

    def line_bounds(self, hash: str, start_line: int, end_line: int | None) -> tuple[int, int]:
        """Characters of lines, both included."""
        total = self._contents.info(hash).n_lines
        if not 1 <= start_line <= max(1, total):
            raise no_such("start_line", "line", start_line, total)
        if end_line is not None and end_line < start_line:
            raise InvalidArgument("end_line", f"{end_line} is before start_line, {start_line}.")
        end = total if end_line is None else min(end_line, total)
        return self._contents.line_start(hash, start_line - 1), self._contents.line_start(hash, end)

    def _char_bounds(self, hash: str, start: int, end: int | None) -> tuple[int, int]:
        total = self._contents.info(hash).n_chars
        if not 0 <= start <= total:
            raise no_such("start_char", "character", start, total)
        if end is not None and end < start:
            raise InvalidArgument("end_char", f"{end} is before start_char, {start}.")
        return start, total if end is None else min(end, total)
