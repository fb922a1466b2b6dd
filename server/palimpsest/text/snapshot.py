"""One immutable version of a document.

In: text, and the changes that an editor sends.  Out: lines, offsets, and edits for an incremental parser.  Knows no
editor, parser or file.  Columns are code points (`positions.py` converts them).

A line ends with LSP's line ends only: `\\n`, `\\r\\n` and a lone `\\r`; form feeds and Unicode separators are
ordinary characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass
from functools import cached_property
from itertools import accumulate, count, repeat
from operator import add

from palimpsest.text.positions import is_high, is_low, joined, utf8

_LINE_END = re.compile(r"\r\n|\r|\n")
_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A 0-based line and a column in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Range:
    """Half-open: `end` is the position behind the last character."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class ContentChange:
    """`text` replaces `range`, or the whole document where `range` is None."""

    range: Range | None
    text: str


@dataclass(frozen=True, slots=True)
class InputEdit:
    """What tree-sitter's `Tree.edit` takes: offsets in `Snapshot.utf8`, points as (row, byte column)."""

    start_byte: int
    old_end_byte: int
    new_end_byte: int
    start_point: tuple[int, int]
    old_end_point: tuple[int, int]
    new_end_point: tuple[int, int]


@dataclass(frozen=True)
class Snapshot:
    """A document at one version.  Values derived from the text are computed on first use and cached."""

    uri: str
    version: int
    language_id: str
    text: str
    split: InitVar[tuple[tuple[str, ...], tuple[int, ...]] | None] = None
    """The lines and the offsets of their first characters, where they are known; `dataclasses.replace` forgets them."""

    def __post_init__(self, split: tuple[tuple[str, ...], tuple[int, ...]] | None) -> None:
        if split is not None:
            self.__dict__["lines"], self.__dict__["_starts"] = split

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends; text that ends in a line end has an empty last line."""
        text = self.text
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return tuple(text.split("\n"))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """The offset of each line's first character."""
        if "\r" in self.text:
            return (0, *(match.end() for match in _LINE_END.finditer(self.text)))
        # Without a step of Python's own for each line.
        return (0, *map(add, accumulate(map(len, self.lines[:-1])), count(1)))

    @cached_property
    def utf8(self) -> bytes:
        """The bytes to parse: a lone `\\r` becomes `\\n`, so that a parser's rows are the lines of this document.

        As long as `text` in UTF-8; lone surrogates are passed through.
        """
        return utf8(_LONE_RETURN.sub("\n", self.text) if "\r" in self.text else self.text)

    @cached_property
    def line_end(self) -> str:
        """The most frequent line end; `\\n` in a document of one line."""
        n_pairs = self.text.count("\r\n")
        counts = {
            "\n": self.text.count("\n") - n_pairs,
            "\r\n": n_pairs,
            "\r": self.text.count("\r") - n_pairs,
        }
        return max(counts, key=lambda end: counts[end])

    @property
    def line_count(self) -> int:
        return len(self.lines)

    def clamp(self, position: Position) -> Position:
        """The nearest position that exists: past the last line is the document's end."""
        if position.line < 0:
            return Position(0, 0)
        if position.line >= self.line_count:
            return Position(self.line_count - 1, len(self.lines[-1]))
        return Position(position.line, max(0, min(position.column, len(self.lines[position.line]))))

    def offset(self, position: Position) -> int:
        """The offset in `text`, in code points; a position that does not exist is clamped."""
        at = self.clamp(position)
        return self._starts[at.line] + at.column

    def position(self, offset: int) -> Position:
        """The inverse of `offset`; between `\\r` and `\\n` it is the line's end, past either end it clamps."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, min(offset - self._starts[line], len(self.lines[line])))

    def lines_with(self, words: Iterable[str]) -> list[int]:
        """The lines that contain one of the words, in order."""
        found = set[int]()
        for word in words:
            line, at = -1, self.text.find(word)
            while at >= 0:
                line = bisect_right(self._starts, at, line + 1) - 1
                found.add(line)
                at = self.text.find(word, self._starts[line + 1]) if line + 1 < len(self._starts) else -1
        return sorted(found)

    def byte_column(self, position: Position) -> int:
        """The byte column in `utf8` of a position, clamped."""
        at = self.clamp(position)
        return len(utf8(self.lines[at.line][: at.column]))

    def at_point(self, row: int, byte_column: int) -> Position:
        """The inverse of `byte_column`: a point of tree-sitter's as a position."""
        return Position(row, len(utf8(self.lines[row])[:byte_column].decode("utf-8", "surrogatepass")))

    def changed(self, changes: Sequence[ContentChange], version: int) -> tuple[Snapshot, tuple[InputEdit, ...]]:
        """Apply `changes` in order, each in the coordinates of the document after those before it.

        Returns the edits in the same order.  A reversed range is turned round.
        """
        after, edits = self, []
        for change in changes:
            after, edit = after._applied(change, version)
            edits.append(edit)
        if not changes:
            after = Snapshot(self.uri, version, self.language_id, self.text)
        return after, tuple(edits)

    def _applied(self, change: ContentChange, version: int) -> tuple[Snapshot, InputEdit]:
        start, end = 0, len(self.text)
        if change.range is not None:
            start, end = sorted((self.offset(change.range.start), self.offset(change.range.end)))
        start, end, inserted = self._with_halves(start, end, change.text)
        text = self.text[:start] + inserted + self.text[end:]
        stays = change.range is not None and "\r" not in self.text and "\r" not in inserted
        split = self._split_after(start, end, inserted) if stays else None
        after = Snapshot(self.uri, version, self.language_id, text, split)
        # The byte of a "\r" before the change depends on what follows it, so it belongs to the edit.
        changed_from = start - 1 if start > 0 and self.text[start - 1] == "\r" else start
        first = len(utf8(self.text[:changed_from]))
        old_end = first + len(utf8(self.text[changed_from:end]))
        new_end = first + len(utf8(self.text[changed_from:start])) + len(utf8(inserted))
        return after, InputEdit(
            first,
            old_end,
            new_end,
            _point(self.utf8, first),
            _point(self.utf8, old_end),
            _point(after.utf8, new_end),
        )

    def _split_after(self, start: int, end: int, inserted: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """`split` of the next version, with the lines that stay as they are: every keystroke makes a snapshot."""
        lines, starts = self.lines, self._starts
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end) - 1
        before, behind = lines[first][: start - starts[first]], lines[last][end - starts[last] :]
        between = f"{before}{inserted}{behind}".split("\n")
        begun = accumulate((len(line) + 1 for line in between[:-1]), initial=starts[first])
        grown = len(inserted) - (end - start)
        return (
            (*lines[:first], *between, *lines[last + 1 :]),
            (*starts[:first], *begun, *map(add, starts[last + 1 :], repeat(grown))),
        )

    def _with_halves(self, start: int, end: int, text: str) -> tuple[int, int, str]:
        """The replacement extended by adjacent surrogates, since the two halves of a character may come in two changes,
        or be joined by a deletion."""
        if start > 0 and is_high(self.text[start - 1]):
            start -= 1
            text = self.text[start] + text
        if end < len(self.text) and is_low(self.text[end]):
            text += self.text[end]
            end += 1
        return start, end, joined(text)


def moved(position: Position, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Position:
    """A cursor of `old` as a position in `new`.

    Edits that end at or before the cursor move it; an edit around it leaves its line and column as they are.
    """
    at = len(utf8(old.text[: old.offset(position)]))
    for edit in edits:
        if edit.old_end_byte <= at:
            at += edit.new_end_byte - edit.old_end_byte
        elif edit.start_byte < at:
            return new.clamp(position)
    before = utf8(new.text)[:at].decode("utf-8", "surrogatepass")
    return new.position(len(before))


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """tree-sitter's point of a byte offset: rows end with `\\n` alone."""
    return data.count(b"\n", 0, offset), offset - (data.rfind(b"\n", 0, offset) + 1)
