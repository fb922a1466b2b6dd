"""Which class a name means: one that is defined in the same file, or imported from the workspace.

In: a name as code writes it, the module that uses it, that module's imports.  Out: classes with the modules that define
them; re-exports are followed.  Functions are found in the same way (`function_in`), for the classes in their headers.

"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palimpsest.context.sources.cached import ReadFiles, children, visible
from palimpsest.languages.modules import Modules
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import Visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import additions, aliases, enumerators, file_scope, signature
from palimpsest.syntax.values import Import, Scope
from palimpsest.workspace.files import FileText, WorkspaceFiles
from palimpsest.workspace.kept import Kept

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_MAX_STEPS = 3
_MOST_MODULES = 32
"""Searched for one name: modules that import everything from each other can reach it in many ways."""
_MOST_FILES = 64
"""At most this many files of one module are read."""


Pick = Callable[[Parsed, str], Scope | None]
"""What a name means in the file that defines it."""


@dataclass(frozen=True, slots=True)
class ParsedModule:
    """A module of the workspace; `path` is None for a document that is no file.  `modules` are those of the document
    that asks, whatever language this one is in."""

    name: str
    path: Path | None
    parsed: Parsed
    uri: str
    modules: Modules


@dataclass(frozen=True, slots=True)
class ClassDefinition:
    """A class, or a function, with the module that defines it."""

    module: ParsedModule
    scope: Scope

    @property
    def name(self) -> str:
        return f"{self.module.name}.{self.scope.qualified_name}"


class ClassLookup:
    def __init__(self, files: WorkspaceFiles, read: ReadFiles) -> None:
        self._files = files
        self._read = read
        self._classes = Kept[tuple[Path, Modules], frozenset[str]](64_000_000)

    def find(
        self, name: str, here: ParsedModule, imported: Sequence[Import] | None = None, pick: Pick | None = None
    ) -> Iterator[ClassDefinition]:
        """The classes that `name` may mean in the module `here`, or what `pick` finds; `imported` is what can be used
        there, where that is not what its file imports."""
        pick = pick or class_in
        scope, is_elsewhere = pick(here.parsed, name), False
        if scope is not None and not scope.adds:
            yield ClassDefinition(here, scope)
            return
        for definition in self._imported(name, here, imports(here.parsed) if imported is None else imported, pick):
            is_elsewhere = True
            yield definition
        if scope is not None and not is_elsewhere:
            yield ClassDefinition(here, scope)

    def _imported(
        self, name: str, here: ParsedModule, imported: Sequence[Import], pick: Pick
    ) -> Iterator[ClassDefinition]:
        head, _, last = name.rpartition(".")
        modules, search = here.modules, _Search(self, here.modules, pick)
        for item in (*imported, *modules.implied(here.name, here.path)):
            if not head and item.name and item.bound in (name, "*"):
                module = modules.imported(item, here.name, here.path)
                wanted = name if item.name == "*" else item.name
                classes = list(search.of(module, wanted, here))
                yield from classes or search.of_member(module, wanted, here)
            elif not head and modules.gives_wholes and item.name is None and item.bound == name:
                yield from search.of(modules.imported(item, here.name, here.path), "", here)
            elif head and (item.alias or item.name or item.module) == head:
                module = modules.imported(item, here.name, here.path)
                if item.name is None or module is None:
                    yield from search.of(module, last, here)
                else:
                    classes = list(search.of(modules.below(module, item.name), last, here))
                    yield from classes or search.of(module, f"{item.name}.{last}", here)
            elif head and item.name == "*":  # then the head is a class with another one in it
                yield from search.of(modules.imported(item, here.name, here.path), name, here)

    def additions(self, cls: ClassDefinition, here: ParsedModule) -> Sequence[tuple[ParsedModule, Scope]]:
        """What adds members to a class in other files of the workspace; `here` is the document as it is now."""
        about = "additions", here.modules, cls.name, cls.module.path, here.uri, here.parsed.snapshot.version
        return self._files.once(about, lambda: list(self._additions(cls, here)))

    def _additions(self, cls: ClassDefinition, here: ParsedModule) -> Iterator[tuple[ParsedModule, Scope]]:
        there, name, modules = cls.module, cls.scope.qualified_name, here.modules
        paths = modules.adding(name, there.name, there.path) if there.path is not None else ()
        for path in paths[:_MOST_FILES]:
            module = here if path == here.path else self._module(path, name, modules)
            if module is None:
                continue
            yield from ((module, part) for part in modules.parts(module.parsed, name, there.name))
            added = additions(module.parsed).get(name, ())
            if not added:
                continue
            meant = next(self._imported(name, module, imports(module.parsed), class_in), None)
            if meant is not None and (meant.module.path, meant.scope.qualified_name) == (there.path, name):
                yield from ((module, scope) for scope in added)

    def bases(self, cls: ClassDefinition) -> Iterator[ClassDefinition]:
        """The classes that one is derived from, as far as they are in the workspace."""
        declared = [(cls.module, cls.scope), *self.additions(cls, cls.module)]
        for there, scope in declared:
            for name in base_names(there.parsed, scope):
                yield from self.find(name, there)

    def again(self, found: ClassDefinition, here: ParsedModule) -> ClassDefinition | None:
        """The same class as it is now, None if it is gone; `here` is the document."""
        name = found.scope.qualified_name
        files = self.modules(found.module.name, name, found.module)
        for there in [here] if found.module.uri == here.uri else files:
            scope = class_in(there.parsed, name)
            if there.uri == found.module.uri and scope is not None:
                return ClassDefinition(there, scope)
        return None

    def _module(self, path: Path, having: str, modules: Modules) -> ParsedModule | None:
        text = self._files.source(path, having=(having.rpartition(".")[2],))
        if text is None:
            return None
        name = modules.name_of(path, self._files.root_of(path))
        return ParsedModule(name, path, self._parse(path, text, modules), text.uri, modules)

    def modules(self, name: str, cls: str, near: ParsedModule) -> Iterator[ParsedModule]:
        """The files of a module of the workspace, parsed; none of any other, and none that may not be read.  Of a
        module that has several files, those that have the name of the class in their text."""
        paths = near.modules.files_of(name, near.path)[:_MOST_FILES]
        having = (cls.rpartition(".")[2],) if cls and len(paths) > 1 else ()
        for path in paths:
            text = self._files.source(path, having=having)
            if text is not None:
                yield ParsedModule(name, path, self._parse(path, text, near.modules), text.uri, near.modules)

    def defining(self, name: str, cls: str, near: ParsedModule) -> Sequence[ParsedModule]:
        """The files of a module in which a class may be found, looked for once for each gathering."""
        about = "defining", near.modules, name, cls, near.path
        return self._files.once(about, lambda: list(self._defining(name, cls, near)))

    def _defining(self, name: str, cls: str, near: ParsedModule) -> Iterator[ParsedModule]:
        modules = near.modules
        if modules.searches_imports:
            yield from self.modules(name, cls, near)
            return
        paths = modules.files_of(name, near.path)[:_MOST_FILES]
        parts, last = cls.split("."), cls.rpartition(".")[2]
        wanted = {".".join(parts[: n + 1]) for n in range(len(parts))}
        known = self._files.once(("classes", modules), dict[Path, frozenset[str]])
        for path in paths:
            names = known.get(path)
            if names is None:
                # Of a file that nobody asked for yet only what has the name is parsed.
                text = self._files.source(path, having=() if (path, modules) in self._classes else (last,))
                if text is None:
                    continue
                names = self._classes.get((path, modules), text, partial(self._names_in, path, text, modules))
                known[path] = names
            if not wanted.isdisjoint(names) and (text := self._files.source(path)) is not None:
                yield ParsedModule(name, path, self._parse(path, text, modules), text.uri, modules)

    def _names_in(self, path: Path, text: FileText, modules: Modules) -> frozenset[str]:
        parsed = self._parse(path, text, modules)
        return frozenset((*parsed.once(_top_classes), *aliases(parsed), *enumerators(parsed)))

    def _parse(self, path: Path, text: FileText, modules: Modules) -> Parsed:
        return self._read.parse(path, text, modules.language_at(path))


class _Search:
    """The search for one name, which asks no module for the same class twice."""

    def __init__(self, lookup: ClassLookup, modules: Modules, pick: Pick) -> None:
        self._lookup = lookup
        self._modules = modules
        self._pick = pick
        self._asked = set[tuple[str, str]]()

    def of(self, module: str | None, name: str, near: ParsedModule, steps: int = 0) -> Iterator[ClassDefinition]:
        """The class that is called `name` in a module: defined there, or imported from another one.  With "", the class
        that the module is itself, or passes on of another one."""
        if module is None or steps > _MAX_STEPS or (module, name) in self._asked or len(self._asked) >= _MOST_MODULES:
            return
        self._asked.add((module, name))
        files = self._lookup.defining(module, name, near) if name else [*self._lookup.modules(module, "", near)]
        for there in files:
            given = self._modules.offered(there.parsed) or {}
            called = given.get(name, name) if name else self._modules.whole(there.parsed)
            scope = self._pick(there.parsed, called) if called else None
            if scope is not None and not scope.adds:
                yield ClassDefinition(there, scope)
                return
        for there in files:
            own = imports(there.parsed) if name and self._modules.searches_imports else ()
            for item in (*own, *self._modules.reexports(there.parsed)):
                if item.name and item.bound in (name, "*"):
                    source = self._modules.imported(item, there.name, there.path)
                    yield from self.of(source, name if item.name == "*" else item.name, there, steps + 1)

    def of_member(self, module: str | None, name: str, near: ParsedModule) -> Iterator[ClassDefinition]:
        """The class that `a.b.Cart` is, if there is no such module and the class has a member of this name, or the
        class of this name inside of it: an import may name what is in a class."""
        separator, around, cls = self._modules.separator, module or "", list[str]()
        if not separator or separator not in around or self._modules.files_of(around, near.path):
            return
        while separator in around and len(cls) < _MAX_STEPS:
            around, _, last = around.rpartition(separator)
            cls.insert(0, last)
            outer = ".".join(cls)
            inner = list(self.of(around, f"{outer}.{name}", near))
            yield from inner or (it for it in self.of(around, outer, near) if _has_member(it, name))


def _has_member(cls: ClassDefinition, name: str) -> bool:
    parsed = cls.module.parsed
    parts = [cls.scope, *(c for c in children(parsed, cls.scope) if c.name in parsed.language.class_parts)]
    inner = {child.name for part in parts for child in children(parsed, part)}
    return name in inner or any(
        name == item.name.rpartition(".")[2] for part in parts for item in visible(parsed, part)
    )


def class_in(parsed: Parsed, name: str) -> Scope | None:
    """The class of that qualified name (`Cart`, `Cart.Item`), outside functions."""
    classes, parts = parsed.once(_top_classes), name.split(".")
    known = (n for n in range(len(parts), 1, -1) if ".".join(parts[:n]) in classes)  # in a namespace
    n = next(known, 1)
    first = ".".join(parts[:n])
    other = aliases(parsed).get(first) or enumerators(parsed).get(first, "")
    scope = classes.get(first) or classes.get(other)
    for part in parts[n:]:
        if scope is not None:
            scope = next((c for c in children(parsed, scope) if c.kind == "class" and c.name == part), None)
    return scope


def function_in(parsed: Parsed, name: str) -> Scope | None:
    """The function of that name at the top of a file."""
    return parsed.once(_top_functions).get(name)


def _top_functions(parsed: Parsed) -> dict[str, Scope]:
    return {scope.name: scope for scope in children(parsed, file_scope(parsed)) if scope.kind == "function"}


def _top_classes(parsed: Parsed) -> dict[str, Scope]:
    """The classes outside of functions and other classes.  Of several of one name the last, but the one that declares
    the class before those that add to it, and those of the file before those of a namespace, which have their whole
    name too."""
    file = file_scope(parsed)
    classes = sorted(_outside(parsed, file), key=lambda scope: (scope.parent == file, not scope.adds))
    return {name: scope for scope in classes for name in (scope.qualified_name, scope.name)}


def _outside(parsed: Parsed, scope: Scope) -> Iterator[Scope]:
    for child in children(parsed, scope):
        if child.kind == "class":
            yield child
        elif child.kind == "namespace":
            inner = children(parsed, child) if parsed.language.mixes_namespaces else ()
            yield from [child] if any(one.kind == "function" for one in inner) else []
            yield from _outside(parsed, child)


def base_names(parsed: Parsed, scope: Scope) -> list[str]:
    """Names behind the class's own in its header, with and without what stands before their dots; those that it is
    derived from elsewhere in the file; in a language that embeds its bases, those of fields without a name of their
    own."""
    header = signature(parsed, scope)
    at = re.search(rf"\b{re.escape(scope.name)}\b", header) if scope.name and not scope.adds else None
    names = names_in(header[at.end() :] if at else header)
    embedded = [item.type for item in visible(parsed, scope) if item.kind == "attribute" and _ends_in(item)]
    others = [*sorted(parsed.language.bases(parsed, scope)), *(name for text in embedded for name in names_in(text))]
    return [name for name in dict.fromkeys([*names, *others]) if name != scope.name]


def names_in(text: str) -> list[str]:
    """`shop.Base` and `Base`, `Item`; `shop::Base` is the same."""
    names = _NAME.findall(text.replace("::", "."))
    return list(dict.fromkeys(part for name in names for part in (name, name.rpartition(".")[2])))


def _ends_in(item: Visible) -> bool:
    """Whether a field is called like its type: `Base` of `shop.Base`."""
    return item.type.rpartition(".")[2].strip("*") == item.name
