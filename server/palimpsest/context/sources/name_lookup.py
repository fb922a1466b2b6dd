"""What classes, modules and other files have of names: whether a member exists, and what imports a name.

In: a view of a text, a name in it.  Out: names of members, imports; None where nobody can tell, so that whoever hides
what does not exist hides too little.  Reads files, so it is asked on the thread that gathers.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palimpsest.context.sources.class_lookup import (
    ClassDefinition,
    ClassLookup,
    ParsedModule,
    class_in,
    function_in,
)
from palimpsest.context.sources.indexed import IndexedDefinitions
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition, NameIndex
from palimpsest.languages.registry import kin_of
from palimpsest.syntax.calls import Call
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import members_of
from palimpsest.syntax.naming import Named, is_one_of
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import children, file_scope, members, parts, signature
from palimpsest.syntax.uses import uses
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.positions import utf8

MOST_STEPS = 8
"""Bases of bases are followed for at most this many steps."""
READ_S = 0.05
"""Waited for a module that is still read."""
_OBJECT = "object"
_LONGEST = 16
_LAST_WORD, _NEXT_WORD = re.compile(r"\b(\w+)\W{0,3}\Z"), re.compile(r"\s+(\w+)")
_WORDS = re.compile(r"\w+")
_CALLED = re.compile(r"(\w+)\s*\(")
Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Exported:
    """Whether another file exports a name, and how it is imported, None where nobody can tell."""

    exists: bool
    item: Import | None = None


class NameLookup:
    """What is known of the names of one workspace, for the checks of completions."""

    def __init__(self, definitions: IndexedDefinitions, lookup: ClassLookup) -> None:
        self._definitions = definitions
        self._files = definitions.files
        self._modules = definitions.modules
        self._index = definitions.index
        self._lookup = lookup

    @property
    def _complete_index(self) -> NameIndex | None:
        """The index of names; None until every file is in it."""
        return self._index if self._definitions.is_complete else None

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
        members = [self._class(view, owner) for owner in sorted(owners - language.builtins)]
        if not members or any(names is None for names in members):
            return None
        members += [_built_in(language, owner) for owner in owners & language.builtins]
        if language.extensible:
            added = self._added(view, named.name)
            if added is None:
                return None
            members.append(added)
        # A value of an array's type has what its elements are among its owners' names, and not that it is an array.
        is_one = language.knows_builtins or _is_receiver(view, head) or is_one_of(parsed, head, owners)
        others = frozenset() if is_one else language.builtin_members
        return others.union(parsed.once(_assigned), *(names for names in members if names is not None))

    def _added(self, view: CursorView, name: str) -> Names | None:
        """The name itself where something in the workspace, or imported by name, may add it to any class; None where
        whatever is imported may."""
        index = self._complete_index
        if index is None or any(item.name == "*" for item in view.imports):
            return None
        is_there = any(item.bound == name for item in view.imports)
        return frozenset({name}) if is_there or index.definitions(name, _related(view.parsed.language)) else frozenset()

    def _class(self, view: CursorView, name: str) -> Names | None:
        """The members of a class by its name in the document."""
        here = self._modules.document(view)
        classes = list(self._lookup.find(name, here, view.imports))
        if not classes:
            return view.parsed.language.base_members.get(name)
        return self._union(classes, here, MOST_STEPS)

    def _union(self, classes: Iterable[ClassDefinition], here: ParsedModule, steps: int) -> Names | None:
        union = set[str]()
        for one in classes:
            names = self._of_class(one, here, steps)
            if names is None:
                return None
            union |= names
        return frozenset(union)

    def _of_class(self, cls: ClassDefinition, here: ParsedModule, steps: int) -> Names | None:
        if cls.module.uri == here.uri and cls.module is not here:  # by way of another file, it is found as it was
            cls = self._lookup.again(cls, here) or cls
        there, language = cls.module.parsed, cls.module.parsed.language
        own = ((cls.module, part) for part in parts(there, cls.scope))
        names = set(language.object_members) | {cls.scope.name}
        for module, scope in (*own, *self._lookup.additions(cls, here)):
            parsed = module.parsed
            if steps == 0 or not _is_plain(parsed, scope):
                return None
            names |= _own(parsed, scope)
            for base in language.bases(parsed, scope) if scope.kind == "class" else ():
                classes = [
                    one
                    for one in self._lookup.find(base, module)
                    if (one.module.uri, one.scope.qualified_name) != (cls.module.uri, cls.scope.qualified_name)
                ]
                inherited = self._union(classes, here, steps - 1) if classes else _built_in(language, base)
                if inherited is None:
                    return None
                names |= inherited
        return frozenset(names)

    def _imported(self, view: CursorView, head: str, name: str) -> Names | None:
        """The members of what an import binds."""
        here, modules = self._modules.document(view), self._modules.of(view)
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

    def _of_module(self, view: CursorView, module: str, name: str, *, is_closed: bool = False) -> Names | None:
        language, modules = view.parsed.language, self._modules.of(view)
        dynamic = frozenset(word for word in language.dynamic_members or () if word.isidentifier())
        description = modules.describe(module, frozenset({name}) | dynamic, view.path)
        if (
            description is None
            or not (description.public or description.read)
            or not description.knows(frozenset({name}) | dynamic)
        ):
            return None
        if not is_closed and any(description.looked_up.get(one) is not None for one in dynamic):
            return None
        if not self._is_closed(view, module):
            return None
        known = {one for one, entry in description.looked_up.items() if entry is not None}
        below = {
            item.module.removeprefix(f"{module}{modules.separator}").partition(modules.separator or "\n")[0]
            for item in view.imports
            if item.module.startswith(f"{module}{modules.separator}")
        }
        inner = modules.below(module, name)
        below |= {name} if inner is not None and modules.files_of(inner, view.path) else set()
        return language.object_members.union(description.public, known, below)

    def _is_closed(self, view: CursorView, module: str) -> bool:
        """Whether all that a module passes on from others is found: everything of a module nobody can read is not."""
        modules = self._modules.of(view)
        for there in self._lookup.modules(module, "", self._modules.document(view)):
            for item in (*imports(there.parsed), *modules.reexports(there.parsed)):
                source = modules.imported(item, there.name, there.path) if item.name == "*" else module
                if source is None or (item.name == "*" and not modules.files_of(source, there.path)):
                    return False
        return True

    # Imports and calls
    def lacks(self, view: CursorView, item: Import) -> Literal["", "module", "name"]:
        """What an import names that certainly does not exist."""
        here, modules = self._modules.document(view), self._modules.of(view)
        if self._is_usual(view, item):
            return ""
        if modules.lacks(item, here.name, view.path):
            return "module"
        module = modules.imported(item, here.name, view.path) if item.name not in (None, "*") else None
        return "name" if module is not None and self._is_without(view, module, item.name or "", MOST_STEPS) else ""

    def _is_usual(self, view: CursorView, item: Import) -> bool:
        """Whether another file has the same import: a tool may make what it means."""
        index, words = self._index, _WORDS.findall(item.name or item.module)
        if index is None or not words or item.level or item.module.startswith("."):
            return False
        others = (
            one.item for one in index.importing(words[-1], _related(view.parsed.language)) if one.path != view.path
        )
        return any((one.module, one.name, one.level) == (item.module, item.name, 0) for one in others)

    def _is_without(self, view: CursorView, module: str, name: str, steps: int) -> bool:
        """Whether a module certainly has no such name; of a part of a module that has no file, whether there is no
        such part."""
        modules = self._modules.of(view)
        if not modules.is_closed(module, view.path):
            outer, _, last = module.rpartition(modules.separator) if modules.separator else ("", "", "")
            is_part = bool(outer) and not modules.files_of(module, view.path) and modules.is_own(outer, view.path)
            return is_part and steps > 0 and self._is_without(view, outer, last, steps - 1)
        names = self._of_module(view, module, name, is_closed=True)
        if names is None and modules.wait(READ_S):
            names = self._of_module(view, module, name, is_closed=True)
        if names is None or name in names or modules.may_be_made(name, module, names, view.path):
            return False
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        texts = (one.parsed.snapshot.text for one in self._lookup.modules(module, "", self._modules.document(view)))
        return not any(word.search(text) for text in texts)

    def keywords(self, view: CursorView, call: Call) -> Names | None:
        """The names by which what is called takes arguments; None where nobody can tell."""
        parsed, language = view.parsed, view.parsed.language
        here, end = self._modules.document(view), call.name_start + len(utf8(call.name))
        modules = here.modules
        before = parsed.snapshot.utf8[max(0, call.name_start - _LONGEST) : call.name_start].decode("utf-8", "ignore")
        if not before.rstrip(" \t").endswith((*language.member_marks, "::")):
            if not _is_fixed(parsed, call.name):
                return None
            callables = list(self._lookup.find(call.name, here, view.imports, _callable_in))
            item = next((one for one in view.imports if one.bound == call.name and one.name), None)
            module = modules.imported(item, here.name, view.path) if item is not None and not callables else None
            return (
                self._keywords_of(callables, here) if module is None else self._described_keywords(view, module, item)
            )
        head = language.head(parsed, call.name_start, end)
        item = next((one for one in view.imports if head and (one.alias or one.name or one.module) == head), None)
        owners = language.owners(parsed, call.name_start, end)
        if owners and item is None:
            classes = [one for owner in owners for one in self._lookup.find(owner, here, view.imports)]
            return self._of_method(classes, call.name, here, MOST_STEPS) if len(owners) == 1 else None
        module = modules.imported(item, here.name, view.path) if item is not None else None
        if item is None or module is None or not _is_import(parsed, head):
            return None
        module = modules.below(module, item.name) if item.name is not None else module
        callables = list(self._lookup.find(f"{head}.{call.name}", here, view.imports, _callable_in))
        if callables or module is None:
            return self._keywords_of(callables, here)
        return self._described_keywords(view, module, Import(module, call.name, None, 0, -1))

    def _described_keywords(self, view: CursorView, module: str, item: Import | None) -> Names | None:
        """The arguments' names by the description of a module that is not the workspace's."""
        modules, name = self._modules.of(view), item.name if item is not None else None
        if not name or modules.is_own(module, view.path):
            return None
        description = modules.describe(module, frozenset({name}), view.path)
        if description is None and modules.wait(READ_S):
            description = modules.describe(module, frozenset({name}), view.path)
        entry = description.entry(name) if description is not None else None
        known = modules.keywords(module, entry) if entry is not None else None
        return None if known is None else known.names

    def _keywords_of(
        self, callables: Sequence[ClassDefinition], here: ParsedModule, steps: int = MOST_STEPS
    ) -> Names | None:
        """The arguments' names of the only function or class that is meant, whose other signatures count, too."""
        if len(callables) != 1 or steps == 0:
            return None
        module, scope = callables[0].module, callables[0].scope
        parsed, language = module.parsed, module.parsed.language
        beside = parsed.once(_file_level) if scope.parent is None else children(parsed, scope.parent)
        same = [one for one in beside if one.name == scope.name]
        if len(same) != 1 and not language.overloads:
            return None
        if scope.kind == "class":
            if language.overloads and self._lookup.additions(callables[0], here):
                return None
        elif language.overloads and not self._is_only_in(module, scope.name):
            return None
        names = set[str]()
        for one in same or [scope]:
            known = language.keywords(parsed, one)
            if known is None:
                return None
            names |= known.names
            for base in language.bases(parsed, one) if known.inherited else ():
                if base == _OBJECT or base in language.base_members:
                    continue
                classes = list(self._lookup.find(base, module))
                inherited = self._keywords_of(classes, here, steps - 1)
                if inherited is None:
                    return None
                names |= inherited
        return frozenset(names)

    def _of_method(self, classes: Sequence[ClassDefinition], name: str, here: ParsedModule, steps: int) -> Names | None:
        """The arguments' names of the method of a class, or else of one of its bases."""
        if len(classes) != 1 or steps == 0:
            return None
        module, cls = classes[0].module, classes[0].scope
        own = [one for one in members(module.parsed, cls) if one.name == name and one.kind == "function"]
        if own:
            return self._keywords_of([ClassDefinition(module, own[0])], here)
        bases = list(self._lookup.bases(classes[0]))
        return self._of_method(bases, name, here, steps - 1)

    def _is_only_in(self, module: ParsedModule, name: str) -> bool:
        index = self._complete_index
        return index is not None and all(
            one.path == module.path for one in index.definitions(name, _related(module.parsed.language))
        )

    # Imports
    def exported(self, view: CursorView, name: str) -> Exported | None:
        """Whether another file of the workspace exports a name, or imports it from wherever it is from."""
        if not view.roots:
            return Exported(False)
        index = self._complete_index
        if index is None:
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
        """The import of a name as most other files write it, unless that depends on where they are; else from the only
        place that defines it."""
        modules = self._modules.of(view)
        common = Counter(
            replace(item, line=-1) for item in imported if not item.level and not item.module.startswith(".")
        )
        places = {one.path for one in defined}
        best = common.most_common(2)
        item = best[0][0] if len(best) == 1 or (best and best[0][1] > best[1][1]) else None
        if len(places) == 1 and not common:
            item = modules.import_of(name, places.pop(), view.parsed, view.path)
        seen = (*view.imports, *modules.implied(self._modules.document(view).name, view.path))
        is_seen = item is not None and any(one.module == item.module and one.name in ("*", name) for one in seen)
        return None if is_seen else item

    def _is_outer(self, view: CursorView, definition: IndexedDefinition) -> bool:
        is_other = definition.kind in ("class", "function") and definition.path != view.path
        return is_other and not self._definitions.is_in_class(definition)

    def _is_offered(self, view: CursorView, definition: IndexedDefinition) -> bool:
        """Whether its file gives it to others by its name."""
        modules = self._modules.of(view)
        module = modules.name_of(definition.path, self._files.root_of(definition.path))
        for there in self._lookup.modules(module, "", self._modules.document(view)):
            offered = modules.offered(there.parsed) if there.path == definition.path else None
            if offered is not None:
                return definition.name in offered
        return True


