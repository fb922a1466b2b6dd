"""Names: which ones some lines use, and which are visible in a scope.

In: a parse, lines or a scope.  Out: names with signatures.  Does not infer types or follow imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.definitions import OUTLINE_DEPTH
from palimpsest.syntax.imports import Import, imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import Scope, children, enclosing, file_scope, signature

__all__ = ["Import", "Visible", "VisibleKind", "attributes_in", "imports", "names_in", "visible"]

VisibleKind = Literal["parameter", "local", "attribute", "method", "function", "class", "constant", "import"]

_CALL = re.compile(r"([\w.]+)\(")
_LITERAL = re.compile(r"[-\w.]+|\"[^\"\n]*\"|'[^'\n]*'")
_LONGEST_VALUE = 40


@dataclass(frozen=True, slots=True)
class Visible:
    """A name that is visible in a scope.

    `signature` is one line: `x: int`, `y = Foo(...)`, `def f(a) -> int:`, `from a import b`; `line` is 0-based.  The
    names of attributes and methods begin with the method's own first parameter: `self.items`.
    """

    name: str
    kind: VisibleKind
    signature: str
    line: int


def names_in(parsed: Parsed, start_line: int, end_line: int) -> set[str]:
    """The identifiers that the lines `start..end` use: plain names and the heads of dotted ones.

    Not the members behind a dot, names of keyword arguments and definitions, nor what an import binds.
    """
    captures = parsed.captures("names", start_line, end_line)
    unused = {node.start_byte for node in captures.get("unused", ())}
    used = (node for node in captures.get("name", ()) if node.start_byte not in unused)
    return {parsed.text_of(node) for node in used if _inside(node, start_line, end_line)} - {""}


def attributes_in(parsed: Parsed, start_line: int, end_line: int) -> set[tuple[str, str]]:
    """(head, attribute) for every `head.attribute` in the lines `start..end` whose head is a plain name."""
    found = set()
    for captures in parsed.matches("attributes", start_line, end_line):
        if _inside(captures["attr"][0], start_line, end_line):
            found.add((parsed.text_of(captures["head"][0]), parsed.text_of(captures["attr"][0])))
    return found


def visible(parsed: Parsed, scope: Scope) -> list[Visible]:
    """The names visible in a scope, innermost first; of equal names only the innermost.

    Order: the scope's own parameters and what it assigns and defines; for a method, the members of `self`; the same for
    the functions around it; the file's functions and classes, constants and imports.
    """
    found: dict[str, Visible] = {}
    for item in _visible(parsed, scope):
        found.setdefault(item.name, item)
    return list(found.values())


def _visible(parsed: Parsed, scope: Scope) -> Iterator[Visible]:
    for around in enclosing(scope):
        if around.kind == "file":
            yield from parsed.once(_file_level)
        elif around.kind == "function":
            parameters = list(_parameters(parsed, around))
            yield from parameters
            yield from _own(parsed, around, "local")
            receiver = parsed.language.receiver or (parameters[0].name if parameters else "")
            if around.is_method and around.parent is not None and receiver:
                yield from _members(parsed, around.parent, receiver + ".")
        elif around is scope:  # a class's names are not visible in its methods, only in its own body
            yield from _members(parsed, around, "")


def _parameters(parsed: Parsed, scope: Scope) -> Iterator[Visible]:
    header, lines = parsed.language.header(parsed, scope)
    for captures in header.matches("parameters", lines.start, lines.stop):
        node = captures["parameter"][0]
        if node.start_point.row not in lines:
            continue
        name = next(header.language.bound(header, node), None)
        if name is not None:
            yield Visible(name, "parameter", header.text_of(node), scope.def_line)


def _own(parsed: Parsed, scope: Scope, kind: VisibleKind, prefix: str = "") -> Iterator[Visible]:
    """The names that a scope's own lines assign, then those they define."""
    inner = children(parsed, scope)
    lines = (scope.body_start_line, scope.end_line) if scope.kind != "file" else None
    depth = OUTLINE_DEPTH if lines is None else None
    for name, text, line in _assigned(parsed, lines, inner, depth):
        if "." not in name:
            yield Visible(prefix + name, kind, prefix + text, line)
    for child in inner:
        child_kind: VisibleKind = "class" if child.kind == "class" else "method" if child.is_method else "function"
        yield Visible(prefix + child.name, child_kind, signature(parsed, child), child.def_line)


def _members(parsed: Parsed, scope: Scope, prefix: str) -> Iterator[Visible]:
    """A class's attributes, from its body and its initializers, then its methods."""
    own = list(_own(parsed, scope, "attribute", prefix))
    yield from (item for item in own if item.kind == "attribute")
    for maker in children(parsed, scope) if prefix else ():
        if maker.name in parsed.language.initializers:
            lines = (maker.body_start_line, maker.end_line)
            for name, text, line in _assigned(parsed, lines, children(parsed, maker), None):
                if name.startswith(prefix) and name.count(".") == 1:
                    yield Visible(name, "attribute", text, line)
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
    parsed: Parsed, lines: tuple[int, int] | None, inner: list[Scope], max_depth: int | None
) -> Iterator[tuple[str, str, int]]:
    """(name, signature, line) of each assignment in the lines, in document order, without those inside definitions."""
    start, end = (None, 0) if lines is None else lines
    hidden = {line for scope in inner for line in range(scope.start_line, scope.end_line)}
    for captures in parsed.matches("assignments", start, end, max_depth=max_depth):
        if "target" not in captures:
            continue
        target = captures["target"][0]
        line = target.start_point.row
        if line in hidden or (lines is not None and not _inside(target, *lines)):
            continue
        names = list(parsed.language.bound(parsed, target))
        for name in names:
            text = name
            if len(names) == 1 and "type" in captures:
                text = f"{name}: {' '.join(parsed.text_of(captures['type'][0]).split())}"
            elif len(names) == 1 and "value" in captures:
                text = name + _short_value(parsed.text_of(captures["value"][0]))
            yield name, text, line


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
