"""`class` blocks: the class around the cursor, and the classes that the code there uses.

In: a view.  Out: editable blocks named `shop.cart.Cart` with the class's members and signatures.  Candidates are the
enclosing class and its bases, the classes of parameters and attributes, and every class that the editing block names,
defined in this file or imported from the workspace.  Classes of installed packages are in `package` blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.context.sources.cached import visible
from palimpsest.context.sources.class_lookup import ClassDefinition, ClassLookup, ParsedModule
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
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import enclosing, signature
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

MAX_CLASSES = 12
_MOST_SKELETONS = 128
_WORD = re.compile(r"[^\W\d]\w*")


class ClassSource(Source):
    """Owner of the skeletons of classes, and of how they looked when their file last parsed without errors."""

    name = "class"
    setting = "class"

    def __init__(self, files: WorkspaceFiles, modules: ModulesByLanguage) -> None:
        self._lookup = ClassLookup(files)
        self._modules = modules
        self._skeletons: dict[tuple[str, str], tuple[Parsed, list[Line]]] = {}
        self._sound: dict[tuple[str, str], tuple[str, list[Line]]] = {}

    def candidates(self, view: CursorView) -> list[Block]:
        found = dict[str, Block]()
        here, modules = self._here(view), self._modules.of(view)
        for rank, (name, value) in enumerate(self._named(view, here)):
            for target in self._lookup.find(name, here, view.imports, modules):
                if not self._is_shown(view, target):
                    block = self._block(view, target, value - rank * PER_RANK)
                    found.setdefault(block.name, block)
            if len(found) >= MAX_CLASSES:
                break
        return list(found.values())

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the file defines or imports the class, and its block's text is the same."""
        here, modules = self._here(view), self._modules.of(view)
        last = block.name.rpartition(".")[2]
        bound = {last, *(found.bound for found in view.imports if found.name == last)}
        heads = {found.module for found in view.imports if found.name is None}
        names = [*bound, *(f"{head}.{last}" for head in heads), _enclosing_name(view) or last]
        for name in names:
            for target in self._lookup.find(name, here, view.imports, modules):
                if target.name == block.name and self._block(view, target, 0.0).text == block.text:
                    return True
        return False

    def _here(self, view: CursorView) -> ParsedModule:
        name = self._modules.name_of(view) or "untitled"
        return ParsedModule(name, view.path, view.parsed, view.uri)

    def _named(self, view: CursorView, here: ParsedModule) -> Iterator[tuple[str, float]]:
        """Names that may be classes, as the code writes them, each with its value; most valuable first."""
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
            behind_name = words.index(around.name) + 1 if around.name in words else 0
            yield from ((name, BASE_CLASS) for name in words[behind_name:])
            for item in visible(view.parsed, around):
                if item.kind == "attribute" and item.line != view.position.line:
                    yield from ((name, ATTRIBUTE_CLASS) for name in _WORD.findall(item.signature.partition(":")[2]))

    def _dotted(self, view: CursorView) -> Iterator[str]:
        """Names such as `item.Item`, for modules that the editing block uses."""
        for found in view.imports:
            if found.bound in view.used:
                head = found.bound if found.name is not None or found.alias else found.module
                yield from (f"{head}.{name}" for name in view.shown_attributes_of(head))

    def _is_shown(self, view: CursorView, found: ClassDefinition) -> bool:
        """Whether the editing block shows the class itself."""
        if found.module.uri != view.uri:
            return False
        return found.scope.def_line in view.shown_lines and view.scope.kind != "file"

    def _skeleton(self, found: ClassDefinition) -> list[Line]:
        """Of a class in another file; cached with its parse."""
        key = found.module.uri, found.scope.qualified_name
        known = self._skeletons.get(key)
        if known is None or known[0] is not found.module.parsed:
            if len(self._skeletons) > _MOST_SKELETONS:
                self._skeletons.clear()
            known = self._skeletons[key] = found.module.parsed, skeleton(found.module.parsed, found.scope)
        return known[1]

    def _typed(self, view: CursorView, found: ClassDefinition) -> list[Line]:
        """The skeleton of a class in the document.

        A half-written statement may hide what follows it from the parser.  So the last skeleton without errors is used
        until the document parses again, while the cursor stays in one scope.  So is that of a member being edited.
        """
        key = view.uri, found.scope.qualified_name
        where, lines = self._sound.get(key, ("", []))
        if view.parsed.n_errors and lines and where == view.scope.qualified_name:
            document = view.parsed.snapshot.lines
            return [line.checked(document) for line in lines]
        full = skeleton(view.parsed, found.scope)
        without = skeleton(view.parsed, found.scope, view.position.line)
        texts = [[line.text for line in some] for some in (full, without, lines)]
        chosen = stable(texts[0], texts[1], texts[2] if lines else texts[1] if view.typed else None)
        if chosen is texts[2]:
            document = view.parsed.snapshot.lines
            return [line.checked(document) for line in lines]
        lines = full if chosen is texts[0] else without
        if not view.parsed.n_errors:
            if len(self._sound) > _MOST_SKELETONS:
                self._sound.clear()
            self._sound[key] = view.scope.qualified_name, lines
        return lines

    def _block(self, view: CursorView, found: ClassDefinition, value: float) -> Block:
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
            lines=tuple(lines[i].document_line for i in kept),
        )


def _enclosing_name(view: CursorView) -> str | None:
    return next((scope.qualified_name for scope in enclosing(view.scope) if scope.kind == "class"), None)
