"""`scope` blocks: the names visible at the cursor that the editing block does not show.

In: a view.  Out: a block with the names and imports of the file, or of the namespace in it, named after the module (or
namespace); and, for a nested function or one that is not shown whole, a block with the local names around the cursor,
named after the scope.  The first is the same everywhere in the file or namespace and shows the line being typed as it
was before; the second omits that line.  Of data and prose that is too long to be shown, the block is an outline.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from palimpsest.context.estimate import fitted
from palimpsest.context.sources.cached import children, visible
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.source import Source
from palimpsest.context.sources.stable_lines import stable
from palimpsest.context.values import Distance, worth
from palimpsest.context.view import CursorView
from palimpsest.newest import Newest
from palimpsest.syntax.names import Visible
from palimpsest.syntax.scopes import enclosing, file_scope
from palimpsest.syntax.values import Scope
from palimpsest.types import Block

_LONGEST_OUTLINED = 5_000
"""Lines of a document of which there is an outline."""
_LOCAL = ("parameter", "local", "function", "class")


class ScopeSource(Source):
    """Owner of the names of each file as of its last parse without errors."""

    name = "scope"
    setting = "scope"

    def __init__(self, modules: ModulesByLanguage) -> None:
        self._modules = modules
        self._sound = Newest[tuple[str, str], tuple[str, list[str]]]()

    def candidates(self, view: CursorView) -> list[Block]:
        name = self._module(view)
        if view.parsed.language.whole_file:
            text = "\n".join(_outline(view)) if view.is_cut else ""
            return [Block("scope", name, text, value=worth("scope", "file"), source=self.name)] if text else []
        if view.parsed.root is None or view.scope.kind == "file":
            return []  # the editing block of a file shows its names itself
        around, ground = view.scope, _ground(view)
        outermost = next((scope for scope in reversed(list(enclosing(around))) if scope.kind == "function"), None)
        parts: list[tuple[str, str, Distance]] = [(_below(name, ground), self._names(view, ground), "file")]
        if outermost is not None:
            local = [
                item
                for item in visible(view.parsed, around)
                if item.kind in _LOCAL
                and outermost.def_line <= item.line < outermost.end_line
                and item.line not in view.shown_lines
                and not (item.name == outermost.name and item.line == outermost.def_line)
            ]
            text = "\n".join(_block_lines(view, self._level(view, local)))
            parts.append((f"{name}.{around.qualified_name}", text, "function"))
        return [
            Block("scope", name, text, value=worth("scope", distance), source=self.name)
            for name, text, distance in parts
            if text
        ]

    def why_not(self, view: CursorView, name: str) -> str:
        item = next((it for it in visible(view.parsed, view.scope) if it.name.rpartition(".")[2] == name), None)
        if item is None:
            return "no name of this file that can be used here is called so"
        is_shown = item.line in view.shown_lines
        return "the code at the cursor shows it" if is_shown else "it is a member, or the list of names is cut"

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Whether it has the names of the file or of the namespace: those of a function are correct only there."""
        name = self._module(view)
        return block.name in (name, _below(name, _ground(view)))

    def _names(self, view: CursorView, ground: Scope) -> str:
        """A half-written statement may hide what follows it from the parser, so the last names without errors are used
        until the document parses again.  So is the old signature of a function whose header is being edited."""
        key = view.uri, ground.qualified_name
        where, last = self._sound.get(key, ("", None))
        if view.parsed.n_errors and last is not None and where == view.scope.qualified_name:
            return "\n".join(last)
        names = visible(view.parsed, ground)
        full, without = _block_lines(view, names), _block_lines(view, self._level(view, names))
        if last is None and view.typed:
            last = without
        chosen = list(stable(full, without, last))
        if not view.parsed.n_errors:
            self._sound[key] = view.scope.qualified_name, chosen
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


def _outline(view: CursorView) -> list[str]:
    """The headings or keys of a long document, two levels of them, except where the cursor is."""
    parsed, lines = view.parsed, list[str]()
    if len(parsed.lines) > _LONGEST_OUTLINED:
        return []
    outer = children(parsed, file_scope(parsed))
    while len(outer) == 1 and children(parsed, outer[0]):
        outer = children(parsed, outer[0])
    for scope in outer:
        for one in (scope, *children(parsed, scope)):
            if one.def_line != view.position.line:
                lines.append(parsed.snapshot.lines[one.def_line].rstrip())
    return [lines[i] for i in fitted(lines, set(), view.settings.block_tokens)]


def _ground(view: CursorView) -> Scope:
    """The namespace around the cursor, or the file."""
    return next(scope for scope in enclosing(view.scope) if scope.kind in ("namespace", "file"))


def _below(module: str, ground: Scope) -> str:
    return f"{module}.{ground.qualified_name}" if ground.kind == "namespace" else module


def _block_lines(view: CursorView, items: list[Visible]) -> list[str]:
    lines = [item.signature.rstrip(":") for item in items]
    first = {i for i, item in enumerate(items) if item.name in view.words}
    return [lines[i] for i in fitted(lines, first, view.settings.block_tokens)]
