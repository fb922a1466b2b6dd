"""Names: which ones some lines use, and which are visible in a scope.

In: a parse, lines or a scope.  Out: names with signatures.  Does not infer types or follow imports.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.definitions import OUTLINE_DEPTH
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import children, class_of, enclosing, file_scope, members, parts, signature
from palimpsest.syntax.values import Scope, ScopeKind

VisibleKind = Literal["parameter", "local", "attribute", "method", "function", "class", "constant", "import"]

_CALL = re.compile(r"((?:new )?(?:[\w.]|::)+)(?:<[\w<>, ]*>)?\(")
_POINTED = re.compile(r" ([*&]+) ")
"""The beginning of a declarator that says more about the type."""
_LITERAL = re.compile(r"[-\w.]+|\"[^\"\n]*\"|'[^'\n]*'")
_LONGEST_VALUE = 40
_LONGEST_WRITTEN = 120
MOST_LEVELS = 12
"""Names are searched in this many of the definitions around a place, the innermost ones. Each is searched whole, with
all that is nested in it: code that is nested 500 deep would take minutes."""


@dataclass(frozen=True, slots=True)
class Visible:
    """A name that is visible in a scope.

    `signature` is one line: `x: int`, `y = Foo(...)`, `def f(a) -> int:`, `from a import b`; `line` is 0-based, `type`
    the declared one.  The names of attributes and methods begin with the name of the object in the method,
    `self.items`, if the language needs that.
    """

    name: str
    kind: VisibleKind
    signature: str
    line: int
    type: str = ""


def names_in(parsed: Parsed, start_line: int, end_line: int) -> set[str]:
    """The identifiers that the lines `start..end` use: plain names and the heads of dotted ones.

    Not the members behind a dot, names of keyword arguments and definitions, nor what an import binds.
    """
    captures = parsed.captures("names", start_line, end_line)
    unused = {node.start_byte for node in captures.get("unused", ())}
    used = (node for node in captures.get("name", ()) if node.start_byte not in unused)
    return {parsed.text_of(node) for node in used if _inside(node, start_line, end_line)} - {""}


def visible(parsed: Parsed, scope: Scope) -> list[Visible]:
    """The names visible in a scope, innermost first; of equal names only the innermost.

    Order: the scope's own parameters and what it assigns and defines; for a method, the members of `self`; the same for
    the functions around it; the file's functions and classes, constants and imports.
    """
    found: dict[str, Visible] = {}
    for item in _visible(parsed, scope):
        found.setdefault(item.name, item)
    return list(found.values())


def receiver_in(parsed: Parsed, scope: Scope) -> str:
    """What a method around a scope, or the scope itself, calls its object; empty if it has no name there."""
    methods = (around for around in enclosing(scope) if around.kind == "function" and around.is_method)
    method = next(methods, None)
    return "" if method is None else _receiver(parsed, method, list(_parameters(parsed, method)))


def members_of(parsed: Parsed, cls: Scope) -> list[Visible]:
    """The attributes and methods of a class, as `visible` gives them in its body, and nothing from around it."""
    found: dict[str, Visible] = {}
    for item in _members(parsed, cls, ""):
        found.setdefault(item.name, item)
    return list(found.values())


def _visible(parsed: Parsed, scope: Scope) -> Iterator[Visible]:
    for level, around in enumerate(enclosing(scope)):
        if level >= MOST_LEVELS and around.kind != "file":
            continue
        if around.kind == "file":
            yield from parsed.once(_file_level)
        elif around.kind == "namespace":
            yield from _own(parsed, around, "constant")
        elif around.kind == "function":
            parameters = list(_parameters(parsed, around))
            yield from parameters
            yield from _own(parsed, around, "local")
            bare = parsed.language.bare_members
            receiver = "" if bare else _receiver(parsed, around, parameters)
            cls = class_of(parsed, around) if around.is_method and receiver else None
            if cls is not None:
                yield from _members(parsed, cls, receiver + parsed.language.member_marks[0])
            if bare and around.owner and (cls := class_of(parsed, around)) is not None:
                yield from _bare_members(parsed, cls)
        elif around is scope:
            yield from _members(parsed, around, "")
        elif parsed.language.bare_members:  # else visible in the class's own body only
            yield from _bare_members(parsed, around)


def _bare_members(parsed: Parsed, cls: Scope) -> Iterator[Visible]:
    for item in _members(parsed, cls, ""):
        if item.kind != "method" or not parsed.language.is_constructor(item.name, cls.name):
            yield item


def _parameters(parsed: Parsed, scope: Scope) -> Iterator[Visible]:
    header, lines = parsed.language.header(parsed, scope)
    for captures in header.matches("parameters", lines.start, lines.stop):
        node = captures["parameter"][0]
        if node.start_point.row not in lines:
            continue
        if "several" in captures:
            taken = header.language.bound(header, captures["several"][0])
            yield from (Visible(part, "parameter", part, scope.def_line) for part in taken)
            continue
        name, text = next(header.language.bound(header, node), None), header.text_of(node)
        if "name" in captures:
            name = header.text_of(captures["name"][0])
            is_alone = sum(name.is_named for name in node.children_by_field_name("name")) == 1
            text = text if is_alone or "type" not in captures else f"{name} {header.text_of(captures['type'][0])}"
        if name is not None:
            yield Visible(name, "parameter", text, scope.def_line)


def _receiver(parsed: Parsed, scope: Scope, parameters: list[Visible]) -> str:
    """What a method calls its object; empty if it has no name there."""
    if parsed.language.receiver or not scope.owner:
        return parsed.language.receiver or (parameters[0].name if parameters else "")
    header, lines = parsed.language.header(parsed, scope)
    found = (captures.get("receiver", ()) for captures in header.matches("parameters", lines.start, lines.stop))
    return next((header.text_of(node) for nodes in found for node in nodes if node.start_point.row in lines), "")


def _own(parsed: Parsed, scope: Scope, kind: VisibleKind, prefix: str = "") -> Iterator[Visible]:
    """The names that a scope's own lines assign, then those they define."""
    inner = children(parsed, scope)
    lines = (scope.body_start_line, scope.end_line) if scope.kind != "file" else None
    depth = OUTLINE_DEPTH if lines is None else None
    marks, sigil = parsed.language.member_marks, parsed.language.sigil if prefix else ""
    for name, text, line, type_ in _assigned(parsed, lines, inner, depth, scope.kind, of_object=bool(prefix)):
        is_itself = name == scope.name and line == scope.def_line  # a function that is a value, on one line
        if not is_itself and not any(mark in name for mark in marks):
            yield Visible(prefix + name.removeprefix(sigil), kind, prefix + text.removeprefix(sigil), line, type_)
    for child in inner:
        if not child.owner and not child.adds:
            yield _defined(parsed, child, prefix)


