"""Pure: the sites of a change in one file.

In: a change, the edited file as it is now, a file.  Out: sites in document order.  Sites are looked up in the current
texts, so they are never stale, and one that has been edited is no longer found.
"""

from collections.abc import Iterator

from palimpsest.next_edits.calling import argument_places, await_places
from palimpsest.next_edits.changes import (
    AsyncChange,
    EditPattern,
    ImportChange,
    Rename,
    SignatureChange,
    Site,
    Swap,
    TagChange,
)
from palimpsest.next_edits.renaming import rename_places
from palimpsest.next_edits.tags import tag_places
from palimpsest.next_edits.targets import File, where
from palimpsest.syntax.imports import imports
from palimpsest.syntax.pairs import pairs
from palimpsest.syntax.uses import uses


def places(change: EditPattern, home: File, file: File, *, alone: bool = False) -> list[Site]:
    """The sites in `file`; `home` is the edited file, possibly the same one.  `alone`: as in `targets.EditedName`."""
    sites: Iterator[Site]
    match change:
        case Rename():
            sites = rename_places(change, home, file, alone)
        case SignatureChange():
            sites = argument_places(change, home, file, alone)
        case AsyncChange():
            sites = await_places(change, home, file, alone)
        case ImportChange():
            sites = _import_places(change, file)
        case TagChange():
            sites = tag_places(change, file)
        case Swap():
            sites = _swap_places(change, file)
    return sorted(sites, key=lambda place: (place.start, place.end))


def words(change: EditPattern, home: File) -> tuple[str, ...]:
    """A file can have sites only if its text contains one of these words."""
    match change:
        case Rename():
            return (change.old,)
        case SignatureChange() | AsyncChange():
            owner = change.scope.rpartition(".")[2]
            by_class = change.is_method and home.parsed.language.is_constructor(change.name, owner)
            return (change.name, owner) if by_class else (change.name,)
        case ImportChange():
            return (change.old.rpartition(".")[2],)
        case Swap() | TagChange():
            return ()


def is_local(change: EditPattern) -> bool:
    """Whether only the edited file can have sites."""
    match change:
        case Rename():
            is_nested = bool(change.scope) and change.kind not in ("attribute", "parameter")
            return is_nested or change.kind in ("local", "import")
        case SignatureChange() | AsyncChange():
            return bool(change.scope) and not (change.is_method or change.in_namespace)
        case Swap() | TagChange():
            return True
    return False


def _import_places(change: ImportChange, file: File) -> Iterator[Site]:
    """Statements that import only this name, from its old module."""
    parsed = file.parsed
    statements = dict[int, set[str]]()
    for item in imports(parsed):
        if item.name is not None and item.level == 0 and item.module == change.old:
            statements.setdefault(item.line, set()).add(item.name)
    lines = [line for line, names in statements.items() if names == {change.name}]
    first = change.old.partition(".")[0]
    for use in uses(parsed, first):
        end = use.start + len(change.old.encode())
        if use.role == "module" and use.line in lines and parsed.snapshot.utf8[use.start : end] == change.old.encode():
            message = f"`{change.name}` is imported from {change.new}"
            yield Site(file.uri, use.start, end, change.old, change.new, "import", message, where(parsed, use.line))


def _swap_places(change: Swap, file: File) -> Iterator[Site]:
    """The other half if only half of the swap was made; otherwise the same pairs in the file that were not swapped."""
    if not file.home:
        return
    expected = change.before if change.now == change.target else change.now
    for pair in pairs(file.parsed):
        scope = where(file.parsed, pair.line)
        if pair.head != change.head or pair.texts != expected or (expected == change.now and scope != change.scope):
            continue
        differ = [n for n, text in enumerate(change.target) if text != pair.texts[n]]
        (start, _, _), (_, end, _) = pair.elements[differ[0]], pair.elements[differ[-1]]
        data, text, at = file.parsed.snapshot.utf8, "", start
        for n in range(differ[0], differ[-1] + 1):
            begins, ends, _ = pair.elements[n]
            text += data[at:begins].decode("utf-8", "surrogatepass") + change.target[n]
            at = ends
        before = data[start:end].decode("utf-8", "surrogatepass")
        first, second = (change.before[n] for n, text in enumerate(change.target) if text != change.before[n])
        message = f"{first} and {second} change places"
        yield Site(file.uri, start, end, before, text, "swap", message, scope, sure=expected == change.now)
