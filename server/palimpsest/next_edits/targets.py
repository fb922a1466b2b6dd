"""Pure: whether a use of a name refers to what was changed.

In: a file's parse, a use, the target.  Out: yes or no.  If in doubt no, since a wrong site costs more than a missed
one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around, class_name_around, enclosing, scope_at, scopes, with_aliases
from palimpsest.syntax.uses import Region, Use, uses
from palimpsest.syntax.values import Import


class Resolver(Protocol):
    """Knows which file an import means where its words alone do not tell."""

    def leads(self, parsed: Parsed, item: Import, home: Parsed, names: Collection[str]) -> bool:
        """Whether an import of a file gives what another one defines by one of the names."""

    def implied(self, parsed: Parsed) -> Sequence[Import]:
        """What a file sees without an import, as imports."""


@dataclass(frozen=True, slots=True)
class File:
    """A file's parse; `name` is its path relative to the workspace, `home` whether the change was made in it.
    `notebook`: the URI of that which it is a cell of, whose cells are one module."""

    parsed: Parsed
    name: str
    home: bool
    notebook: str = ""
    resolver: Resolver | None = None

    @property
    def uri(self) -> str:
        return self.parsed.snapshot.uri

    def is_beside(self, other: File) -> bool:
        """Whether both are cells of one notebook."""
        return bool(self.notebook) and self.notebook == other.notebook and not self.home

    def gives(self, use: Use, target: EditedName) -> bool:
        """Whether the import that a use is part of may provide what was changed."""
        if not use.source:
            return False
        named = (item for item in imports(self.parsed) if use.name in (item.name, item.bound))
        item = next(named, Import(use.source, use.name, None, 0, use.line))
        return self._names(use.source, target) or self._leads(item, target)

    def imports_from(self, item: Import, target: EditedName) -> bool:
        """Whether one of its imports may provide what the edited file defines."""
        language, home = self.parsed.language, target.home.name
        if item.name is None and language.means_module(item.bound, [item], self.name, language.module_name(home)):
            return True
        return self._names("." * item.level + item.module, target) or self._leads(item, target)

    def sees(self, file: str) -> bool:
        """Whether code in this file uses what another file defines without an import."""
        return self.parsed.language.sees(imports(self.parsed), self.name, file)

    def has_all_of(self, target: EditedName) -> bool:
        """Whether code in this file uses what the edited file defines by its plain name."""
        everything = [item for item in imports(self.parsed) if item.name == "*"]
        if self.resolver is not None:
            everything += self.resolver.implied(self.parsed)
        return self.sees(target.home.name) or any(self.imports_from(item, target) for item in everything)

    def means_module(self, head: str, target: EditedName) -> bool:
        """Whether `head`, as in `head.name`, refers to the edited file because of an import in this one."""
        language, items = self.parsed.language, imports(self.parsed)
        if language.means_module(head, items, self.name, language.module_name(target.home.name)):
            return True
        return any(item.bound == head and item.name is None and self._leads(item, target) for item in items)

    def _names(self, source: str, target: EditedName) -> bool:
        language = self.parsed.language
        return language.gives(source, self.name, language.module_name(target.home.name))

    def _leads(self, item: Import, target: EditedName) -> bool:
        names = {target.owner} if target.member else {target.name, target.now}
        return self.resolver is not None and self.resolver.leads(self.parsed, item, target.home.parsed, names)


@dataclass(frozen=True, slots=True)
class EditedName:
    """What a change is about.  `scope`: the class of a member, else the scope that binds the name.  `alone`: no other
    class of the workspace is known to have a member of that name.  `now`: its name in its file by now.  `declared`: its
    file only declares it; `private`: no other file sees it; `space`: as in `uses.Region`."""

    name: str
    scope: str
    member: bool
    home: File
    alone: bool = False
    now: str = ""
    declared: bool = False
    private: bool = False
    space: str = ""

    @property
    def owner(self) -> str:
        return self.scope.rpartition(".")[2]


def edited(name: str, scope: str, home: File, now: str = "") -> EditedName:
    """What is no member."""
    binding = [use for use in uses(home.parsed, now or name) if use.binds and use.belongs is not None]
    top = [use for use in binding if use.belongs is not None and use.belongs.kind == "file"]
    declared = any(use.declares for use in top)
    private = any(use.private for use in top) and not home.parsed.language.is_included(home.name)
    space = next((use.belongs.space for use in top if use.belongs is not None), "")
    return EditedName(name, scope, False, home, False, now or name, declared, private, space)


def member(name: str, scope: str, home: File, alone: bool, now: str = "") -> EditedName:
    """A member of the class `scope`."""
    parsed, now = home.parsed, now or name
    declared = [use for use in declaring(parsed, now) if declares(parsed, use, scope)]
    private = bool(declared) and all(parsed.language.hides(parsed, name, use.start) for use in declared)
    return EditedName(name, scope, True, home, alone, now, private=private)


def declaring(parsed: Parsed, name: str) -> list[Use]:
    """The uses of a member's name, and those where it is a parameter's, too."""
    sigil = parsed.language.sigil
    return [*uses(parsed, name), *(use for use in uses(parsed, sigil + name) if sigil and use.is_property)]


def declares(parsed: Parsed, use: Use, scope: str) -> bool:
    """Whether a class gets the member there."""
    if use.belongs is not None and use.binds and not use.is_property:
        return use.belongs.kind == "class" and qualified(parsed, use.belongs) == scope
    is_member = use.is_property or (use.role == "member" and use.assigned)
    return is_member and class_name_around(parsed, use.line) == scope


def qualified(parsed: Parsed, region: Region) -> str:
    """The qualified name of the scope that a region belongs to; a file's is empty."""
    if region.kind == "file":
        return ""
    data = parsed.snapshot.utf8
    line = data.count(b"\n", 0, region.start)
    scope = scope_at(parsed, line, 0)
    leads = not data[data.rfind(b"\n", 0, region.start) + 1 : region.start].strip()
    # The body's region starts where its first definition starts, if it begins with one.
    while leads and scope.parent is not None and scope.start_line >= line:
        scope = scope.parent
    return scope.qualified_name


