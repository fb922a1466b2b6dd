"""Blocks for names that the editing block uses and nothing in its file explains: a class, function or method that is
defined in exactly one place of the workspace.

In: a view, the index of names.  Out: `class` blocks like those of imported classes, and `package` blocks with the
signatures of functions and methods.  A person who has not written the import yet gets them, and so does code in a
language that imports nothing by name.  Three ways lead to a definition: a name that stands alone, whose definition is
the only one outside of classes; `Head.name`, where one place defines a `name` of a `Head`; the name of a method that is
called, if it is of several words or long and defined once.  In doubt there is no block: where several places define the
name, where the file binds it somewhere, where what is imported as a whole has it, and until every file is in the index.
What tests define is for tests.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from palimpsest.context.estimate import fitted
from palimpsest.context.name_uses import NameUse, names_that_come_with
from palimpsest.context.sources.cached import ReadFiles, visible
from palimpsest.context.sources.indexed import (
    INCOMPLETE,
    NOWHERE,
    SEVERAL,
    IndexedDefinitions,
    owner_of,
    written,
)
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.skeleton import Line, skeleton
from palimpsest.context.sources.source import Source
from palimpsest.context.values import worth
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition
from palimpsest.languages.registry import language_of
from palimpsest.newest import Newest
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.unknown import bound_in
from palimpsest.text.uris import to_uri
from palimpsest.types import Block

MOST_NAMES = 40
"""The index is asked for at most this many names."""
MOST_BLOCKS = 12
SHORTEST = 3


class ElsewhereSource(Source):
    name = "elsewhere"
    setting = "class"

    def __init__(self, definitions: IndexedDefinitions, modules: ModulesByLanguage, read: ReadFiles) -> None:
        self._definitions = definitions
        self._files = definitions.files
        self._modules = modules
        self._read = read
        self._offered = Newest[str, Sequence[IndexedDefinition]]()

    def candidates(self, view: CursorView) -> list[Block]:
        if not self._definitions.is_complete:
            return []
        functions, blocks = defaultdict[str, list[IndexedDefinition]](list), list[Block]()
        every = (*self._alone(view), *self._qualified(view), *self._called(view))
        for definition in {(one.path, one.qualified_name): one for one in every}.values():
            if definition.kind == "class":
                block = self._class(view, definition, worth("class", "elsewhere", rank=len(blocks)))
                blocks += [block] if block is not None else []
            elif definition.kind != "namespace":
                functions[self._definitions.module(view, definition)].append(definition)
        for rank, some in enumerate(functions.values()):
            blocks.append(self._functions(view, some, worth("module", "elsewhere", rank=rank)))
        return blocks[:MOST_BLOCKS]

    def why_not(self, view: CursorView, name: str) -> str:
        if not self._definitions.is_complete:
            return INCOMPLETE
        if name in self._imported(view):
            return "this file imports it"
        if name in view.used:
            if len(name) < SHORTEST:
                return "it is too short to be looked for"
            meant = self._meant(view, name) if name in self._unexplained(view) else "this file or the language has it"
            return meant if isinstance(meant, str) else "other names come before it"
        if name in self._known(view):
            return "this file or the language has it"
        if not any(_may_be_method(view, use) for use in view.name_uses if use.name == name):
            return "as a member it is looked for where it is called, and long or of several words"
        definitions = self._definitions.of(view, name)
        only = self._definitions.one(view, definitions)
        if only is None:
            return SEVERAL if definitions else NOWHERE
        return f"the block of {owner_of(only)} has it, if it is there" if only.kind == "method" else "it is no method"

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the definitions are what they were."""
        known = self._offered.get(block.name)
        if known is None:
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
        outline = self._definitions.outline(definition.path)
        return next((now for now in outline if now.qualified_name == definition.qualified_name), None)

    def _alone(self, view: CursorView) -> Iterator[IndexedDefinition]:
        """The only definition of each name that stands alone and that the file does not explain, in order of names."""
        for name in self._unexplained(view)[:MOST_NAMES]:
            meant = self._meant(view, name)
            if not isinstance(meant, str):
                yield meant

    def _meant(self, view: CursorView, name: str) -> IndexedDefinition | str:
        """What a name means that stands alone, or why nobody can tell."""
        definitions = self._definitions.of(view, name)
        if view.parsed.language.global_names:  # then what is inside of another one is called by both names
            definitions = [it for it in definitions if it.qualified_name == name] or definitions
        if not definitions:
            return NOWHERE
        if any(it.path == view.path for it in definitions) or name in view.parsed.once(_bound):
            return "this file defines or binds it"
        only = self._definitions.one(view, definitions)
        if only is None:
            return SEVERAL
        if not self._is_for_all(only):
            return "what defines it can hardly be meant by the name alone"
        return "a module whose names are all at hand offers it" if self._is_offered(view, only) else only

    def _qualified(self, view: CursorView) -> Iterator[IndexedDefinition]:
        """What `Head.name` means where one file defines a `name` of a `Head` that the file neither imports nor has."""
        own = {scope.name for scope in scopes(view.parsed) if scope.kind == "class"} | self._imported(view)
        uses = dict.fromkeys((use.head, use.name) for use in view.name_uses if use.head and use.head not in own)
        for head, name in list(uses)[:MOST_NAMES]:
            tails = tuple(
                f".{head}.{part}{name}" for part in ("", *(f"{part}." for part in view.parsed.language.class_parts))
            )
            definitions = [it for it in self._definitions.of(view, name) if f".{it.qualified_name}".endswith(tails)]
            if definitions and {it.path for it in definitions} == {definitions[0].path} != {view.path}:
                yield next((it for it in definitions if it.kind == "class"), definitions[0])

    def _called(self, view: CursorView) -> Iterator[IndexedDefinition]:
        """The only method of a name that is called: on something whose class nobody knows, or on what is inherited."""
        known = self._known(view)
        names = dict.fromkeys(use.name for use in view.name_uses if _may_be_method(view, use) and use.name not in known)
        for name in list(names)[:MOST_NAMES]:
            only = self._definitions.only(view, name)
            # The block of a class that the editing block names has its methods.
            if only is not None and only.kind == "method" and owner_of(only).rpartition(".")[2] not in view.used:
                yield only

    def _known(self, view: CursorView) -> frozenset[str]:
        """Names that mean no method of another file."""
        own = {scope.name for scope in scopes(view.parsed)} | view.parsed.once(_bound)
        return names_that_come_with(view.parsed.language) | own

    def _imported(self, view: CursorView) -> set[str]:
        return {item.bound for item in view.imports} - {"*"}

    def _is_offered(self, view: CursorView, definition: IndexedDefinition) -> bool:
        """Whether a module whose names all are at hand has a function or value of this name: its block says so."""
        modules, own = self._modules.of(view), self._modules.name_of(view)
        wholes = (item for item in (*view.imports, *modules.implied(own, view.path)) if item.name == "*")
        for module in dict.fromkeys(modules.imported(item, own, view.path) for item in wholes):
            description = modules.describe(module, frozenset(), view.path) if module is not None else None
            entry = description.entry(definition.name) if description is not None else None
            if entry is not None and entry.kind != "class":
                return True
        return False

    def _is_for_all(self, definition: IndexedDefinition) -> bool:
        """Whether it is a class or function of a file or namespace, which others can use by its name."""
        return definition.kind in ("class", "function") and not self._definitions.is_in_class(definition)

    def _unexplained(self, view: CursorView) -> list[str]:
        language = view.parsed.language
        known = language.builtins | language.common_words | self._imported(view) | view.cell_names
        known |= {item.name.rpartition(".")[2] for item in visible(view.parsed, view.scope)}
        return sorted(name for name in view.used if len(name) >= SHORTEST and name not in known)

    def _class(self, view: CursorView, definition: IndexedDefinition, value: float) -> Block | None:
        own, *others = (self._lines(part) for part in self._definitions.parts(view, definition))
        if not own:
            return None
        lines = [*own, *(replace(line, document_line=None) for part in others for line in part)]
        first = {i for i, line in enumerate(lines) if not line.name or line.name in view.words}
        indexes = fitted([line.text for line in lines], first, view.settings.block_tokens)
        name = f"{self._definitions.module(view, definition)}.{definition.qualified_name}"
        self._offered[name] = [definition]
        return Block(
            "class",
            name,
            "\n".join(lines[i].text for i in indexes),
            value=value,
            editable=True,
            uri=to_uri(definition.path),
            source=self.name,
            lines=tuple(lines[i].document_line for i in indexes),
        )

    def _functions(self, view: CursorView, definitions: Sequence[IndexedDefinition], value: float) -> Block:
        mark = next(iter(view.parsed.language.lexical.line_comments), "")
        every = [each for it in definitions for each in self._definitions.overloads(it)]
        lines = [f"{written(it)}  {mark} {it.doc}" if it.doc and mark else written(it) for it in every]
        name = f"{self._definitions.module(view, definitions[0])} (used)"  # the module may have a block of its own
        self._offered[name] = definitions
        indexes = fitted(lines, set(range(len(lines))), view.settings.block_tokens)
        return Block("package", name, "\n".join(lines[i] for i in indexes), value=value, source=self.name)

    def _lines(self, definition: IndexedDefinition) -> Sequence[Line]:
        """The skeleton of a class as its file is now; empty if it is not there."""
        source = self._files.source(definition.path)
        if source is None:
            return ()
        language = language_of(definition.language, definition.path.name)
        parsed = self._read.parse(definition.path, source, language)
        classes = (s for s in scopes(parsed) if s.kind == "class" and s.qualified_name == definition.qualified_name)
        scope = next(classes, None)
        return () if scope is None else skeleton(parsed, scope)


def _may_be_method(view: CursorView, use: NameUse) -> bool:
    language = view.parsed.language
    is_member = use.head != "" or language.bare_members
    return is_member and use.is_telling and (use.is_called or language.bare_calls)


def _bound(parsed: Parsed) -> set[str]:
    return bound_in(parsed, 0, parsed.snapshot.line_count)
