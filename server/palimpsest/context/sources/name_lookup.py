"""What classes, modules and other files have of names: whether a member exists, and what imports a name.

In: a view of a text, a name in it.  Out: names of members, imports; None where nobody can tell, so that whoever hides
what does not exist hides too little.  Reads files, so it is asked on the thread that gathers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from palimpsest.context.sources.class_lookup import ClassDefinition, ClassLookup, ParsedModule
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.view import CursorView
from palimpsest.languages.modules import Modules
from palimpsest.languages.name_index import IndexedDefinition, NameIndex
from palimpsest.languages.registry import kin_of
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import members_of
from palimpsest.syntax.naming import Named, is_one_of
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import members, parts, signature
from palimpsest.syntax.uses import uses
from palimpsest.syntax.values import Import, Scope
from palimpsest.workspace.files import WorkspaceFiles

MOST_STEPS = 8
"""From a class to a base of its bases."""
_LONGEST = 16
_LAST_WORD, _NEXT_WORD = re.compile(r"\b(\w+)\W{0,3}\Z"), re.compile(r"\s+(\w+)")
_CALLED = re.compile(r"(\w+)\s*\(")
Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Exported:
    """Whether another file exports a name, and how it is imported, None where nobody can tell."""

    exists: bool
    item: Import | None = None


class NameLookup:
    def __init__(
        self, files: WorkspaceFiles, modules: ModulesByLanguage, lookup: ClassLookup, index: NameIndex | None
    ) -> None:
        self._files = files
        self._modules = modules
        self._lookup = lookup
        self._index = index

    # Members
    def members(self, view: CursorView, named: Named) -> Names | None:
        """The members that may stand where one stands, in its class, its bases and what is added to them, or in its
        module."""
        parsed, language = view.parsed, view.parsed.language
        if language.dynamic_members is None:
            return None
        head = language.head(parsed, named.start, named.end)
        if any(item.bound == head or (item.name is None and item.module == head) for item in view.imports):
            return self._imported(view, head, named.name) if _is_import(parsed, head) else None
        if head and not _is_receiver(view, head) and _is_narrowed(parsed, head):
            return None
        owners = language.owners(parsed, named.start, named.end)
        found = [self._class(view, owner) for owner in sorted(owners - language.builtins)]
        if not found or any(names is None for names in found):
            return None
        found += [_built_in(language, owner) for owner in owners & language.builtins]
        if language.extensible:
            added = self._added(view, named.name)
            if added is None:
                return None
            found.append(added)
        # A value of an array's type has what its elements are among its owners' names, and not that it is an array.
        is_one = language.knows_builtins or _is_receiver(view, head) or is_one_of(parsed, head, owners)
        others = frozenset() if is_one else language.builtin_members
        return others.union(parsed.once(_assigned), *(names for names in found if names is not None))

    def _added(self, view: CursorView, name: str) -> Names | None:
        """The name itself where something in the workspace, or imported by name, may add it to any class; None where
        whatever is imported may."""
        index = self._index
        if index is None or not index.is_complete or any(item.name == "*" for item in view.imports):
            return None
        is_there = any(item.bound == name for item in view.imports)
        return frozenset({name}) if is_there or index.definitions(name, _related(view.parsed.language)) else frozenset()

    def _class(self, view: CursorView, name: str) -> Names | None:
        """The members of a class by its name in the document."""
        here, modules = self._here(view), self._modules.of(view)
        found = list(self._lookup.find(name, here, view.imports, modules))
        if not found:
            return view.parsed.language.base_members.get(name)
        return self._union(found, here, modules, MOST_STEPS)

    def _union(
        self, classes: Iterable[ClassDefinition], here: ParsedModule, modules: Modules, steps: int
    ) -> Names | None:
        found = set[str]()
        for one in classes:
            names = self._of_class(one, here, modules, steps)
            if names is None:
                return None
            found |= names
        return frozenset(found)

    def _of_class(self, found: ClassDefinition, here: ParsedModule, modules: Modules, steps: int) -> Names | None:
        if found.module.uri == here.uri and found.module is not here:  # by way of another file, it is found as it was
            found = self._lookup.again(found, here, modules) or found
        there, language = found.module.parsed, found.module.parsed.language
        added = list(self._lookup.additions(found, here, modules))
        declared = [*((there, part) for part in parts(there, found.scope)), *((m.parsed, s) for m, s in added)]
        names = set(language.object_members) | {found.scope.name}
        for parsed, scope in declared:
            if steps == 0 or not _is_plain(parsed, scope):
                return None
            names |= _own(parsed, scope)
            module = found.module if parsed is there else next(m for m, s in added if s is scope)
            for base in language.bases(parsed, scope) if scope.kind == "class" else ():
                classes = [
                    one
                    for one in self._lookup.find(base, module, imports(parsed), modules)
                    if (one.module.uri, one.scope.qualified_name) != (found.module.uri, found.scope.qualified_name)
                ]
                inherited = self._union(classes, here, modules, steps - 1) if classes else _built_in(language, base)
                if inherited is None:
                    return None
                names |= inherited
        return frozenset(names)

    def _imported(self, view: CursorView, head: str, name: str) -> Names | None:
        """The members of what an import binds."""
        here, modules = self._here(view), self._modules.of(view)
        for item in view.imports:
            if item.bound != head and (item.name is not None or item.module != head):
                continue
            module = modules.imported(item, here.name, view.path)
            if module is None or (item.name is None and not item.alias and head != item.module):
                return None
            if item.name is not None:
                below = modules.below(module, item.name)
                if below is None or not modules.is_own(below, view.path):
                    return self._class(view, head)
                module = below
            return self._of_module(view, module, name)
        return None

    def _of_module(self, view: CursorView, module: str, name: str) -> Names | None:
        language, modules = view.parsed.language, self._modules.of(view)
        dynamic = frozenset(word for word in language.dynamic_members or () if word.isidentifier())
        found = modules.describe(module, frozenset({name}) | dynamic, view.path)
        if found is None or not found.public or not found.knows(frozenset({name}) | dynamic):
            return None
        if any(found.looked_up.get(one) is not None for one in dynamic) or not self._is_closed(view, module):
            return None
        known = {one for one, entry in found.looked_up.items() if entry is not None}
        below = {
            item.module.removeprefix(f"{module}{modules.separator}").partition(modules.separator or "\n")[0]
            for item in view.imports
            if item.module.startswith(f"{module}{modules.separator}")
        }
        inner = modules.below(module, name)
        below |= {name} if inner is not None and modules.files_of(inner, view.path) else set()
        return language.object_members.union(found.public, known, below)

    def _is_closed(self, view: CursorView, module: str) -> bool:
        """Whether all that a module passes on from others is found: everything of a module nobody can read is not."""
        modules = self._modules.of(view)
        for there in self._lookup.modules(module, "", self._here(view), modules):
            for item in (*imports(there.parsed), *modules.reexports(there.parsed)):
                source = modules.imported(item, there.name, there.path) if item.name == "*" else module
                if source is None or (item.name == "*" and not modules.files_of(source, there.path)):
                    return False
        return True

    def _here(self, view: CursorView) -> ParsedModule:
        return ParsedModule(self._modules.name_of(view) or "untitled", view.path, view.parsed, view.uri)

    # Imports
    def exported(self, view: CursorView, name: str) -> Exported | None:
        """Whether another file of the workspace exports a name, or imports it from wherever it is from."""
        if not view.roots:
            return Exported(False)
        index = self._index
        if index is None or not index.is_complete:
            return None
        kin = _related(view.parsed.language)
        outer = [one for one in index.definitions(name, kin) if self._is_outer(view, one)]
        defined = [one for one in outer if self._is_offered(view, one)]
        imported = [one.item for one in index.importing(name, kin) if one.path != view.path]
        imported = [item for item in imported if item.bound == name and item.name != "*"]
        is_inside = view.path is None or self._files.root_of(view.path) is not None
        item = self._import(view, name, defined, imported) if is_inside else None
        return Exported(bool(outer or imported), item)

    def _import(
        self, view: CursorView, name: str, defined: Sequence[IndexedDefinition], imported: Sequence[Import]
    ) -> Import | None:
        """As most other files write it, unless that depends on where they are; else by the only place that defines
        it."""
        modules = self._modules.of(view)
        common = Counter(
            replace(item, line=-1) for item in imported if not item.level and not item.module.startswith(".")
        )
        places = {one.path for one in defined}
        best = common.most_common(2)
        item = best[0][0] if len(best) == 1 or (best and best[0][1] > best[1][1]) else None
        if len(places) == 1 and not common:
            item = modules.import_of(name, places.pop(), view.parsed, view.path)
        seen = (*view.imports, *modules.implied(self._here(view).name, view.path))
        is_seen = item is not None and any(one.name == "*" and one.module == item.module for one in seen)
        return None if is_seen else item

    def _is_outer(self, view: CursorView, found: IndexedDefinition) -> bool:
        if found.kind not in ("class", "function") or found.path == view.path:
            return False
        around = found.qualified_name.rpartition(".")[0]
        outline = (self._index.outline(found.path) if around and self._index is not None else None) or ()
        return not any(one.kind == "class" and f"{around}.".startswith(f"{one.qualified_name}.") for one in outline)

    def _is_offered(self, view: CursorView, found: IndexedDefinition) -> bool:
        """Whether its file gives it to others by its name."""
        modules = self._modules.of(view)
        module = modules.name_of(found.path, self._files.root_of(found.path))
        for there in self._lookup.modules(module, "", self._here(view), modules):
            offered = modules.offered(there.parsed) if there.path == found.path else None
            if offered is not None:
                return found.name in offered
        return True


def _related(language: Language) -> list[str]:
    return [one.id for one in kin_of(language)]


def _is_import(parsed: Parsed, head: str) -> bool:
    """Whether nothing but imports binds a name."""
    first = head.partition(".")[0]
    return all(use.role == "import" for use in uses(parsed, first) if use.binds)


def _is_narrowed(parsed: Parsed, head: str) -> bool:
    """Whether the document looks at which class a value is of: it may be one that is derived from what is declared."""
    words, text = parsed.language.narrowing, parsed.snapshot.text
    for found in re.finditer(rf"{re.escape(head)}(?!\w)", text):
        before = _LAST_WORD.search(text[max(0, found.start() - _LONGEST) : found.start()])
        behind = _NEXT_WORD.match(text, found.end())
        if (before and before[1] in words) or (behind and behind[1] in words):
            return True
    return False


def _is_receiver(view: CursorView, head: str) -> bool:
    return bool(head) and head == view.parsed.language.receiver


def _is_plain(parsed: Parsed, scope: Scope) -> bool:
    """Whether nothing says that a class has members nobody wrote, and its bases are all names."""
    language = parsed.language
    text = "\n".join(parsed.snapshot.lines[scope.start_line : scope.end_line])
    if any(re.search(pattern, text) for pattern in language.dynamic_members or ()):
        return False
    header = signature(parsed, scope)
    at = re.search(rf"\b{re.escape(scope.name)}\b", header) if scope.name else None
    called = set(_CALLED.findall(header[at.end() :])) if at and scope.kind == "class" else set()
    return called <= language.bases(parsed, scope)


def _own(parsed: Parsed, scope: Scope) -> set[str]:
    """What a class defines, and what is assigned to a member of anything in its file."""
    language = parsed.language
    if scope.kind != "class":
        return {scope.name}
    found = {item.name for item in members_of(parsed, scope)} | {one.name for one in members(parsed, scope)}
    every = found | parsed.once(_assigned)
    return {name.removeprefix(language.sigil) for name in every if name} | every


def _assigned(parsed: Parsed) -> Names:
    marks = parsed.language.member_marks
    found = set[str]()
    for captures in parsed.matches("assignments"):
        for target in captures.get("target", ()):
            for name in parsed.language.bound(parsed, target):
                mark = next((mark for mark in marks if mark in name), None)
                found |= {name.rpartition(mark)[2]} if mark else set()
    return frozenset(found)


def _built_in(language: Language, name: str) -> Names | None:
    if name in language.base_members:
        return language.object_members | language.base_members[name]
    is_known = language.knows_builtins and name in language.builtins
    return language.object_members | language.builtin_members if is_known else None
