"""Pure: the sites that follow a rename: other uses of the same name.

In: a rename, files.  Out: sites, and which files see a renamed fixture, which tests take by its name.  Shadowed names,
strings, comments and members of values known to be of another class are left alone.  So are a test's own fixture of
that name, one that is nearer and what a test is parametrized with.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from palimpsest.next_edits.changes import AsyncChange, EditPattern, Rename, SignatureChange, Site
from palimpsest.next_edits.targets import (
    EditedName,
    File,
    called,
    declares,
    declaring,
    edited,
    imports_of,
    is_alias,
    is_built_in,
    member,
    qualified,
    referring,
    where,
)
from palimpsest.syntax.calls import calls
from palimpsest.syntax.parse import Language
from palimpsest.syntax.scopes import class_around, scopes
from palimpsest.syntax.uses import Region, Use, uses
from palimpsest.syntax.variants import are_one

_PLAIN = ("local", "variable", "parameter", "function", "import")
"""Kinds of renames of plain names that values have."""


def member_target(change: EditPattern, language: Language) -> tuple[str, str] | None:
    """(member, class) that a change is about.  None if it is not about a member, or is about the method that runs when
    the class is called."""
    match change:
        case Rename(kind="attribute"):
            return change.old, change.scope.rpartition(".")[2]
        case Rename(kind="parameter"):
            around, _, name = change.scope.rpartition(".")
            is_made = language.is_constructor(name, around.rpartition(".")[2])
            return (name, around.rpartition(".")[2]) if around and not is_made else None
        case SignatureChange(is_method=True) | AsyncChange(is_method=True):
            cls = change.scope.rpartition(".")[2]
            return None if language.is_constructor(change.name, cls) else (change.name, cls)
    return None


def rename_places(change: Rename, home: File, file: File, alone: bool) -> Iterator[Site]:
    if not stands(change, home):
        return
    if change.kind == "attribute":
        renamed = _member_uses(change, home, file, alone)
    elif change.kind == "parameter":
        renamed = _parameter_uses(change, home, file, alone)
    else:
        renamed = _named_uses(change, home, file)
    for use in renamed:
        place = _place(change, file, use)
        if place is not None:
            yield place


def stands(change: Rename, home: File) -> bool:
    """Whether the new name still has the old name's meaning: it is bound there, and the old one is not.

    Later assignments keep the old name until they follow, too; a second definition of the old name means that it has a
    meaning of its own, unless both are definitions of one thing.
    """
    new, old = (_meanings(change, home, name) for name in (change.new, change.old))
    used = {use.line for use in uses(home.parsed, change.new) if use.role == "use"}
    if change.kind != "attribute" and any(use.role == "assigned" and use.line in used for use in old):
        return False  # `line = decoded(new_line)`: there are both
    if change.kind in ("local", "variable"):
        first = next((use for use in new if use.role == "assigned"), None)
        return first is not None and not any(
            use.role != "assigned" or (use.start < first.start and not _take_turns(change, home, use, first))
            for use in old
        )
    if change.kind == "attribute":
        return bool(new) and (all(use.role == "member" for use in old) or _are_one(home, new, old))
    if change.kind == "parameter":
        return any(use.role == "parameter" for use in new) and all(use.role == "assigned" for use in old)
    has_mates = any(use.declares for use in (*new, *old))
    return any(use.role == change.kind for use in new) and (not old or has_mates or _are_one(home, new, old))


def _take_turns(change: Rename, home: File, one: Use, other: Use) -> bool:
    """Whether only one of two values is there: of a file's variable, not of one in a function, whose branches may each
    have their own."""
    return change.kind == "variable" and are_one(home.parsed, [one], [other])


def _are_one(home: File, new: list[Use], old: list[Use]) -> bool:
    """Whether what has the old name still is the same thing.  An import without an alias cannot follow."""
    binding = ([use for use in some if use.binds] for some in (new, old))
    return all(use.role != "import" or is_alias(home.parsed, use) for use in old) and are_one(home.parsed, *binding)


def _meanings(change: Rename, home: File, name: str) -> list[Use]:
    """The uses that give a name its meaning where the change was made: those that bind it or assign it on `self`."""
    if change.kind == "attribute":
        return [use for use in declaring(home.parsed, name) if declares(home.parsed, use, change.scope)]
    regions = _regions(change, home)
    return [use for use in uses(home.parsed, name) if use.binds and use.belongs in regions]


def _regions(change: Rename, home: File) -> set[Region]:
    """The regions that bind the new name in the scope of the change."""
    return {
        use.belongs
        for use in uses(home.parsed, change.new)
        if use.binds and use.belongs is not None
        if qualified(home.parsed, use.belongs) == change.scope
        if (use.belongs.kind == "class") == (change.kind == "attribute")
    }


def _named_uses(change: Rename, home: File, file: File) -> Iterator[Use]:
    target = edited(change.old, change.scope, home, change.new)
    if not file.home:
        yield from imports_of(file, target, change.old)
        yield from referring(file, target, also=_imported_as(change, file))
    if is_fixture(change, home):
        yield from fixture_uses(change, file, target)
    if not file.home:
        return
    regions = _regions(change, file)
    for use in uses(file.parsed, change.old, change.new):
        if use.belongs in regions and (use.role != "import" or is_alias(file.parsed, use)):
            yield use


def _imported_as(change: Rename, file: File) -> str:
    """The new name, if another file's import may already use it while the file's other uses do not yet.  Empty if the
    old name has a meaning of its own there."""
    return "" if is_built_in(file.parsed, change.old) else change.new


def _member_uses(change: Rename, home: File, file: File, alone: bool) -> Iterator[Use]:
    target = member(change.old, change.scope, home, alone, change.new)
    language, names = file.parsed.language, called(file, target)
    yield from referring(file, target, also=change.new if file.home and language.bare_members else "")
    for use in uses(file.parsed, change.old, change.new):
        if use.belongs is not None and use.belongs.kind == "class":
            cls = class_around(file.parsed, use.line)
            own = file.home and qualified(file.parsed, use.belongs) == change.scope
            own = own and (use.binds or not language.bare_members)  # `referring` has the other uses
            mate = language.declares and use.belongs.name == target.owner and file.sees(home.name)
            derived = cls is not None and names & language.bases(file.parsed, cls)
            if own or (use.binds and not file.home and mate) or (use.binds and derived):
                yield use
    if not _has_constructor(home, change.scope):  # fields passed by name to the constructor
        around = change.scope.rpartition(".")[0]
        yield from _keywords(change.old, file, edited(target.owner, _binding(around, home), home))


def _has_constructor(home: File, cls: str) -> bool:
    inside = [s for s in scopes(home.parsed) if s.is_method and s.parent is not None and s.parent.qualified_name == cls]
    return any(home.parsed.language.is_constructor(s.name, cls.rpartition(".")[2]) for s in inside)


def _parameter_uses(change: Rename, home: File, file: File, alone: bool) -> Iterator[Use]:
    if file.home:
        yield from _named_uses(change, home, file)
    yield from _keywords(change.old, file, callee(change.scope, home, alone))


def callee(scope: str, home: File, alone: bool) -> EditedName:
    """What is called to run the function with that qualified name."""
    around, _, name = scope.rpartition(".")
    is_method = any(s.qualified_name == scope and s.is_method for s in scopes(home.parsed))
    outer, _, cls = around.rpartition(".")
    if is_method and home.parsed.language.is_constructor(name, cls):
        return edited(cls, _binding(outer, home), home)
    return member(name, around, home, alone) if is_method else edited(name, _binding(around, home), home)


def _binding(scope: str, home: File) -> str:
    """The scope that binds the names of a scope: of a namespace's the file."""
    named = {s.kind for s in scopes(home.parsed) if s.qualified_name == scope}
    return "" if named == {"namespace"} else scope


