"""Pure: whether a use of a name refers to what was changed.

In: a file's parse, a use, the target.  Out: yes or no.  If in doubt no, since a wrong site costs more than a missed
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around, class_name_around, enclosing, scope_at, scopes, with_aliases
from palimpsest.syntax.uses import Region, Use, uses


@dataclass(frozen=True, slots=True)
class File:
    """A file's parse; `name` is its path relative to the workspace, `home` whether the change was made in it."""

    parsed: Parsed
    name: str
    home: bool

    @property
    def uri(self) -> str:
        return self.parsed.snapshot.uri

    def gives(self, source: str, file: str) -> bool:
        """Whether an import from `source`, as written in this file, may provide what another file defines."""
        language = self.parsed.language
        return language.gives(source, self.name, language.module_name(file))

    def sees(self, file: str) -> bool:
        """Whether code in this file uses what another file defines without an import."""
        return self.parsed.language.sees(imports(self.parsed), self.name, file)

    def means_module(self, head: str, file: str) -> bool:
        """Whether `head`, as in `head.name`, refers to another file because of an import in this one."""
        language = self.parsed.language
        return language.means_module(head, imports(self.parsed), self.name, language.module_name(file))


@dataclass(frozen=True, slots=True)
class EditedName:
    """What a change is about.  `scope`: the class of a member, else the scope that binds the name.  `alone`: no other
    class of the workspace is known to have a member of that name.  `declared`: its file only declares it; `private`: no
    other file sees it."""

    name: str
    scope: str
    member: bool
    file: str
    alone: bool = False
    declared: bool = False
    private: bool = False

    @property
    def owner(self) -> str:
        return self.scope.rpartition(".")[2]


def edited(name: str, scope: str, home: File, bound_as: str = "") -> EditedName:
    """What is no member; `bound_as` is its name in its file by now."""
    binding = [use for use in uses(home.parsed, bound_as or name) if use.binds and use.belongs is not None]
    top = [use for use in binding if use.belongs is not None and use.belongs.kind == "file"]
    declared = any(use.declares for use in top)
    private = any(use.private for use in top) and not home.parsed.language.is_included(home.name)
    return EditedName(name, scope, False, home.name, declared=declared, private=private)


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
    return scope_at(parsed, line, 0).qualified_name


def referring(file: File, target: EditedName, also: str = "") -> Iterator[Use]:
    """The uses of the target's name that refer to it, except those that bind it in its own file."""
    for use in uses(file.parsed, target.name, also):
        if target.member:
            if _is_bare(file, use, target) if use.role != "member" else _is_member(file, use, target):
                yield use
        elif use.role == "member":
            if not target.scope and not file.home and _is_of_module(file, use, target):
                yield use
        elif (use.role in ("use", "declared") or _is_mate(file, use)) and _is_bound_so(file, use, target, also):
            yield use


def imports_of(file: File, target: EditedName, name: str) -> Iterator[Use]:
    """Where another file imports the target as `name`, under any alias."""
    if target.scope or target.member or file.home:
        return
    for use in uses(file.parsed, name):
        if use.role in ("import", "imported") and use.source and file.gives(use.source, target.file):
            yield use


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


def derived(parsed: Parsed, owners: Iterable[str], owner: str) -> bool:
    """Whether one of the names is the owner, or a class in this file derived from it."""
    names = with_aliases(parsed, owners)
    if owner in names:
        return True
    return any(
        s.kind == "class" and s.name in names and owner in parsed.language.bases(parsed, s) for s in scopes(parsed)
    )


def _is_member(file: File, use: Use, target: EditedName) -> bool:
    owners = file.parsed.language.owners(file.parsed, use.start, use.end)
    if owners:
        return derived(file.parsed, owners, target.owner)
    # The type of the value is unknown: accept only a name unique to the class, in a file that mentions the class.
    speaks = file.home or any(item.bound == target.owner for item in imports(file.parsed))
    speaks = speaks or (file.parsed.language.global_names and bool(uses(file.parsed, target.owner)))
    return target.alone and speaks and not is_common(file.parsed, target.name)


def _is_bare(file: File, use: Use, target: EditedName) -> bool:
    """Whether code in a class uses the member by its plain name."""
    parsed = file.parsed
    if not parsed.language.bare_members or use.role != "use":
        return False
    if use.belongs is not None:
        return file.home and use.belongs.kind == "class" and qualified(parsed, use.belongs) == target.scope
    around = list(enclosing(scope_at(parsed, use.line, 0)))
    if any(s.owner and s.class_name.rpartition(".")[2] == target.owner for s in around):
        return True
    return any(target.owner in parsed.language.bases(parsed, cls) for cls in around if cls.kind == "class")


def _is_mate(file: File, use: Use) -> bool:
    """Whether it may declare or define in another file what was changed in its own."""
    is_top = use.belongs is not None and use.belongs.kind == "file"
    return file.parsed.language.declares and not file.home and use.binds and is_top and not use.private


def _is_of_module(file: File, use: Use, target: EditedName) -> bool:
    head = file.parsed.language.head(file.parsed, use.start, use.end)
    return bool(head) and file.means_module(head, target.file)


def _is_bound_so(file: File, use: Use, target: EditedName, also: str) -> bool:
    if use.belongs is not None and file.home:
        return qualified(file.parsed, use.belongs) == target.scope and use.belongs.kind != "class"
    if target.scope or target.private or file.home:
        return False
    if use.belongs is None:
        return use.role == "use" and file.sees(target.file)
    binding = [u for name in {use.name, also} - {""} for u in uses(file.parsed, name, also) if u.binds]
    inside = [u for u in binding if u.belongs == use.belongs]
    if inside and all(_is_mate(file, u) and (u.declares or target.declared) for u in inside):
        return file.sees(target.file)
    return bool(inside) and all(u.role == "import" and u.source and file.gives(u.source, target.file) for u in inside)
