"""Pure: the sites of a change in one file.

In: a change, the edited file as it is now, a file.  Out: sites in document order.  Sites are looked up in the current
texts, so they are never stale, and one that has been edited is no longer found.

Of a new signature, these are the calls.  The value of a new parameter is left open, unless a name like the parameter's
is visible at the call.  A call stays as it is if the tree does not determine its new arguments, as with unpacked ones
or if it does not fit the old parameters.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
from palimpsest.next_edits.renaming import callee, rename_places
from palimpsest.next_edits.tags import tag_places
from palimpsest.next_edits.targets import File, referring, where
from palimpsest.syntax.calls import Argument, Call, Function, Parameter, calls, functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import visible
from palimpsest.syntax.pairs import pairs
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import scope_at, scopes
from palimpsest.syntax.uses import uses
from palimpsest.text.alike import ends_alike

_FILLS = frozenset({"parameter", "local", "constant"})


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


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """An argument's text; `wants` names a parameter whose value must still be chosen, at the end of the text."""

    text: str
    wants: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`text` replaces the bytes `start..end`; `hole` is where, in characters of `text`, the value of `wants` goes."""

    start: int
    end: int
    text: str
    hole: int | None = None
    wants: str = ""


def bound(call: Call, parameters: Sequence[Parameter]) -> dict[str, Argument] | None:
    """The arguments by parameter, or None if they do not fit."""
    plain = [p for p in parameters if p.kind == "plain"]
    named = {p.name for p in parameters if p.kind in ("plain", "keyword")}
    by_name = dict[str, Argument]()
    for n, argument in enumerate(call.arguments):
        if argument.star:
            return None
        if not argument.keyword and n >= len(plain):
            return None
        name = argument.keyword or plain[n].name
        if name not in named or name in by_name:
            return None
        by_name[name] = argument
    missing = [p for p in parameters if p.kind in ("plain", "keyword") and not p.default and p.name not in by_name]
    return None if missing else by_name


def rearranged(
    call: Call,
    before: Sequence[Parameter],
    after: Sequence[Parameter],
    renamed: Mapping[str, str],
    language: Language,
) -> list[ArgumentText] | None:
    """The parts of the call's new arguments, or None if they are unknown.  `renamed`: old names to new names."""
    given = bound(call, before)
    if given is None:
        return None
    known = {p.name: p.value for p in before}
    positional, keyword = list[ArgumentText](), dict[str, ArgumentText]()
    in_order = True
    for parameter in after:
        if parameter.kind not in ("plain", "keyword"):
            in_order = in_order and parameter.text == "/"
            continue
        old = renamed.get(parameter.name, parameter.name)
        in_order = in_order and parameter.kind == "plain"
        argument = given.get(old)
        if argument is not None:
            if not argument.keyword and in_order:
                positional.append(ArgumentText(argument.text))
            else:
                written = language.by_name(parameter.name, argument.value)
                if written is None:
                    return None
                keyword[old], in_order = ArgumentText(written), False
        elif parameter.default:
            in_order = False
        else:  # values so far given by a default must now be written out; new ones must be chosen
            value, wants = known.get(old, ""), "" if known.get(old) else parameter.name
            written = value if in_order else language.by_name(parameter.name, value)
            if written is None:
                return None
            if in_order:
                positional.append(ArgumentText(written, wants))
            else:
                keyword[old] = ArgumentText(written, wants)
    order = [a.keyword for a in call.arguments if a.keyword in keyword]
    rest = [name for name in keyword if name not in order]
    return [*positional, *(keyword[name] for name in [*order, *rest])]


def rewrite(call: Call, pieces: Sequence[ArgumentText]) -> Rewrite | None:
    """The smallest edit of whole arguments that turns the call's arguments into `pieces`; None if nothing changes.

    `Call` has no separators, so a changed part is joined by a comma and a space.
    """
    old, new = [ArgumentText(a.text) for a in call.arguments], list(pieces)
    if old == new:
        return None
    first, last = ends_alike(old, new)
    changed = new[first : len(new) - last]
    text = ", ".join(piece.text for piece in changed)
    arguments, end = call.arguments, len(old) - last
    lead = tail = ""
    if first < end and changed:
        start, stop = arguments[first].start, arguments[end - 1].end
    elif changed:  # inserted
        start = stop = arguments[first - 1].end if first else (arguments[0].start if arguments else call.inner[0])
        lead, tail = (", ", "") if first else ("", ", " if arguments else "")
    elif first:  # removed, after arguments that stay
        start, stop = arguments[first - 1].end, arguments[end - 1].end
    else:
        start, stop = arguments[0].start, arguments[end].start if end < len(arguments) else call.inner[1]
    hole, wants, at = None, "", len(lead)
    for piece in changed:
        at += len(piece.text)
        if piece.wants:
            hole, wants = at, piece.wants
        at += 2
    return Rewrite(start, stop, lead + text + tail, hole, wants)


def argument_places(change: SignatureChange, home: File, file: File, alone: bool) -> Iterator[Site]:
    if not _stands(change, home) or _is_overloaded(change, home):
        return
    yield from _mates(change, home, file)
    before, after = change.before, change.after
    if change.is_method and _takes_receiver(change, home):
        before, after = before[1:], after[1:]
    renamed = {new: old for old, new in change.renamed}
    adds = {p.name for p in after} - {p.name for p in before}
    drops = {p.name for p in before} - {p.name for p in after}
    for call in called(_qualified(change), home, file, alone):
        pieces = rearranged(call, before, after, renamed, file.parsed.language)
        made = None if pieces is None else rewrite(call, pieces)
        if made is None or sum(bool(piece.wants) for piece in pieces or ()) > 1:
            continue
        yield _place(file, call, made, change.name, sure=bool(adds or drops))