def _keywords(name: str, file: File, target: EditedName) -> Iterator[Use]:
    """`name=` in calls of the target."""
    named = [use for use in uses(file.parsed, _bare(name, file)) if use.role == "keyword"]
    if not named:
        return
    heads = {use.start for use in referring(file, target)}
    for use in named:
        for call in calls(file.parsed, use.line, use.line + 1):
            if call.name_start in heads and any(a.keyword and a.start == use.start for a in call.arguments):
                yield use


def _bare(name: str, file: File) -> str:
    """A variable's name without what only variables begin with."""
    return name.removeprefix(file.parsed.language.sigil)


def _place(change: Rename, file: File, use: Use) -> Site | None:
    if use.role == "declared" and change.kind == "parameter":
        return None
    message = f"{change.old} is {change.new} now"
    scope = where(file.parsed, use.line)
    text = change.new
    if use.role == "keyword":
        text = _bare(text, file)
    elif change.kind in _PLAIN:
        text = file.parsed.language.renamed(file.parsed, use.start, use.end, text)
    return Site(file.uri, use.start, use.end, use.name, text, "rename", message, scope)


def is_fixture(change: Rename, home: File) -> bool:
    """Whether what was renamed makes what tests take by its name."""
    if change.kind != "function" or change.scope or not home.parsed.language.fixture_files:
        return False
    named = [scope for scope in scopes(home.parsed) if scope.qualified_name == change.new]
    return len(named) == 1 and home.parsed.language.is_fixture(home.parsed, named[0])


def seen_by(home: File, files: Sequence[File], name: str) -> list[File]:
    """The files without those for which another fixture file is nearer that defines one of this name, too."""
    nearer = [file for file in files if _is_below(file, home) and _has_fixtures(file) and _defines(file, name)]
    return [f for f in files if f is home or (f not in nearer and not any(_is_below(f, other) for other in nearer))]


def fixture_uses(change: Rename, file: File, target: EditedName) -> Iterator[Use]:
    parsed, language = file.parsed, file.parsed.language
    old_uses = uses(parsed, change.old, change.new)
    if any(use.role in ("function", "class", "assigned", "import") and _is_shared(use) for use in old_uses):
        return
    given = [use for use in uses(parsed, change.new) if use.role == "import" and file.gives(use, target)]
    if not (file.home or given or (_has_fixtures(target.home) and _is_below(file, target.home))):
        return
    renamed = uses(parsed, change.new, change.old)
    taken = (use for use in (*old_uses, *renamed) if use.role == "parameter")
    regions = {use.belongs for use in taken if language.takes_fixture(parsed, use.name, use.start)}
    twice = {use.belongs for use in old_uses if use.role == "parameter"} & {use.belongs for use in renamed if use.binds}
    for use in old_uses:
        is_taken = use.belongs in regions and use.belongs not in twice
        is_named = use.role == "use" and _is_shared(use) and language.takes_fixture(parsed, use.name, use.start)
        if is_taken or (is_named and not file.home):
            yield use


def _is_shared(use: Use) -> bool:
    return use.belongs is None or use.belongs.kind in ("file", "class")


def _has_fixtures(file: File) -> bool:
    return PurePosixPath(file.name).name in file.parsed.language.fixture_files


def _is_below(file: File, other: File) -> bool:
    return PurePosixPath(file.name).is_relative_to(PurePosixPath(other.name).parent) and file.name != other.name


def _defines(file: File, name: str) -> bool:
    return any(use.binds and _is_shared(use) for use in uses(file.parsed, name))
