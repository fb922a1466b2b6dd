"""Pure: detects the kind of an edit: a rename, a new signature, a moved import, a swap.

In: parses of a document before and after the edit.  Out: changes.  None if the edited lines have new syntax errors, if
too many lines were edited, or if the tree does not show it.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher

from palimpsest.next_edits.changes import (
    AsyncChange,
    EditPattern,
    ImportChange,
    Rename,
    RenameKind,
    SignatureChange,
    Swap,
)
from palimpsest.next_edits.tags import tag_changes
from palimpsest.next_edits.targets import qualified, where
from palimpsest.syntax.calls import Function, functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.pairs import Pair, pairs
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_name_around, scope_at
from palimpsest.syntax.tokens import errors_between, tokens
from palimpsest.syntax.uses import Use, uses
from palimpsest.syntax.variants import are_one
from palimpsest.text.alike import ends_alike

MOST_LINES = 120
"""Maximum number of lines in one edit; more is treated as a different text."""
SAME = 0.5
"""As much of a line must stay as it was (of its tokens, as `difflib` counts) if a name in it is only renamed."""
Window = tuple[range, range]


def window(before: Parsed, after: Parsed) -> Window | None:
    """The lines that differ, in both versions, or None if nothing differs."""
    old, new = before.snapshot.lines, after.snapshot.lines
    first, last = ends_alike(old, new)
    if first == len(old) == len(new):
        return None
    return range(first, len(old) - last), range(first, len(new) - last)


def is_broken(before: Parsed, after: Parsed, lines: Window) -> bool:
    """Whether the edit introduced syntax errors, which means that it is not finished."""
    return after.n_errors > before.n_errors or errors_between(after, lines[1].start, lines[1].stop) > errors_between(
        before, lines[0].start, lines[0].stop
    )


def changes(before: Parsed, after: Parsed) -> tuple[EditPattern, ...]:
    """The changes made by the edit from `before` to `after`, without duplicates."""
    lines = window(before, after)
    if lines is None or max(len(lines[0]), len(lines[1])) > MOST_LINES or is_broken(before, after, lines):
        return ()
    names = _renamed_names(before, after, lines)
    patterns = list[EditPattern](filter(None, (_rename(before, after, lines, old, new) for old, new in names)))
    patterns += filter(None, (_property(before, after, old, new) for old, new in names))
    renames = [change for change in patterns if isinstance(change, Rename)]
    patterns += _signatures(before, after, lines, renames)
    patterns += _imports(before, after, lines)
    patterns += tag_changes(before, after)
    if not patterns:
        patterns += _swap(before, after, lines)
    return tuple(dict.fromkeys(patterns))


def _renamed_names(before: Parsed, after: Parsed, lines: Window) -> list[tuple[Use, Use]]:
    """(before, after) of each identifier that replaced another."""
    old = tokens(before, lines[0].start, lines[0].stop)
    new = tokens(after, lines[1].start, lines[1].stop)
    matcher = SequenceMatcher(None, [t.text for t in old], [t.text for t in new], autojunk=False)
    pairs_of_uses = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "replace" or i2 - i1 != j2 - j1:
            continue
        for a, b in zip(old[i1:i2], new[j1:j2], strict=True):
            if a.is_name and b.is_name and a.text != b.text:
                uses_of = _use_at(before, a.text, a.start), _use_at(after, b.text, b.start)
                if uses_of[0] is not None and uses_of[1] is not None:
                    pairs_of_uses.append((uses_of[0], uses_of[1]))
    return pairs_of_uses


def _use_at(parsed: Parsed, name: str, start: int) -> Use | None:
    """The use of a token; of a member that is declared with a sigil, the use of its name."""
    found = next((use for use in uses(parsed, name) if use.start == start), None)
    sigil = parsed.language.sigil
    if sigil and name.startswith(sigil) and found is not None and found.role == "use":
        bare = (use for use in uses(parsed, name.removeprefix(sigil)) if use.start == start + len(sigil))
        return next((use for use in bare if use.role == "member"), found)
    return found


def _rename(before: Parsed, after: Parsed, lines: Window, old: Use, new: Use) -> Rename | None:
    """A rename, if the name gets its meaning at this place, nothing there had the new name before, and the edited lines
    do not give the old one a meaning as often as they did."""
    if old.role != new.role or old.assigned != new.assigned or _is_rewritten(before, after, old, new):
        return None
    uri = after.snapshot.uri
    if new.role == "member" and new.assigned:
        cls = class_name_around(after, new.line)
        name = cls.rpartition(".")[2]
        if not cls or name not in after.language.owners(after, new.start, new.end):
            return None
        return _attribute(before, after, uri, cls, name, old.name, new.name)
    if not new.binds or new.belongs is None or old.belongs is None or _how_far(old) != _how_far(new):
        return None
    scope = qualified(after, new.belongs)
    if new.belongs.kind == "class":
        return _attribute(before, after, uri, scope, new.belongs.name, old.name, new.name)
    if any(use.binds and use.belongs and qualified(before, use.belongs) == scope for use in _same(before, new)):
        return None
    if _n_bound(after, old, lines[1]) >= _n_bound(before, old, lines[0]):
        return None
    return Rename(uri, _kind(new, scope), scope, old.name, new.name)


def _is_rewritten(before: Parsed, after: Parsed, old: Use, new: Use) -> bool:
    """Whether the line says something else with the new name: then that is another thing, not the old one renamed."""
    if old.source != new.source:
        return True
    (was, was_names), (now, now_names) = _beside(before, old), _beside(after, new)
    if was_names and now_names and not was_names & now_names:
        return True
    return SequenceMatcher(None, was, now, autojunk=False).ratio() < SAME


def _beside(parsed: Parsed, use: Use) -> tuple[list[str], set[str]]:
    """The other tokens of a use's line, and the names among them."""
    line = tokens(parsed, use.line, use.line + 1)
    rest = [token for token in line if not token.start <= use.start < token.start + len(token.text.encode())]
    return [token.text for token in rest], {token.text for token in rest if token.is_name}