def await_places(change: AsyncChange, home: File, file: File, alone: bool) -> Iterator[Site]:
    if not any(f.is_async and f.name == change.name for f in functions(home.parsed)):
        return
    for call in called(_qualified(change), home, file, alone):
        around = _function_at(file.parsed, call.line)
        if call.awaited or around is None or not around.is_async:
            continue
        text = file.parsed.snapshot.utf8[call.start : call.end].decode("utf-8", "surrogatepass")
        new = file.parsed.language.awaited(text, chained=call.chained)
        scope = where(file.parsed, call.line)
        yield Site(file.uri, call.start, call.end, text, new, "async", f"{change.name} is awaited", scope)


def called(scope: str, home: File, file: File, alone: bool) -> Iterator[Call]:
    """The calls of the function with that qualified name, in document order."""
    line, there = -1, dict[int, Call]()
    for use in referring(file, callee(scope, home, alone)):
        if use.line != line:  # a line of a file that was made small has thousands
            line, there = use.line, {call.name_start: call for call in calls(file.parsed, use.line, use.line + 1)}
        if use.start in there:
            yield there[use.start]


def _qualified(change: SignatureChange | AsyncChange) -> str:
    return f"{change.scope}.{change.name}".lstrip(".")


def _stands(change: SignatureChange, home: File) -> bool:
    """Whether the function still has the parameters that the change gave it."""
    expected = [(p.name, p.kind, p.default) for p in change.after]
    return any(
        where(home.parsed, f.line) == _qualified(change)
        and [(p.name, p.kind, p.default) for p in f.parameters] == expected
        for f in functions(home.parsed)
        if f.name == change.name
    )


def _mates(change: SignatureChange, home: File, file: File) -> Iterator[Site]:
    """Where the same function is declared or defined in another place."""
    parsed = file.parsed
    if not parsed.language.declares or not (file.home or file.sees(home.name)):
        return
    owner = change.scope.rpartition(".")[2]
    for function in functions(parsed):
        around = where(parsed, function.line).rpartition(".")[0].rpartition(".")[2]
        if function.name != change.name or around != owner or _kinds(function.parameters) != _kinds(change.before):
            continue
        own = {p.name: p for p in function.parameters if p.name}
        names = {new: old for old, new in change.renamed}
        texts, may_have_default = list[str](), True
        for given in reversed(change.after):
            own_parameter = own.get(names.get(given.name, given.name))
            may_have_default = may_have_default and own_parameter is not None and own_parameter.default
            texts.insert(
                0,
                own_parameter.text
                if own_parameter is not None and may_have_default
                else _without_default(own_parameter or given),
            )
        start, end = function.inner
        before = parsed.snapshot.utf8[start:end].decode("utf-8", "surrogatepass")
        message = f"{change.name} has other parameters now"
        yield Site(file.uri, start, end, before, ", ".join(texts), "signature", message, where(parsed, function.line))


def _kinds(parameters: Sequence[Parameter]) -> list[str]:
    """Parameters without their names and defaults, which a declaration need not repeat."""
    return [
        re.sub(rf"\b{re.escape(p.name)}\b" if p.name else "(?!)", "", _without_default(p)).strip() for p in parameters
    ]


def _without_default(parameter: Parameter) -> str:
    return parameter.text.partition("=")[0].rstrip() if parameter.default else parameter.text


def _is_overloaded(change: SignatureChange, home: File) -> bool:
    """Whether calls may mean another function of that name."""
    parsed = home.parsed
    named = [f for f in functions(parsed) if f.name == change.name and where(parsed, f.line) == _qualified(change)]
    mates = [f for f in named if parsed.language.declares and _kinds(f.parameters) == _kinds(change.before)]
    return parsed.language.overloads and len(named) - len(mates) > 1


def _takes_receiver(change: SignatureChange, home: File) -> bool:
    scope = next((s for s in scopes(home.parsed) if s.qualified_name == _qualified(change)), None)
    return scope is None or home.parsed.language.takes_receiver(home.parsed, scope)


def _function_at(parsed: Parsed, line: int) -> Function | None:
    scope = scope_at(parsed, line, 0)
    if scope.kind != "function":
        return None
    return next((f for f in functions(parsed, scope.def_line, scope.def_line + 1) if f.name == scope.name), None)


def _place(file: File, call: Call, made: Rewrite, name: str, *, sure: bool) -> Site:
    text, hole = made.text, made.hole
    if made.wants and hole is not None and _is_at_hand(file.parsed, call, made.wants):
        text, hole = text[:hole] + made.wants + text[hole:], None
    before = file.parsed.snapshot.utf8[made.start : made.end].decode("utf-8", "surrogatepass")
    message = f"{name} is called in another way now"
    scope = where(file.parsed, call.line)
    return Site(file.uri, made.start, made.end, before, text, "signature", message, scope, hole, made.wants, sure)


def _is_at_hand(parsed: Parsed, call: Call, name: str) -> bool:
    scope = scope_at(parsed, call.line, 0)
    return any(item.name == name and item.kind in _FILLS for item in visible(parsed, scope))
