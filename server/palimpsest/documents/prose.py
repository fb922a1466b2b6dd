"""The `[[links]]` that a Markdown text has for a reader: not those in code and comments, and not what only looks like
one.

In: a text.  Out: links with their places.  A link's text in brackets (`[[1]](address)`) and a footnote's mark are no
links to documents, and neither is what stands in a fence, in an indented block of code, between backticks or in a
comment.  Lists and quotations are followed as far as code in them goes.  Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.documents.wikilinks import Link, links

MOST_LINKS = 10_000
"""Of one text; those behind are not looked at."""
DEEP = 4
"""Columns from which a line is code, behind those of the list item that it is in."""
MOST_ITEMS = 50
"""Lists in one another."""
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_QUOTE = re.compile(r"(?: {0,3}>[ \t]?)+")
_TICKS = re.compile(r"`+")


def prose_links(text: str) -> Iterator[Link]:
    if "[[" not in text:
        return
    shown = without_code(text)
    for number, link in enumerate(links(shown)):
        if number >= MOST_LINKS:
            return
        is_text = shown.startswith(("(", "["), link.end) and not shown.startswith("[[", link.end)
        if not is_text and not link.target.startswith("^"):
            yield link


def without_code(text: str) -> str:
    """The text, as long as it was, with blanks for its code and comments: places in one are places in the other."""
    lines = _Lines(text.rfind("-->"))
    return "".join(map(lines.shown, text.splitlines(keepends=True)))


class _Lines:
    """Lines of a text, one after the other; `ends` is where its last comment ends."""

    def __init__(self, ends: int) -> None:
        self._ends = ends
        self._at = 0
        self._depth = self._quoted = 0
        self._items = list[int]()
        """The columns at which the contents of the list items begin that a line is in."""
        self._fence, self._fenced_at = "", 0
        self._is_paragraph = self._is_comment = False

    def shown(self, line: str) -> str:
        start, end = self._at, 0
        self._at += len(line)
        if self._is_comment:
            end = line.find("-->") + 3
            if end < 3:
                return _blanked(line)
            self._is_comment = False
        elif (code := self._code(line.rstrip("\r\n"))) is not None:
            return line[:code] + _blanked(line[code:])
        prose, self._is_comment = _without_comments(
            _blanked(line[:end]) + _without_spans(line[end:]), self._ends - start
        )
        return prose

    def _code(self, line: str) -> int | None:
        """Where the line's code begins; None for prose."""
        quote = _QUOTE.match(line)
        at, depth = (quote.end(), quote.group().count(">")) if quote else (0, 0)
        if depth != self._depth:  # a paragraph may go on without its mark
            self._depth, self._fence = depth, ""
            self._items.clear()
        self._quoted = len(line[:at].expandtabs(DEEP))
        column, rest = _column(line, at), line[at:].lstrip(" \t")
        if self._fence and not (rest and column < self._fenced_at):
            if set(rest.rstrip()) == {self._fence[0]} and len(rest.rstrip()) >= len(self._fence):
                self._fence = ""
            return at
        self._fence = ""
        if not rest:
            self._is_paragraph = False
            return None
        if not self._is_paragraph or _ITEM.match(rest) or _FENCE.match(rest) or _HEADING.match(rest):
            while self._items and column < self._items[-1]:
                self._items.pop()
        while (item := self._item(rest, column)) is not None:
            at = len(line) - len(rest) + item.end()
            column, rest = _column(line, at), line[at:].lstrip(" \t")
        if column - self._base >= DEEP and not self._is_paragraph:
            return len(line) - len(rest)
        mark = _FENCE.match(rest) if column - self._base < DEEP else None
        if mark is not None and not (mark[1][0] == "`" and "`" in mark[2]):
            self._fence, self._fenced_at, self._is_paragraph = mark[1], self._base, False
            return len(line) - len(rest)
        self._is_paragraph = bool(rest) and not _HEADING.match(rest)
        return None

    @property
    def _base(self) -> int:
        """The column at which what stands in the innermost item begins."""
        return self._items[-1] if self._items else self._quoted

    def _item(self, rest: str, column: int) -> re.Match[str] | None:
        """The mark of the item of a list that begins there, which the lines behind it are in."""
        item = _ITEM.match(rest)
        if item is None or column - self._base >= DEEP or len(self._items) >= MOST_ITEMS:
            return None
        mark, inner = len(item[0].rstrip()), _column(" " * column + rest, column + item.end()) - column
        self._items.append(column + (inner if inner - mark <= DEEP else mark + 1))  # what is farther away is code
        self._is_paragraph = False
        return item


def _column(line: str, at: int) -> int:
    """Where what is not blank begins behind `at`."""
    return len(line[: len(line) - len(line[at:].lstrip(" \t"))].expandtabs(DEEP))


def _without_comments(line: str, ends: int) -> tuple[str, bool]:
    """And whether one goes on; `ends` is where the text's last comment ends, counted from the line."""
    parts, at = list[str](), 0
    while (start := line.find("<!--", at)) >= 0:
        end = line.find("-->", start) + 3
        if end < 3:
            goes_on = ends > start or not line[:start].strip()
            return "".join((*parts, line[at:start], (_blanked if goes_on else str)(line[start:]))), goes_on
        parts += [line[at:start], _blanked(line[start:end])]
        at = end
    return "".join((*parts, line[at:])), False


def _without_spans(line: str) -> str:
    """Without what stands between as many backticks as there are at its end."""
    if "`" not in line:
        return line
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(line)]
    at, next_at = 0, dict[int, int]()
    parts, behind = list[str](), list[int]()
    latest = dict[int, int]()
    for number in range(len(runs) - 1, -1, -1):  # for each run, the next one that is as long
        length = runs[number][1] - runs[number][0]
        behind.append(latest.get(length, -1))
        latest[length] = number
    next_at = dict(enumerate(reversed(behind)))
    number = 0
    while number < len(runs):
        end = next_at[number]
        if end < 0:
            number += 1
            continue
        parts += [line[at : runs[number][0]], _blanked(line[runs[number][0] : runs[end][1]])]
        at, number = runs[end][1], end + 1
    return "".join((*parts, line[at:]))


def _blanked(text: str) -> str:
    return "".join(char if char in "\r\n" else " " for char in text)
