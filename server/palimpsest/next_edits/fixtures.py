"""Pure: the sites that follow a renamed fixture: what tests take by its name.

In: a rename, files.  Out: uses, and which files see the fixture.  A test's own fixture of that name, one that is nearer
and what a test is parametrized with are other things.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from palimpsest.next_edits.changes import Rename
from palimpsest.next_edits.targets import EditedName, File
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.uses import Use, uses


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