def where(parsed: Parsed, line: int) -> str:
    """Asked for each site, of which a line may have a thousand."""
    known = parsed.once(_by_line)
    if line not in known:
        known[line] = scope_at(parsed, line, 0).qualified_name
    return known[line]


def _by_line(_: Parsed) -> dict[int, str]:
    return {}


def referring(file: File, target: EditedName, also: str = "") -> Iterator[Use]:
    """The uses of the target's name that refer to it, except those that bind it in its own file."""
    names = called(file, target) if target.member else frozenset()
    for use in uses(file.parsed, target.name, also):
        if target.member:
            if (_is_member if use.role == "member" else _is_bare)(file, use, target, names):
                yield use
        elif use.role == "member":
            if not target.scope and not file.home and _is_of_module(file, use, target):
                yield use
        elif file.is_beside(target.home):
            if not target.scope and _is_of_file(use):
                yield use
        elif (use.role in ("use", "declared") or _is_mate(file, use)) and _is_bound_so(file, use, target, also):
            yield use


def rebinds(file: File, name: str) -> bool:
    """Whether a file gives a name a meaning of its own, more than a value."""
    return any(use.binds and use.role != "assigned" and _is_of_file(use) for use in uses(file.parsed, name))


def _is_of_file(use: Use) -> bool:
    """Whether the name is a file's, or of what is around it."""
    is_name = use.role in ("use", "declared") or use.binds
    return is_name and (use.belongs is None or use.belongs.kind == "file")


def imports_of(file: File, target: EditedName, name: str) -> Iterator[Use]:
    """Where another file imports the target as `name`, under any alias."""
    if target.scope or target.member or file.home:
        return
    for use in uses(file.parsed, name):
        if use.role in ("import", "imported") and file.gives(use, target):
            yield use


def is_alias(parsed: Parsed, use: Use) -> bool:
    """Whether an import binds another name than that which it imports."""
    node = None if parsed.root is None else parsed.root.descendant_for_byte_range(use.start, use.end)
    above = None if node is None else node.parent
    return above is not None and above.child_by_field_name("alias") == node


def has_elsewhere(parsed: Parsed, name: str, owner: str) -> bool:
    """Whether a class other than `owner` and its subclasses in this file has a member of that name."""
    for use in uses(parsed, name):
        if not (use.assigned or (use.binds and use.around[0].kind == "class")):
            continue
        if use.binds and use.around[0].kind != "class":
            continue
        cls, name = class_around(parsed, use.line), class_name_around(parsed, use.line).rpartition(".")[2]
        if name and name != owner and (cls is None or owner not in parsed.language.bases(parsed, cls)):
            return True
    return False


def is_common(parsed: Parsed, name: str) -> bool:
    """Whether values of the language's built-in types have a member of that name."""
    return name in parsed.language.builtin_members


def is_built_in(parsed: Parsed, name: str) -> bool:
    """Whether the language defines the name itself."""
    return name in parsed.language.builtins


def called(file: File, target: EditedName) -> frozenset[str]:
    """What a file calls the class that was changed, or a member of which was; empty if it cannot name it."""
    parsed, owner = file.parsed, target.owner
    if file.home or (file.is_beside(target.home) and not rebinds(file, owner)):
        return frozenset({owner})
    if target.private and not _is_part(file, target) and not parsed.language.is_near(target.home.name, file.name):
        return frozenset()
    bound = [item for item in imports(parsed) if item.bound == owner or item.name == owner]
    given = frozenset(item.bound for item in bound if file.imports_from(item, target))
    if given or any(item.bound == owner for item in bound):
        return given
    own = [scope for scope in scopes(parsed) if scope.kind == "class" and scope.name == owner and not scope.adds]
    if own:
        return frozenset({owner}) if _is_part(file, target) else frozenset()
    modules = (item for item in imports(parsed) if item.name is None)
    is_seen = file.has_all_of(target) or any(file.imports_from(item, target) for item in modules)
    return frozenset({owner}) if is_seen or _is_global(file, target) else frozenset()


