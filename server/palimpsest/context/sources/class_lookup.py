"""Which class a name means: one that is defined in the same file, or imported from the workspace.

In: a name as code writes it, the module that uses it, that module's imports.  Out: classes with the modules that define
them; re-exports are followed.  Owner of the parses of files that are not open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.context.sources.cached import children
from palimpsest.languages.modules import Modules
from palimpsest.syntax.names import imports
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import Scope, file_scope
from palimpsest.syntax.values import Import
from palimpsest.text.bounded import forget_oldest
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import FileText, WorkspaceFiles

_MAX_STEPS = 3
_MOST_MODULES = 32
"""Searched for one name: modules that import everything from each other can reach it in many ways."""
_MOST_PARSES = 128
_MOST_CHARACTERS = 4_000_000
"""Of the sources whose parses are cached."""


@dataclass(frozen=True, slots=True)
class ParsedModule:
    """A module of the workspace; `path` is None for a document that is no file."""

    name: str
    path: Path | None
    parsed: Parsed
    uri: str


@dataclass(frozen=True, slots=True)
class ClassDefinition:
    module: ParsedModule
    scope: Scope

    @property
    def name(self) -> str:
        return f"{self.module.name}.{self.scope.qualified_name}"


class ClassLookup:
    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._parsed: dict[Path, tuple[FileText, Parsed]] = {}

    def find(
        self, name: str, here: ParsedModule, imported: Sequence[Import], modules: Modules
    ) -> Iterator[ClassDefinition]:
        """The classes that `name` may mean in the module `here`; `imported` is what can be used there."""
        scope = _class_in(here.parsed, name)
        if scope is not None:
            yield ClassDefinition(here, scope)
            return
        head, _, last = name.rpartition(".")
        search = _Search(self, modules)
        for item in imported:
            if not head and item.name and item.bound in (name, "*"):
                module = modules.imported(item, here.name, here.path)
                yield from search.of(module, name if item.name == "*" else item.name, here)
            elif head and (item.alias or item.name or item.module) == head:
                module = modules.imported(item, here.name, here.path)
                if item.name is not None and module is not None:
                    module = f"{module}.{item.name}"
                yield from search.of(module, last, here)

    def module(self, name: str, near: ParsedModule, modules: Modules) -> ParsedModule | None:
        """A module of the workspace, parsed; None for any other, and for one that may not be read."""
        path = modules.file_of(name, near.path)
        text = self._files.source(path) if path is not None else None
        if path is None or text is None:
            return None
        known, parsed = self._parsed.pop(path, (None, None))
        if parsed is None or known is None or known.stamp != text.stamp:
            parsed = parse_text(text.text, near.parsed.language)
        self._parsed[path] = (text, parsed)
        forget_oldest(self._parsed, _MOST_PARSES, lambda cached: len(cached[0].text), _MOST_CHARACTERS)
        return ParsedModule(name, path, parsed, to_uri(path))


class _Search:
    """For one name.  No module is asked for the same class twice."""

    def __init__(self, lookup: ClassLookup, modules: Modules) -> None:
        self._lookup = lookup
        self._modules = modules
        self._asked = set[tuple[str, str]]()

    def of(self, module: str | None, name: str, near: ParsedModule, steps: int = 0) -> Iterator[ClassDefinition]:
        """The class that is called `name` in a module: defined there, or imported from another one."""
        if module is None or steps > _MAX_STEPS or (module, name) in self._asked or len(self._asked) >= _MOST_MODULES:
            return
        self._asked.add((module, name))
        there = self._lookup.module(module, near, self._modules)
        if there is None:
            return
        scope = _class_in(there.parsed, name)
        if scope is not None:
            yield ClassDefinition(there, scope)
            return
        for item in imports(there.parsed):
            if item.name and item.bound in (name, "*"):
                source = self._modules.imported(item, there.name, there.path)
                yield from self.of(source, name if item.name == "*" else item.name, there, steps + 1)


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
