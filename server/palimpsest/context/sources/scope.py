"""`scope` blocks: the names visible at the cursor that the editing block does not show.

In: a view.  Out: a block with the names and imports of the file, named after the module; and, for a nested function or
one that is not shown whole, a block with the local names around the cursor, named after the scope.  The first is the
same everywhere in the file and shows the line being typed as it was before; the second omits that line.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from palimpsest.context.sources.cached import visible
from palimpsest.context.sources.fit import fitted
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.source import Source
from palimpsest.context.sources.stable_lines import stable
from palimpsest.context.values import PER_RANK, SCOPE
from palimpsest.context.view import CursorView
from palimpsest.syntax.names import Visible
from palimpsest.syntax.scopes import enclosing, file_scope
from palimpsest.types import Block

_MOST_CACHED = 128
_LOCAL = ("parameter", "local", "function", "class")


class ScopeSource(Source):
    """Owner of the names of each file as of its last parse without errors."""

    name = "scope"
    setting = "scope"

    def __init__(self, modules: ModulesByLanguage) -> None:
        self._modules = modules
        self._sound: dict[str, tuple[str, list[str]]] = {}

    def candidates(self, view: CursorView) -> list[Block]:
        if view.parsed.root is None or view.scope.kind == "file":
            return []  # the editing block of a file shows its names itself
        name = self._module(view)
        around = view.scope
        outermost = next((scope for scope in reversed(list(enclosing(around))) if scope.kind == "function"), None)
        found = [(name, self._file_names(view))]
        if outermost is not None:
            local = [
                item
                for item in visible(view.parsed, around)
                if item.kind in _LOCAL
                and outermost.def_line <= item.line < outermost.end_line
                and item.line not in view.shown_lines
                and not (item.name == outermost.name and item.line == outermost.def_line)
            ]
            found.append((f"{name}.{around.qualified_name}", _block_text(view, self._level(view, local))))
        return [
            Block("scope", name, text, value=SCOPE - rank * PER_RANK, source=self.name)
            for rank, (name, text) in enumerate(found)
            if text
        ]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """For the names of the file: those of a function are correct only there."""
        return block.name == self._module(view)

    def _file_names(self, view: CursorView) -> str:
        """A half-written statement may hide what follows it from the parser, so the last names without errors are used
        until the document parses again.  So is the old signature of a function whose header is being edited."""
        where, last = self._sound.get(view.uri, ("", None))
        if view.parsed.n_errors and last is not None and where == view.scope.qualified_name:
            return "\n".join(last)
        names = visible(view.parsed, file_scope(view.parsed))
        full, without = _block_lines(view, names), _block_lines(view, self._level(view, names))
        if last is None and view.typed:
            last = without
        chosen = list(stable(full, without, last))
        if not view.parsed.n_errors:
            if len(self._sound) > _MOST_CACHED:
                self._sound.clear()
            self._sound[view.uri] = view.scope.qualified_name, chosen
        return "\n".join(chosen)

    def _module(self, view: CursorView) -> str:
        if view.path is None:
            return PurePosixPath(view.file).stem or "untitled"
        return self._modules.name_of(view)

    def _level(self, view: CursorView, items: Iterable[Visible]) -> list[Visible]:
        at = view.position.line
        header = range(view.scope.def_line, view.scope.header_end_line) if view.scope.kind != "file" else range(0)
        typing_header = at in header
        return [item for item in items if item.line != at and not (typing_header and item.line in header)]


def _block_text(view: CursorView, items: list[Visible]) -> str:
    return "\n".join(_block_lines(view, items))


def _block_lines(view: CursorView, items: list[Visible]) -> list[str]:
    lines = [item.signature.rstrip(":") for item in items]
    first = {i for i, item in enumerate(items) if item.name in view.words}
    return [lines[i] for i in fitted(lines, first, view.settings.block_tokens)]
