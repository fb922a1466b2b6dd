"""`class` blocks: the class around the cursor, and those that the code there deals with.

In: a view.  Out: blocks named `shop.cart.Cart` with the class's members and signatures, editable.  Considered are the
enclosing class and its bases, the classes of parameters and attributes, every class that the editing block names; from
this file, or imported from the workspace, through modules that hand it on.  Installed packages' classes are in
`package` blocks.  Knows no budget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.context.sources.cached import children, visible
from palimpsest.context.sources.fit import fitted
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.skeleton import Line, skeleton
from palimpsest.context.sources.source import Source
from palimpsest.context.sources.stable_lines import stable
from palimpsest.context.values import (
    ANNOTATION_CLASS,
    ATTRIBUTE_CLASS,
    BASE_CLASS,
    ENCLOSING_CLASS,
    PER_RANK,
    USED_CLASS,
)
from palimpsest.context.view import CursorView
from palimpsest.syntax.names import Import, imports
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import Scope, enclosing, file_scope, signature
from palimpsest.text.bounded import forget_oldest
from palimpsest.text.uris import to_uri
from palimpsest.types import Block
from palimpsest.workspace.files import FileText, WorkspaceFiles

MAX_CLASSES = 12
_MAX_STEPS = 3
_MOST_MODULES = 32
"""Looked into for one name: modules that take everything from each other have many ways to it."""
_KEPT = 128
_KEPT_CHARACTERS = 4_000_000
"""Of the sources whose trees are kept."""
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _Module:
    """A module of the workspace as parsed; `path` None: the document itself is no file."""

    name: str
    path: Path | None
    parsed: Parsed
    uri: str


@dataclass(frozen=True, slots=True)
class _Found:
    module: _Module
    scope: Scope

    @property
    def name(self) -> str:
        return f"{self.module.name}.{self.scope.qualified_name}"


class ClassSource(Source):
    """Owner of the parses of files that are not open."""

    name = "class"
    setting = "class"

    def __init__(self, files: WorkspaceFiles, modules: ModulesByLanguage) -> None:
        self._files = files
        self._modules = modules
        self._parsed: dict[Path, tuple[FileText, Parsed]] = {}
        self._skeletons: dict[tuple[str, str], tuple[Parsed, list[Line]]] = {}
        self._sound: dict[tuple[str, str], tuple[str, list[Line]]] = {}

    def candidates(self, view: CursorView) -> list[Block]:
        found = dict[str, Block]()
        here = self._here(view)
        for rank, (name, value) in enumerate(self._named(view, here)):
            for target in self._resolved(name, here, view):
                if not self._is_shown(view, target):
                    block = self._block(view, target, value - rank * PER_RANK)
                    found.setdefault(block.name, block)
            if len(found) >= MAX_CLASSES:
                break
        return list(found.values())

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """As long as the file defines or imports the class, and it still looks the same."""
        here = self._here(view)
        last = block.name.rpartition(".")[2]
        bound = {last, *(found.bound for found in view.imports if found.name == last)}
        modules = {found.module for found in view.imports if found.name is None}
        names = [*bound, *(f"{module}.{last}" for module in modules), _enclosing_name(view) or last]
        for name in names:
            for target in self._resolved(name, here, view):
                if target.name == block.name and self._block(view, target, 0.0).text == block.text:
                    return True
        return False

    def _here(self, view: CursorView) -> _Module:
        name = self._modules.name_of(view) or "untitled"
        return _Module(name, view.path, view.parsed, view.uri)

    def _named(self, view: CursorView, here: _Module) -> Iterator[tuple[str, float]]:
        """Names that may be classes, as the code writes them, with what each is worth; most valuable first."""
        around = next((scope for scope in enclosing(view.scope) if scope.kind == "class"), None)
        if around is not None:
            yield around.qualified_name, ENCLOSING_CLASS
        used = sorted(view.used) + sorted(self._dotted(view))
        header = set[str]()
        if view.scope.kind == "function":
            header = set(_WORD.findall(signature(view.parsed, view.scope))) - {view.typed}
        yield from ((name, ANNOTATION_CLASS) for name in sorted(header))
        yield from ((name, USED_CLASS) for name in used)
        if around is not None:
            words = _WORD.findall(signature(view.parsed, around))
            yield from ((name, BASE_CLASS) for name in words[words.index(around.name) + 1 :])
            for item in visible(view.parsed, around):
                if item.kind == "attribute" and item.line != view.position.line:
                    yield from ((name, ATTRIBUTE_CLASS) for name in _WORD.findall(item.signature.partition(":")[2]))

    def _dotted(self, view: CursorView) -> Iterator[str]:
        """`item.Item` for the modules that the editing block uses by name."""
        for found in view.imports:
            if found.bound in view.used:
                head = found.bound if found.name is not None or found.alias else found.module
                yield from (f"{head}.{name}" for name in view.shown_attributes_of(head))

    def _resolved(self, name: str, here: _Module, view: CursorView) -> Iterator[_Found]:
        """The classes that a name means in the file: one of its own, or an imported one."""
        scope = _class_in(here.parsed, name)
        if scope is not None:
            yield _Found(here, scope)
            return
        head, _, last = name.rpartition(".")
        asked = set[tuple[str, str]]()
        for found in view.imports:
            if not head and found.name and found.bound in (name, "*"):
                given = name if found.name == "*" else found.name
                yield from self._in_module(self._module_of(found, here, view), given, here, view, 0, asked)
            elif head and (found.alias or found.name or found.module) == head:
                module = self._module_of(found, here, view)
                if found.name is not None and module is not None:
                    module = f"{module}.{found.name}"
                yield from self._in_module(module, last, here, view, 0, asked)

    def _module_of(self, found: Import, here: _Module, view: CursorView) -> str | None:
        return self._modules.of(view).imported(found, here.name, here.path)

    def _in_module(
        self, name: str | None, wanted: str, here: _Module, view: CursorView, steps: int, asked: set[tuple[str, str]]
    ) -> Iterator[_Found]:
        if name is None or steps > _MAX_STEPS or (name, wanted) in asked or len(asked) >= _MOST_MODULES:
            return
        asked.add((name, wanted))
        module = self._module(name, here, view)
        if module is None:
            return
        scope = _class_in(module.parsed, wanted)
        if scope is not None:
            yield _Found(module, scope)
            return
        for found in imports(module.parsed):
            if found.name and found.bound in (wanted, "*"):
                given = wanted if found.name == "*" else found.name
                above = self._module_of(found, module, view)
                yield from self._in_module(above, given, module, view, steps + 1, asked)

    def _module(self, name: str, here: _Module, view: CursorView) -> _Module | None:
        path = self._modules.of(view).file_of(name, here.path)
        source = self._files.source(path) if path is not None else None
        if path is None or source is None:
            return None
        known = self._parsed.pop(path, None)
        parsed = (
            known[1]
            if known is not None and known[0].stamp == source.stamp
            else parse_text(source.text, here.parsed.language)
        )
        self._parsed[path] = (source, parsed)
        forget_oldest(self._parsed, _KEPT, lambda kept: len(kept[0].text), _KEPT_CHARACTERS)
        return _Module(name, path, parsed, to_uri(path))

    def _is_shown(self, view: CursorView, found: _Found) -> bool:
        """Whether the editing block shows the class itself."""
        if found.module.uri != view.uri:
            return False
        return found.scope.def_line in view.shown_lines and view.scope.kind != "file"

    def _skeleton(self, found: _Found) -> list[Line]:
        """Of a class in another file: kept as long as the parse is the same."""
        key = found.module.uri, found.scope.qualified_name
        known = self._skeletons.get(key)
        if known is None or known[0] is not found.module.parsed:
            if len(self._skeletons) > _KEPT:
                self._skeletons.clear()
            known = self._skeletons[key] = found.module.parsed, skeleton(found.module.parsed, found.scope)
        return known[1]

    def _typed(self, view: CursorView, found: _Found) -> list[Line]:
        """Of a class in the file being typed in.

        A statement half written may hide what follows it from the parser: until the code is sound again, what the class
        looked like before stands, as long as the cursor stays in its scope.  So does a member that is being edited.
        """
        key = view.uri, found.scope.qualified_name
        where, lines = self._sound.get(key, ("", []))
        if view.parsed.n_errors and lines and where == view.scope.qualified_name:
            document = view.parsed.snapshot.lines
            return [line.where_it_is(document) for line in lines]
        full = skeleton(view.parsed, found.scope)
        without = skeleton(view.parsed, found.scope, view.position.line)
        texts = [[line.text for line in some] for some in (full, without, lines)]
        chosen = stable(texts[0], texts[1], texts[2] if lines else texts[1] if view.typed else None)
        if chosen is texts[2]:
            document = view.parsed.snapshot.lines
            return [line.where_it_is(document) for line in lines]
        lines = full if chosen is texts[0] else without
        if not view.parsed.n_errors:
            if len(self._sound) > _KEPT:
                self._sound.clear()
            self._sound[key] = view.scope.qualified_name, lines
        return lines

    def _block(self, view: CursorView, found: _Found, value: float) -> Block:
        is_here = found.module.uri == view.uri
        lines = self._typed(view, found) if is_here else self._skeleton(found)
        first = {i for i, line in enumerate(lines) if not line.name or line.name in view.words}
        kept = fitted([line.text for line in lines], first, view.settings.block_tokens)
        return Block(
            "class",
            found.name,
            "\n".join(lines[i].text for i in kept),
            value=value,
            editable=True,
            uri=found.module.uri,
            source=self.name,
            lines=tuple(lines[i].place for i in kept),
        )


def _class_in(parsed: Parsed, name: str) -> Scope | None:
    """The class of that qualified name (`Cart`, `Cart.Item`), outside functions."""
    first, _, rest = name.partition(".")
    scope = parsed.once(_top_classes).get(first)
    for part in rest.split(".") if rest else ():
        if scope is not None:
            scope = next((c for c in children(parsed, scope) if c.kind == "class" and c.name == part), None)
    return scope


def _top_classes(parsed: Parsed) -> dict[str, Scope]:
    return {scope.name: scope for scope in children(parsed, file_scope(parsed)) if scope.kind == "class"}


def _enclosing_name(view: CursorView) -> str | None:
    return next((scope.qualified_name for scope in enclosing(view.scope) if scope.kind == "class"), None)
