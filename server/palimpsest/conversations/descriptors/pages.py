"""Where the pages of a text begin.

In: a text, in pieces of any size, and the characters of a page.  Out: the places where pages begin.  Every character is
on exactly one page.  Pages end at line ends where a line fits a page, else inside the line.  Knows no database.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


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