def _related(language: Language) -> list[str]:
    return [one.id for one in kin_of(language)]


def _is_import(parsed: Parsed, head: str) -> bool:
    """Whether nothing but imports binds a name."""
    first = head.partition(".")[0]
    return all(use.role == "import" for use in uses(parsed, first) if use.binds)


def _is_fixed(parsed: Parsed, name: str) -> bool:
    """Whether a name means the same everywhere in the document: a function, a class or an import of the file."""
    binding = [use for use in uses(parsed, name) if use.binds]
    return all(use.role in ("function", "class", "import") for use in binding) and (
        len(binding) == 1
        or (parsed.language.overloads and bool(binding))
        or (not binding and parsed.language.global_names)
    )


def _callable_in(parsed: Parsed, name: str) -> Scope | None:
    return class_in(parsed, name) or function_in(parsed, name)


def _file_level(parsed: Parsed) -> list[Scope]:
    return children(parsed, file_scope(parsed))


def _is_narrowed(parsed: Parsed, head: str) -> bool:
    """Whether the document looks at which class a value is of: it may be one that is derived from what is declared."""
    words, text = parsed.language.narrowing, parsed.snapshot.text
    for match in re.finditer(rf"{re.escape(head)}(?!\w)", text):
        before = _LAST_WORD.search(text[max(0, match.start() - _LONGEST) : match.start()])
        behind = _NEXT_WORD.match(text, match.end())
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
    defined = {item.name for item in members_of(parsed, scope)} | {one.name for one in members(parsed, scope)}
    every = defined | parsed.once(_assigned)
    return {name.removeprefix(language.sigil) for name in every if name} | every


def _assigned(parsed: Parsed) -> Names:
    marks = parsed.language.member_marks
    names = set[str]()
    for captures in parsed.matches("assignments"):
        for target in captures.get("target", ()):
            for name in parsed.language.bound(parsed, target):
                mark = next((mark for mark in marks if mark in name), None)
                names |= {name.rpartition(mark)[2]} if mark else set()
    return frozenset(names)


def _built_in(language: Language, name: str) -> Names | None:
    if name in language.base_members:
        return language.object_members | language.base_members[name]
    is_known = language.knows_builtins and name in language.builtins
    return language.object_members | language.builtin_members if is_known else None