def _property(before: Parsed, after: Parsed, old: Use, new: Use) -> Rename | None:
    """The rename of the member that a parameter is as well."""
    if not (old.is_property and new.is_property):
        return None
    scope, sigil = class_name_around(after, new.line), after.language.sigil
    names = old.name.removeprefix(sigil), new.name.removeprefix(sigil)
    return _attribute(before, after, after.snapshot.uri, scope, scope.rpartition(".")[2], *names)


def _how_far(use: Use) -> tuple[str, int]:
    """What binds a use's name, and how many regions outwards that is: declarations may bind a name far from its use."""
    regions = [region for region in use.around if region == use.belongs]
    return (use.belongs.kind if use.belongs else "", use.around.index(regions[0]) if regions else -1)


def _same(before: Parsed, use: Use) -> list[Use]:
    """The uses of the new name before the edit, in a region of the same kind."""
    assert use.belongs is not None
    return [u for u in uses(before, use.name) if u.belongs is not None and u.belongs.kind == use.belongs.kind]


def _n_bound(parsed: Parsed, use: Use, lines: range) -> int:
    """How often these lines bind the name of a use, in regions of the same kind."""
    kind = use.belongs.kind if use.belongs else ""
    return sum(
        u.binds and u.belongs is not None and u.belongs.kind == kind and u.line in lines for u in uses(parsed, use.name)
    )


def _kind(use: Use, scope: str) -> RenameKind:
    if use.role == "assigned":
        return "local" if scope or (use.belongs and use.belongs.kind == "inner") else "variable"
    if use.role in ("function", "class", "import", "parameter"):
        return use.role
    return "local"


def _attribute(before: Parsed, after: Parsed, uri: str, scope: str, owner: str, old: str, new: str) -> Rename | None:
    others = _defining(after, scope, old)
    if _defining(before, scope, new) or (others and not are_one(after, _defining(after, scope, new), others)):
        return None
    return Rename(uri, "attribute", scope, old, new)


