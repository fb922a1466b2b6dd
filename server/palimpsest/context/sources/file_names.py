"""A `package` block of what the lines around use and other files define: what is written next mostly uses what its
neighbours do.

In: a view, the index of names.  Out: a line for each name that a part of the file uses and exactly one other file of
the workspace defines, the nearest to the part's middle first.  The text is that of a part, so it stays while the cursor
moves in it, and as long as the part still uses what it shows: what is typed there changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.context.name_uses import NameUse, name_uses
from palimpsest.context.sources.fit import head
from palimpsest.context.sources.indexed import IndexedDefinitions, written
from palimpsest.context.sources.source import Source
from palimpsest.context.values import FILE_NAMES
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.unknown import bound_in
from palimpsest.text.bounded import forget_oldest
from palimpsest.types import Block

PART, AROUND = 200, 100
"""Lines of a part of a file, and before and behind it."""
MAX_TOKENS = 300
_LONGEST_LINE = 140
_SHORTEST = 4
_MOST_NAMES = 250
"""That the index is asked for."""
_MOST_KEPT = 256


class FileNamesSource(Source):
    """Owner of what each part shows."""

    name = "file names"
    setting = "class"

    def __init__(self, definitions: IndexedDefinitions) -> None:
        self._definitions = definitions
        self._shown: dict[tuple[str, int], Sequence[IndexedDefinition]] = {}

    def candidates(self, view: CursorView) -> list[Block]:
        if not self._definitions.is_complete:
            return []
        part = view.position.line // PART
        uses = _uses(view, part)
        shown = self._shown.pop((view.uri, part), ())
        names = {use.name for use in uses}
        if not shown or not all(one.name in names and self._definitions.only(view, one.name) == one for one in shown):
            shown = self._defined(view, uses)
        self._shown[view.uri, part] = shown
        forget_oldest(self._shown, _MOST_KEPT, lambda _: 0, 1)
        lines = [written(definition)[:_LONGEST_LINE] for definition in shown]
        name = f"used in {view.file}, lines {part * PART + 1} to {(part + 1) * PART}"
        return [Block("package", name, "\n".join(lines), FILE_NAMES, source=self.name)] if lines else []

    def _defined(self, view: CursorView, uses: Sequence[NameUse]) -> Sequence[IndexedDefinition]:
        found = list(self._definitions_of(view, uses))
        return found[: len(head([written(definition)[:_LONGEST_LINE] for definition in found], MAX_TOKENS))]

    def _definitions_of(self, view: CursorView, uses: Sequence[NameUse]) -> Iterator[IndexedDefinition]:
        language, seen = view.parsed.language, set[str]()
        known = language.builtins | language.builtin_members | language.object_members | language.common_words
        known |= view.parsed.once(_own) | {view.typed}
        for use in uses:
            if use.name in seen or use.name in known or len(use.name) < _SHORTEST:
                continue
            if use.head != "" and not use.is_telling:
                continue
            if len(seen) == _MOST_NAMES:
                return
            seen.add(use.name)
            only = self._definitions.only(view, use.name)
            if only is None or only.kind == "namespace":
                continue
            if only.kind != "method" or use.head != "" or language.bare_members:
                yield only


def _uses(view: CursorView, part: int) -> list[NameUse]:
    """The names in and around a part, those in its middle first."""
    language, lines = view.parsed.language, view.parsed.snapshot.lines
    start = max(0, part * PART - AROUND)
    code = "\n".join(lines[start : (part + 1) * PART + AROUND])
    middle = len("\n".join(lines[start : part * PART + PART // 2]))
    uses = name_uses(code, language.lexical, language.member_marks)
    return sorted(uses, key=lambda use: abs(use.start - middle))


def _own(parsed: Parsed) -> frozenset[str]:
    """What the file itself defines and binds, but for what it imports."""
    bound = bound_in(parsed, 0, parsed.snapshot.line_count) - {item.bound for item in imports(parsed)}
    return frozenset(bound | {scope.name for scope in scopes(parsed)})