def _defined(parsed: Parsed, child: Scope, prefix: str) -> Visible:
    kind: VisibleKind = "method" if child.is_method else "function" if child.kind == "function" else "class"
    return Visible(prefix + child.name, kind, signature(parsed, child), child.def_line)


def _members(parsed: Parsed, scope: Scope, prefix: str) -> Iterator[Visible]:
    """A class's attributes, from its body and its initializers, then its methods."""
    marks = parsed.language.member_marks
    around = parts(parsed, scope) if prefix else [scope]
    own = [item for part in around for item in _own(parsed, part, "attribute", prefix)]
    own += [_defined(parsed, child, prefix) for child in members(parsed, scope) if child.owner]
    yield from (item for item in own if item.kind == "attribute")
    start = prefix or parsed.language.instance_mark
    for maker in members(parsed, scope) if start else ():
        if maker.name in parsed.language.initializers:
            lines = (maker.body_start_line, maker.end_line)
            for name, text, line, type_ in _assigned(parsed, lines, children(parsed, maker), None, maker.kind):
                if name.startswith(start) and not any(mark in name.removeprefix(start) for mark in marks):
                    yield Visible(name, "attribute", text, line, type_)
    yield from (item for item in own if item.kind != "attribute")


def _file_level(parsed: Parsed) -> tuple[Visible, ...]:
    own = list(_own(parsed, file_scope(parsed), "constant"))
    definitions = [item for item in own if item.kind != "constant"]
    constants = [item for item in own if item.kind == "constant"]
    imported = [
        Visible(item.bound, "import", parsed.language.import_written(parsed, item), item.line)
        for item in imports(parsed)
        if item.bound != "*"
    ]
    return (*definitions, *constants, *imported)