def _defining(parsed: Parsed, scope: str, name: str) -> list[Use]:
    """Where the class body itself binds the name."""
    return [
        use
        for use in uses(parsed, name)
        if use.binds and use.belongs is not None
        if use.belongs.kind == "class" and qualified(parsed, use.belongs) == scope
    ]


def _signatures(before: Parsed, after: Parsed, lines: Window, renames: list[Rename]) -> Iterator[EditPattern]:
    """Functions in the edited lines whose parameters changed, other than by a rename, or that became asynchronous."""
    old = {_place(before, f): f for f in functions(before, lines[0].start, lines[0].stop)}
    for function in functions(after, lines[1].start, lines[1].stop):
        scope, name = _place(after, function)
        was_called = next((r.old for r in renames if r.new == name and r.scope == scope), name)
        was = old.get((scope, was_called))
        if was is None:
            continue
        inner = f"{scope}.{name}".lstrip(".")
        renamed = tuple((r.old, r.new) for r in renames if r.kind in ("parameter", "attribute") and r.scope == inner)
        own = scope_at(after, function.line, 0)
        is_method = own.is_method
        in_namespace = own.parent is not None and own.parent.kind == "namespace"
        uri, names = after.snapshot.uri, dict(renamed)
        if [(names.get(p.name, p.name), p.kind, p.default) for p in was.parameters] != [
            (p.name, p.kind, p.default) for p in function.parameters
        ]:
            yield SignatureChange(
                uri, scope, name, is_method, was.parameters, function.parameters, renamed, in_namespace
            )
        if function.is_async and not was.is_async:
            yield AsyncChange(uri, scope, name, is_method, in_namespace)


def _place(parsed: Parsed, function: Function) -> tuple[str, str]:
    """(The qualified name around a function, its own.)"""
    return where(parsed, function.line).rpartition(".")[0], function.name


def _imports(before: Parsed, after: Parsed, lines: Window) -> Iterator[ImportChange]:
    old = {item.name: item for item in imports(before) if item.line in lines[0] and item.level == 0}
    for item in imports(after):
        was = old.get(item.name)
        if item.name is None or item.line not in lines[1] or was is None or item.level or was.module == item.module:
            continue
        if not any(i.name == item.name and i.module == was.module for i in imports(after)):
            yield ImportChange(after.snapshot.uri, item.name, was.module, item.module)


def _swap(before: Parsed, after: Parsed, lines: Window) -> list[Swap]:
    """The smallest pair containing the edit whose elements have changed places or are about to."""
    old = {(pair.head, pair.start): pair for pair in pairs(before, lines[0].start, lines[0].stop)}
    swaps = list[tuple[int, Swap]]()
    for pair in pairs(after, lines[1].start, lines[1].stop):
        was = old.get((pair.head, pair.start))
        if was is None or len(was.elements) != len(pair.elements) or was.texts == pair.texts:
            continue
        target = _target(was, pair)
        if target is not None:
            scope = where(after, pair.line)
            swap = Swap(after.snapshot.uri, scope, pair.head, was.texts, pair.texts, target)
            swaps.append((pair.end - pair.start, swap))
    return [min(swaps, key=lambda item: item[0])[1]] if swaps else []


def _target(was: Pair, pair: Pair) -> tuple[str, ...] | None:
    """The finished swap, or None if it is not a swap.  Numbers and strings are ignored: they are as likely just new
    values."""
    differ = [n for n, (a, b) in enumerate(zip(was.texts, pair.texts, strict=True)) if a != b]
    if len(differ) == 2:
        i, j = differ
        if (was.texts[i], was.texts[j]) == (pair.texts[j], pair.texts[i]):
            return pair.texts
    if len(differ) == 1:
        i = differ[0]
        others = [n for n, text in enumerate(was.texts) if text == pair.texts[i]]
        if len(others) == 1 and all(_is_named(was.texts[n]) for n in (i, others[0])):
            swapped = list(was.texts)
            swapped[i], swapped[others[0]] = swapped[others[0]], swapped[i]
            return tuple(swapped)
    return None


def _is_named(text: str) -> bool:
    return text[:1].isalpha() or text[:1] == "_"
