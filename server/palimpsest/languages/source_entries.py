"""What a source file offers, read off its tree.

In: a parse.  Out: its top-level definitions and values by name, and `ModuleEntry`s of them.  Knows no files and no
imports.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from palimpsest.languages.modules import ModuleEntry
from palimpsest.syntax.names import Visible, members_of, visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import children, docstring, file_scope, members, scopes, signature
from palimpsest.syntax.values import Scope
from palimpsest.text.paragraphs import first_paragraph

Item = Scope | Visible
_MAX_MEMBERS, _MOST_OVERLOADS = 60, 6
_LONGEST_WRITTEN = 160


def top_level(parsed: Parsed) -> dict[str, Item]:
    """The definitions outside functions and classes, then the values assigned there, in namespaces too; the first of
    each name."""
    return parsed.once(_top_level)


def _top_level(parsed: Parsed) -> dict[str, Item]:
    found = dict[str, Item]()
    for scope in _outside(parsed, file_scope(parsed)):
        found.setdefault(scope.name, scope)
    file = file_scope(parsed)
    for scope in (file, *(scope for scope in scopes(parsed) if scope.kind == "namespace")):
        for item in visible(parsed, scope):
            if item.kind == "constant" and (scope is file or scope.def_line < item.line < scope.end_line):
                found.setdefault(item.name, item)
    return found


def _outside(parsed: Parsed, scope: Scope) -> Iterator[Scope]:
    """The definitions outside functions and classes: those in namespaces too, and no part that adds to a class."""
    for child in children(parsed, scope):
        if child.kind == "namespace":
            yield from _outside(parsed, child)
        elif not child.owner and not child.adds:
            yield child


def entry(
    parsed: Parsed,
    item: Item,
    is_member_public: Callable[[Parsed, Item], bool],
    added: Sequence[tuple[Parsed, Scope]] = (),
) -> ModuleEntry:
    """A definition with its declaration and documentation, a class with its public members too; `added` are those that
    other files give it."""
    if isinstance(item, Visible):
        return ModuleEntry(item.name, "value", declaration=_written(parsed, item), doc=_doc(parsed, item))
    if item.kind != "class":
        first, *others = _signatures(parsed, item)
        summary, doc = first_paragraph(docstring(parsed, first) or ""), _doc(parsed, first)
        found = ModuleEntry(item.name, "function", declaration=_declared(parsed, first), doc=doc)
        overloads = tuple(replace(found, declaration=_declared(parsed, it), doc=_doc(parsed, it)) for it in others)
        return replace(found, summary=summary if summary != doc else "", overloads=overloads)
    shown = dict[str, ModuleEntry]()
    for there, member in [*_members(parsed, item), *added]:
        if len(shown) < _MAX_MEMBERS and member.name not in shown and is_member_public(there, member):
            shown[member.name] = _member(there, item, member)
    bases = tuple(sorted(parsed.language.bases(parsed, item)))
    declared = _declared(parsed, item)
    return ModuleEntry(item.name, "class", "", _doc(parsed, item), tuple(shown.values()), bases, declaration=declared)


def _signatures(parsed: Parsed, function: Scope) -> Sequence[Scope]:
    """A function with others of its name beside it, those that can be called."""
    same = parsed.once(_functions).get(function.qualified_name, ())
    language = parsed.language
    if not same or not (language.overloads or language.hides_implementation):
        return [function]
    declared = [it for it in same if not it.has_body] if language.hides_implementation else []
    each = {_declared(parsed, it): it for it in reversed(declared or same)}
    return list(reversed(each.values()))[:_MOST_OVERLOADS]


def _functions(parsed: Parsed) -> dict[str, list[Scope]]:
    """By qualified name: a header may have thousands."""
    found = defaultdict[str, list[Scope]](list)
    for scope in scopes(parsed):
        if scope.kind == "function":
            found[scope.qualified_name].append(scope)
    return found


def _declared(parsed: Parsed, item: Scope) -> str:
    return " ".join(signature(parsed, item).split())


def _members(parsed: Parsed, cls: Scope) -> Iterator[tuple[Parsed, Item]]:
    """The attributes and methods of a class's body, then what other parts of this file add to it."""
    own = {child.name: child for child in members(parsed, cls)}
    for member in members_of(parsed, cls):
        if member.kind in ("attribute", "method"):
            yield parsed, own.pop(member.name, member)
    yield from ((parsed, child) for child in own.values() if child.kind == "function")


def renamed(found: ModuleEntry, name: str) -> ModuleEntry:
    """The entry under another name, as a module offers it that gives it one."""
    if found.name == name:
        return found
    overloads = tuple(renamed(one, name) for one in found.overloads)
    return replace(found, name=name, declaration=_with_name(found.declaration, found.name, name), overloads=overloads)


def _member(parsed: Parsed, owner: Scope, item: Item) -> ModuleEntry:
    """Declared with its class before its name, `Cart.total(): number`, if that does not say it."""
    text = item.signature if isinstance(item, Visible) else " ".join(signature(parsed, item).split())
    kind = "function" if not isinstance(item, Visible) or item.kind == "method" else "value"
    is_outside = isinstance(item, Scope) and item.owner  # and its class is written there
    declared = text if is_outside else _with_name(text, item.name, f"{owner.name}.{item.name}")
    return ModuleEntry(item.name, kind, declaration=declared, doc=_doc(parsed, item))  # type: ignore[arg-type]


def _with_name(text: str, name: str, new: str) -> str:
    return re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", lambda _: new, text, count=1)


def _doc(parsed: Parsed, item: Item) -> str:
    """The first line of the documentation."""
    if isinstance(item, Visible):
        line = item.line
        item = Scope("function", item.name, item.name, line, line + 1, line, line + 1, line + 1, 0, file_scope(parsed))
    return next((line.strip() for line in (docstring(parsed, item) or "").split("\n") if line.strip()), "")


def _written(parsed: Parsed, item: Visible) -> str:
    """The line of a value as it is written, if that is all of it and nothing else."""
    line = parsed.snapshot.lines[item.line].strip()
    is_alone = parsed.once(_values_by_line)[item.line] == 1
    return line if is_alone and len(line) <= _LONGEST_WRITTEN and parsed.language.is_whole(line) else item.signature


def _values_by_line(parsed: Parsed) -> Counter[int]:
    return Counter(item.line for item in top_level(parsed).values() if isinstance(item, Visible))