def _assigned(
    parsed: Parsed,
    lines: tuple[int, int] | None,
    inner: list[Scope],
    max_depth: int | None,
    kind: ScopeKind,
    *,
    of_object: bool = False,
) -> Iterator[tuple[str, str, int, str]]:
    """(name, signature, line, type) of each assignment in the lines, in document order, without those inside
    definitions; `of_object`: nor what belongs to a class and not to its objects."""
    start, end = (None, 0) if lines is None else lines
    hidden = {line for scope in inner for line in range(scope.start_line, scope.end_line)}
    matches = parsed.matches("assignments", start, end, max_depth=max_depth)
    skipped = {node.id for captures in matches for node in captures.get("static", ())} if of_object else set()
    for captures in matches:
        if "target" not in captures or "static" in captures or not _may_have(kind, captures):
            continue
        target = captures["target"][0]
        line = target.start_point.row
        is_hidden = line in hidden and "promoted" not in captures
        if is_hidden or target.id in skipped or (lines is not None and not _inside(target, *lines)):
            continue
        names = list(parsed.language.bound(parsed, target))
        for name in names:
            type_ = _type(parsed, captures, alone=len(names) == 1)
            text = ("" if of_object else _written(parsed, captures)) or name
            if type_ and parsed.language.type_first:
                text = _POINTED.sub(r" \1", f"{type_} {' '.join(parsed.text_of(target).split())}", count=1)
            elif type_:
                text = f"{name}{parsed.language.type_mark}{type_}"
            elif len(names) == 1 and "value" in captures:
                text = name + _short_value(parsed.text_of(captures["value"][0]))
            yield name, text, line, type_


def _may_have(kind: ScopeKind, captures: Mapping[str, Sequence[Node]]) -> bool:
    """Whether a scope of that kind has what is assigned there."""
    if "member" in captures or "promoted" in captures:
        return kind == "class"
    return kind == "function" or "local" not in captures


def _written(parsed: Parsed, captures: Mapping[str, Sequence[Node]]) -> str:
    """A whole declaration, where its parts would not say how it is written; empty if it is long."""
    text = " ".join(parsed.text_of(captures["written"][0]).split()) if "written" in captures else ""
    return text if len(text) <= _LONGEST_WRITTEN else ""


def _type(parsed: Parsed, captures: dict[str, list[Node]], *, alone: bool) -> str:
    nodes = captures.get("types", captures.get("type", []) if alone else [])
    mark = parsed.text_of(captures["mark"][0]) if "mark" in captures else ""
    return mark + " ".join(parsed.text_of(nodes[0]).split()) if nodes else ""


def _short_value(value: str) -> str:
    """` = Foo(...)` for a call, ` = 3` for a short literal or name, else nothing."""
    call = _CALL.match(value)
    if call is not None and value.endswith(")"):
        return f" = {call[1]}(...)"
    if len(value) <= _LONGEST_VALUE and _LITERAL.fullmatch(value):
        return f" = {value}"
    return ""


def _inside(node: Node, start_line: int, end_line: int) -> bool:
    return start_line <= node.start_point.row < end_line
