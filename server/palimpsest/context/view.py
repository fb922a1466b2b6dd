"""The cursor and the code around it, as sources of context see them.

In: the parsed document, the scope and editing block at the cursor, the workspace's folders, the settings.  Out: answers
that several sources need, computed once.  A view is immutable, knows no editor and no token, and reads no file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.context.name_uses import NameUse, name_uses
from palimpsest.syntax.imports import Import, imports
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import file_scope
from palimpsest.syntax.values import Scope
from palimpsest.text.snapshot import Position
from palimpsest.text.uris import path_or_none
from palimpsest.types import Editing

_WORD = re.compile(r"\w+")
_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Cell:
    """An earlier cell of the same notebook, with the name that it is shown by."""

    name: str
    parsed: Parsed


@dataclass(frozen=True)
class CursorView:
    """`root` is the workspace folder that the file is in, or None; `file` is relative to it, with forward slashes.
    `cells` are a notebook's earlier cells in the same language, which form one module with the current one.
    `is_typing`: the cursor's line was the last to be changed, so the word at the cursor may be half of one; a cursor
    that only stands somewhere leaves every block as it is."""

    parsed: Parsed
    scope: Scope
    editing: Editing
    position: Position
    file: str
    roots: tuple[Path, ...]
    root: Path | None
    settings: ContextSettings
    cells: tuple[Cell, ...] = ()
    is_typing: bool = True

    @property
    def uri(self) -> str:
        return self.parsed.snapshot.uri

    @cached_property
    def path(self) -> Path | None:
        """The document's file; None for one that is no file (`untitled:` and the like)."""
        return path_or_none(self.uri)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every import of the file, or of the cell and the cells before it, in order."""
        return tuple(
            item for parsed in (*(cell.parsed for cell in self.cells), self.parsed) for item in imports(parsed)
        )

    @cached_property
    def cell_names(self) -> frozenset[str]:
        """The names that earlier cells define or import for the whole notebook."""
        return frozenset(item.name for cell in self.cells for item in visible(cell.parsed, file_scope(cell.parsed)))

    @cached_property
    def cell_words(self) -> frozenset[str]:
        """Every word of the earlier cells, shown or not: a name that is among them is defined there for all we know."""
        return frozenset(word for cell in self.cells for word in _WORD.findall(cell.parsed.snapshot.text))

    @cached_property
    def cells_hide_names(self) -> bool:
        """Whether an earlier cell imports whatever a module has, so that nobody can tell which names there are."""
        return any(item.bound == "*" for cell in self.cells for item in imports(cell.parsed))

    @cached_property
    def typed(self) -> str:
        """The word that the cursor is in or at the end of, which the user is still typing; "" where nobody types."""
        if not self.is_typing:
            return ""
        lines, number = self.parsed.snapshot.lines, self.position.line
        for word in _WORD.finditer(lines[number]) if number < len(lines) else ():
            if word.start() < self.position.column <= word.end():
                return word.group()
        return ""

    @cached_property
    def used(self) -> frozenset[str]:
        """Names that the editing block uses, except the one being typed, which changes with every keystroke."""
        names: set[str] = set()
        for start, end in self._shown_ranges():
            names |= names_in(self.parsed, start, end)
        at_cursor = (
            names_in(self.parsed, self.position.line, self.position.line + 1)
            if self.position.line in self.shown_lines
            else set()
        )
        return frozenset(names | (at_cursor - {self.typed}))

    @cached_property
    def unused_imports(self) -> frozenset[str]:
        """Names that are imported and that nothing in the file uses yet, unless it is being typed: whoever has just
        written an import is about to use it."""
        bound = {item.bound for item in imports(self.parsed)}
        return frozenset(bound - (self.parsed.once(_used_names) - {self.typed}))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the file, except the one being typed: for blocks that stay the same in all its functions."""
        text, at = self.parsed.snapshot.text, self._offset
        if not self.is_typing:
            return self.parsed.once(_words)
        start = at
        while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        word = _WORD.match(text, start) if start < at else None
        end = word.end() if word is not None else at
        return frozenset(_WORD.findall(text[:start])) | frozenset(_WORD.findall(text[end:]))

    @cached_property
    def name_uses(self) -> tuple[NameUse, ...]:
        """The names that the editing block uses, in order, but for the one being typed."""
        at, language = len(self.editing.prefix) if self.is_typing else _NOWHERE, self.parsed.language
        uses = name_uses(self.editing.text, language.lexical, language.member_marks)
        return tuple(use for use in uses if not use.start < at <= use.start + len(use.name))

    def imports_of(self, name: str) -> Iterator[Import]:
        """The imports that a name may come from: they bind it, or what the editing block has before it."""
        meant = {name, *(use.head for use in self.name_uses if use.name == name and use.head)}
        for item in self.imports:
            by_module = [] if item.alias or item.name not in (None, "*") else _WORD.findall(item.module)[-1:]
            if not meant.isdisjoint((item.bound, item.name, *by_module)):
                yield item

    @cached_property
    def shown_lines(self) -> frozenset[int]:
        """Document lines that the editing block shows."""
        return frozenset(line.document_line for line in self.editing.lines if line.document_line is not None)

    @property
    def is_cut(self) -> bool:
        """Whether the editing block omits lines of its scope."""
        return any(line.document_line is None for line in self.editing.lines)

    def attributes_of(self, head: str) -> frozenset[str]:
        """Names that follow `head.` in the file, except the one being typed.  Found by text, so in broken code too."""
        cursor = self._offset if self.is_typing else _NOWHERE
        return frozenset(_attributes(self.parsed.snapshot.text, head, cursor, self.parsed.language.member_marks))

    def shown_attributes_of(self, head: str) -> frozenset[str]:
        """Names that follow `head.` in the editing block, except the one being typed."""
        cursor = len(self.editing.prefix) if self.is_typing else _NOWHERE
        return frozenset(_attributes(self.editing.text, head, cursor, self.parsed.language.member_marks))

    @cached_property
    def _offset(self) -> int:
        return self.parsed.snapshot.offset(self.position)

    def _shown_ranges(self) -> Iterator[tuple[int, int]]:
        """The document lines that the editing block shows, as half-open ranges, without the cursor's."""
        start = end = -1
        for line in sorted(self.shown_lines - {self.position.line}):
            if line != end:
                if end > start:
                    yield start, end
                start = line
            end = line + 1
        if end > start:
            yield start, end


def _used_names(parsed: Parsed) -> frozenset[str]:
    return frozenset(names_in(parsed, 0, parsed.snapshot.line_count))


def _words(parsed: Parsed) -> frozenset[str]:
    return frozenset(_WORD.findall(parsed.snapshot.text))


def _attributes(text: str, head: str, cursor: int, marks: tuple[str, ...]) -> Iterator[str]:
    mark = "|".join(re.escape(mark) for mark in marks)
    for match in re.finditer(rf"{re.escape(head)}\s*(?:{mark})\s*([^\W\d]\w*)", text):
        before = text[: match.start()][-2:]
        if not (before[-1:].isalnum() or before.endswith(("_", *marks))) and not match.start(1) <= cursor <= match.end(
            1
        ):
            yield match.group(1)
