"""One `package` block of what the file around the cursor uses and other files define: what is written next mostly uses
what its neighbours do.

In: a view, the index of names.  Out: a line for each name that the lines around use and exactly one other file of the
workspace defines, the nearest first, as far as `_TOKENS` go.  The text is that of a part of the file, so it stays while
the cursor moves in that part, and while a line is typed.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.context.name_uses import NameUse, name_uses
from palimpsest.context.sources.fit import head
from palimpsest.context.sources.indexed import IndexedDefinitions, written
from palimpsest.context.sources.source import Source
from palimpsest.context.values import FILE_NAMES
from palimpsest.context.view import CursorView
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.unknown import bound_in
from palimpsest.types import Block

_PART, _AROUND = 200, 100
"""Lines of a part of a file, and before and behind it."""
_TOKENS = 300
_LONGEST_LINE = 140
_SHORTEST = 4
_MOST_NAMES = 250
"""That the index is asked for."""


class FileNamesSource(Source):
    name = "file names"
    setting = "class"

    def __init__(self, definitions: IndexedDefinitions) -> None:
        self._definitions = definitions

    def candidates(self, view: CursorView) -> list[Block]:
        if not self._definitions.is_complete:
            return []
        part = view.position.line // _PART
        lines = head(list(self._lines(view, part * _PART)), _TOKENS)
        name = f"used in {view.file}, lines {part * _PART + 1} to {(part + 1) * _PART}"
        return [Block("package", name, "\n".join(lines), value=FILE_NAMES, source=self.name)] if lines else []

    def _lines(self, view: CursorView, start: int) -> Iterator[str]:
        language, seen = view.parsed.language, set[str]()
        known = language.builtins | language.builtin_members | language.object_members | language.common_words
        known |= view.parsed.once(_own) | {view.typed}
        for use in list(_nearest(view, start))[: _MOST_NAMES * 4]:
            if use.name in seen or use.name in known or len(use.name) < _SHORTEST or len(seen) > _MOST_NAMES:
                continue
            seen.add(use.name)
            only = self._definitions.only(view, use.name) if use.head == "" or use.is_telling else None
            if only is None or only.kind == "namespace":
                continue
            if only.kind != "method" or use.head != "" or language.bare_members:
                yield written(only)[:_LONGEST_LINE]


def _nearest(view: CursorView, start: int) -> Iterator[NameUse]:
    """The names around the middle of a part, from there on."""
    language, every = view.parsed.language, view.parsed.snapshot.lines
    first = max(0, start - _AROUND)
    code = "\n".join(every[first : start + _PART + _AROUND])
    uses = list(name_uses(code, language.lexical, language.member_marks))
    middle = len("\n".join(every[first : start + _PART // 2]))
    return iter(sorted(uses, key=lambda use: abs(use.start - middle)))


def _own(parsed: Parsed) -> frozenset[str]:
    """What the file itself defines and binds, but for what it imports."""
    bound = bound_in(parsed, 0, parsed.snapshot.line_count) - {item.bound for item in imports(parsed)}
    return frozenset(bound | {scope.name for scope in scopes(parsed)})
