"""Where a workspace defines a name, as sources ask the index: what tests define is for tests, constructors are none.

In: a view, names.  Out: definitions.
"""

from collections.abc import Sequence
from pathlib import Path

from palimpsest.context.sources.counterparts import Counterparts
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition, NameIndex
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Language
from palimpsest.workspace.files import WorkspaceFiles

SEVERAL, NOWHERE = "several places define it", "no file of the workspace that may be shown defines it"
MOST_OVERLOADS = 6
INCOMPLETE = "the index of names is not complete: it is being built, or off"


class IndexedDefinitions:
    """The definitions of one workspace; there are none until every file is in the index."""

    def __init__(self, files: WorkspaceFiles, modules: ModulesByLanguage, index: NameIndex | None) -> None:
        self.files = files
        self.modules = modules
        self.index = index
        self._counterparts = Counterparts(files)

    @property
    def is_complete(self) -> bool:
        return self.index is not None and self.index.is_complete

    def of(self, view: CursorView, name: str) -> Sequence[IndexedDefinition]:
        """The definitions of a name in the languages that the document's can use, looked up once while nothing
        changed."""
        is_test = view.path is not None and self.is_test(view.path, view.parsed.language)
        languages = self.modules.of(view).languages
        about = "definitions", name, languages, is_test, self.index.revision if self.index is not None else 0
        return self.files.seen(about, lambda: self._look_up(name, languages, is_test=is_test))

    def every(self, view: CursorView, name: str) -> Sequence[IndexedDefinition]:
        """All that the index has so far, those of tests and what is declared besides included."""
        return self.index.definitions(name, self.modules.of(view).languages) if self.index is not None else ()

    def only(self, view: CursorView, name: str) -> IndexedDefinition | None:
        """The only one of a name, if another file has it; of one that is defined in parts the first."""
        return self.one(view, self.of(view, name))

    def one(self, view: CursorView, definitions: Sequence[IndexedDefinition]) -> IndexedDefinition | None:
        """The first of some definitions, if all are of one thing that other files define: parts of a class, or what
        is defined once for each platform, stand in several files of one module."""
        if not definitions or any(it.path == view.path for it in definitions):
            return None
        first = definitions[0]
        if any((it.qualified_name, it.kind) != (first.qualified_name, first.kind) for it in definitions[1:]):
            return None
        return first if len(definitions) == 1 or len({self.module(view, it) for it in definitions}) == 1 else None

    def parts(self, view: CursorView, definition: IndexedDefinition) -> Sequence[IndexedDefinition]:
        """All that a definition is one of, itself first."""
        module = self.module(view, definition)
        others = (it for it in self.of(view, definition.name) if it != definition)
        same = [it for it in others if it.qualified_name == definition.qualified_name]
        return [definition, *(it for it in same if self.module(view, it) == module)]

    def module(self, view: CursorView, definition: IndexedDefinition) -> str:
        path = definition.path
        about = "module of", path, view.parsed.language.id
        return self.files.once(about, lambda: self.modules.of(view).name_of(path, self.files.root_of(path)))

    def is_in_class(self, definition: IndexedDefinition) -> bool:
        """Whether it is defined inside of a class of its file."""
        around = owner_of(definition)
        outline = self.outline(definition.path) if around else ()
        return any(it.kind == "class" and f"{around}.".startswith(f"{it.qualified_name}.") for it in outline)

    def overloads(self, definition: IndexedDefinition) -> Sequence[IndexedDefinition]:
        """What its file defines under its name, with other signatures, where a language has that."""
        if not language_of(definition.language, definition.path.name).overloads:
            return [definition]
        about = definition.qualified_name, definition.kind
        each = {it.signature: it for it in self.outline(definition.path) if (it.qualified_name, it.kind) == about}
        return list(each.values())[:MOST_OVERLOADS] or [definition]

    def outline(self, path: Path) -> Sequence[IndexedDefinition]:
        return (self.index.outline(path) if self.index is not None else None) or ()

    def _look_up(self, name: str, languages: Sequence[str], *, is_test: bool) -> Sequence[IndexedDefinition]:
        definitions = self.index.definitions(name, languages) if self.index is not None and self.is_complete else ()
        each = {(it.path, it.qualified_name, it.kind == "class"): it for it in definitions if not _is_constructor(it)}
        classes = {(path, qualified) for path, qualified, is_class in each if is_class}
        usable = [
            it
            for (path, qualified, is_class), it in each.items()
            if (is_class or (path, qualified) not in classes)
            and (is_test or not self.is_test(path, language_of(it.language, path.name)))
        ]
        declared = {it.qualified_name for it in usable if _is_in_header(it)}
        return [it for it in usable if it.qualified_name not in declared or _is_in_header(it)]

    def is_test(self, path: Path, language: Language) -> bool:
        return self.files.once(("is test", path), lambda: self._counterparts.is_test(path, language))


def owner_of(definition: IndexedDefinition) -> str:
    return definition.qualified_name.rpartition(".")[0]


def written(definition: IndexedDefinition) -> str:
    """A definition on one line, without the colon that a body would follow; a method with its class before it."""
    signature = definition.signature.rstrip(":")
    return f"{owner_of(definition)}: {signature}" if definition.kind == "method" else signature


def _is_in_header(definition: IndexedDefinition) -> bool:
    """Whether other files define it, too, which is no other definition."""
    return definition.path.suffix.lower() in language_of(definition.language).header_suffixes


def _is_constructor(definition: IndexedDefinition) -> bool:
    return definition.qualified_name.endswith(f"{definition.name}.{definition.name}")