def _is_global(file: File, target: EditedName) -> bool:
    """Whether a class is everybody's, if it is not one of another package of that name."""
    parsed, home = file.parsed, target.home.parsed
    inside = set(parsed.language.packages(parsed))
    is_open = parsed.language.global_names and parsed.language.merges_classes
    return is_open and (not inside or bool(inside & set(home.language.packages(home))))


def _is_part(file: File, target: EditedName) -> bool:
    """Whether a file declares a part of the class."""
    parsed, home = file.parsed, target.home.parsed
    are_merged = parsed.language.merges_classes and (parsed.language.global_names or file.sees(target.home.name))
    if not are_merged or not any(s.qualified_name == target.scope for s in scopes(parsed)):
        return False
    return set(parsed.language.packages(parsed)) == set(home.language.packages(home))


def _derived(parsed: Parsed, owners: Iterable[str], names: frozenset[str]) -> bool:
    """Whether one of the owners is the class that has the names, or one of this file that is derived from it."""
    known = with_aliases(parsed, owners)
    if names & known:
        return True
    return bool(names) and any(
        s.kind == "class" and s.name in known and names & parsed.language.bases(parsed, s) for s in scopes(parsed)
    )


def _is_member(file: File, use: Use, target: EditedName, names: frozenset[str]) -> bool:
    owners = file.parsed.language.owners(file.parsed, use.start, use.end)
    if owners:
        is_meant = not file.home or not _has_namesake(file.parsed, target) or _is_inside(file.parsed, use, target)
        return is_meant and _derived(file.parsed, owners, names)
    # The type of the value is unknown: accept only a name unique to the class, in a file that mentions the class.
    if not target.alone or is_common(file.parsed, target.name):
        return False
    speaks = file.home or file.is_beside(target.home) or any(item.bound in names for item in imports(file.parsed))
    return speaks or (file.parsed.language.global_names and any(uses(file.parsed, name) for name in names))


def _has_namesake(parsed: Parsed, target: EditedName) -> bool:
    """Whether the file has another class of the same name, in one or a namespace of its own."""
    return any(
        s.kind == "class" and s.name == target.owner and s.qualified_name != target.scope for s in scopes(parsed)
    )


def _is_inside(parsed: Parsed, use: Use, target: EditedName) -> bool:
    return any(scope.qualified_name == target.scope for scope in enclosing(scope_at(parsed, use.line, 0)))


def _is_bare(file: File, use: Use, target: EditedName, names: frozenset[str]) -> bool:
    """Whether code in a class uses the member by its plain name."""
    parsed = file.parsed
    if not parsed.language.bare_members or use.role != "use":
        return False
    if use.belongs is not None:
        return file.home and use.belongs.kind == "class" and qualified(parsed, use.belongs) == target.scope
    around = list(enclosing(scope_at(parsed, use.line, 0)))
    if any(s.owner and s.class_name.rpartition(".")[2] in names for s in around):
        return True
    classes = [cls for cls in around if cls.kind == "class"]
    if not file.home and any(cls.name in names for cls in classes):  # another part of the class
        return True
    return any(names & parsed.language.bases(parsed, cls) for cls in classes)


def _is_mate(file: File, use: Use) -> bool:
    """Whether it may declare or define in another file what was changed in its own."""
    is_top = use.belongs is not None and use.belongs.kind == "file"
    return file.parsed.language.declares and not file.home and use.binds and is_top and not use.private


def _is_of_module(file: File, use: Use, target: EditedName) -> bool:
    head = file.parsed.language.head(file.parsed, use.start, use.end)
    return bool(head) and file.means_module(head, target)


def _is_bound_so(file: File, use: Use, target: EditedName, also: str) -> bool:
    if use.belongs is not None and file.home:
        return qualified(file.parsed, use.belongs) == target.scope and use.belongs.kind != "class"
    if target.scope or target.private or file.home:
        return False
    if use.belongs is None:
        return use.role == "use" and use.around[-1].space == target.space and file.has_all_of(target)
    binding = [u for name in {use.name, also} - {""} for u in uses(file.parsed, name, also) if u.binds]
    inside = [u for u in binding if u.belongs == use.belongs]
    if inside and all(_is_mate(file, u) and (u.declares or target.declared) for u in inside):
        return file.sees(target.home.name)
    return bool(inside) and all(u.role == "import" and file.gives(u, target) for u in inside)
