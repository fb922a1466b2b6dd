"""Blocks for names that the editing block uses and nothing in its file explains: a class or function that is defined in
exactly one place of the workspace.

In: a view, the index of names.  Out: `class` blocks like those of imported classes, and `package` blocks with the
signatures of functions.  A person who has not written the import yet gets them, and so does code in a language that
imports nothing by name.  In doubt there is no block: where several places define the name, where the file binds it
somewhere, where it imports everything of a module, and until every file is in the index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.context.sources.cached import visible
from palimpsest.context.sources.fit import fitted
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.skeleton import Line, skeleton
from palimpsest.context.sources.source import Source
from palimpsest.context.values import worth
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition, NameIndex
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.unknown import bound_in
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.kept import Kept

MOST_NAMES = 40
"""That the index is asked for."""
MOST_BLOCKS = 6
SHORTEST = 3
_MOST_KEPT = 64
_MOST_CHARACTERS = 2_000_000


class ElsewhereSource(Source):
    name = "elsewhere"
    setting = "class"

    def __init__(self, files: WorkspaceFiles, modules: ModulesByLanguage, index: NameIndex | None) -> None:
        self._files = files
        self._modules = modules
        self._index = index
        self._read = Kept[tuple[Path, str], Sequence[Line]](_MOST_KEPT, _MOST_CHARACTERS)
        self._offered: dict[str, tuple[IndexedDefinition, ...]] = {}

    def candidates(self, view: CursorView) -> list[Block]:
        functions, found = defaultdict[Path, list[IndexedDefinition]](list), list[Block]()
        for definition in self._only_places(view):
            if definition.kind == "class":
                block = self._class(view, definition, worth("class", "elsewhere", rank=len(found)))
                found += [block] if block is not None else []
            else:
                functions[definition.path].append(definition)
        for rank, some in enumerate(functions.values()):
            found.append(self._functions(view, some, worth("module", "elsewhere", rank=rank)))
        return found[:MOST_BLOCKS]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the definitions are what they were."""
        known = self._offered.get(block.name)
        if known is None or self._index is None:
            return False
        now = [self._still(definition) for definition in known]
        definitions = [definition for definition in now if definition is not None]
        if len(definitions) < len(known):
            return False
        if block.type != "class":
            return self._functions(view, definitions, 0.0).text == block.text
        again = self._class(view, definitions[0], 0.0)
        return again is not None and again.text == block.text

    def _still(self, definition: IndexedDefinition) -> IndexedDefinition | None:
        outline = (self._index.outline(definition.path) if self._index is not None else None) or ()
        return next((now for now in outline if now.qualified_name == definition.qualified_name), None)

    def _only_places(self, view: CursorView) -> Iterator[IndexedDefinition]:
        """The only definition of each name that the file does not explain, in order of the names."""
        index = self._index
        if index is None or not index.is_complete or any(item.bound == "*" for item in view.imports):
            return
        for name in self._unexplained(view)[:MOST_NAMES]:
            found = {
                (it.path, it.qualified_name): it
                for it in index.definitions(name, [view.parsed.language.id])
                if not it.qualified_name.endswith(f"{name}.{name}")  # a constructor
            }
            only = next(iter(found.values())) if len(found) == 1 else None
            if only is None or only.path == view.path or not self._is_for_all(only):
                continue
            if name not in view.parsed.once(_bound):
                yield only

    def _is_for_all(self, definition: IndexedDefinition) -> bool:
        """Whether it is a class or function of a file or namespace, which others can use by its name."""
        around = definition.qualified_name.rpartition(".")[0]
        outline = (self._index.outline(definition.path) if around and self._index is not None else None) or ()
        return definition.kind in ("class", "function") and not any(
            other.kind == "class" and f"{around}.".startswith(f"{other.qualified_name}.") for other in outline
        )

    def _unexplained(self, view: CursorView) -> list[str]:
        language = view.parsed.language
        known = language.builtins | language.common_words | {item.bound for item in view.imports} | view.cell_names
        known |= {item.name.rpartition(".")[2] for item in visible(view.parsed, view.scope)}
        return sorted(name for name in view.used if len(name) >= SHORTEST and name not in known)

    def _class(self, view: CursorView, definition: IndexedDefinition, value: float) -> Block | None:
        lines = self._lines(definition)
        if not lines:
            return None
        first = {i for i, line in enumerate(lines) if not line.name or line.name in view.words}
        kept = fitted([line.text for line in lines], first, view.settings.block_tokens)
        name = f"{self._module(view, definition)}.{definition.qualified_name}"
        self._offer(name, [definition])
        return Block(
            "class",
            name,
            "\n".join(lines[i].text for i in kept),
            value=value,
            editable=True,
            uri=to_uri(definition.path),
            source=self.name,
            lines=tuple(lines[i].document_line for i in kept),
        )

    def _functions(self, view: CursorView, definitions: Sequence[IndexedDefinition], value: float) -> Block:
        mark = next(iter(view.parsed.language.lexical.line_comments), "")
        lines = [f"{it.signature}  {mark} {it.doc}" if it.doc and mark else it.signature for it in definitions]
        name = self._module(view, definitions[0])
        self._offer(name, definitions)
        kept = fitted(lines, set(range(len(lines))), view.settings.block_tokens)
        return Block("package", name, "\n".join(lines[i] for i in kept), value=value, source=self.name)

    def _module(self, view: CursorView, definition: IndexedDefinition) -> str:
        return self._modules.of(view).name_of(definition.path, self._files.root_of(definition.path))

    def _offer(self, name: str, definitions: Sequence[IndexedDefinition]) -> None:
        self._offered.pop(name, None)
        self._offered[name] = tuple(definitions)
        while len(self._offered) > _MOST_KEPT:
            del self._offered[next(iter(self._offered))]

    def _lines(self, definition: IndexedDefinition) -> Sequence[Line]:
        """The skeleton of a class as its file is now; empty if it is not there."""
        source = self._files.source(definition.path)
        if source is None:
            return ()

        def made() -> Sequence[Line]:
            language = language_of(definition.language, definition.path.name)
            parsed = parse_snapshot(Snapshot(source.uri, 0, language.id, source.text), language)
            return _skeleton(parsed, definition)

        return self._read.get((definition.path, definition.qualified_name), source, made)


def _skeleton(parsed: Parsed, definition: IndexedDefinition) -> Sequence[Line]:
    found = (s for s in scopes(parsed) if s.kind == "class" and s.qualified_name == definition.qualified_name)
    scope = next(found, None)
    return () if scope is None else tuple(skeleton(parsed, scope))


def _bound(parsed: Parsed) -> set[str]:
    return bound_in(parsed, 0, parsed.snapshot.line_count)
