"""Which function or class a line belongs to.

In: a parse.  Out: scopes, their signatures and docstrings.  This room knows no editor.

A line belongs to the innermost definition whose lines hold it; decorators and docstrings are a definition's own lines,
a lambda is no scope.  A blank line or a comment behind a definition's last line still belongs to it if it is indented
deeper than the definition: that is where a person goes on typing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.syntax.definitions import OUTLINE_DEPTH, all_headers, headers_at, headers_between
from palimpsest.syntax.header_text import after_colon, docstring_text, one_line
from palimpsest.syntax.indents import Header, indent_width
from palimpsest.syntax.parse import Parsed

ScopeKind = Literal["function", "class", "file"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Lines are 0-based and half-open; `start_line` counts decorators.

    `qualified_name` joins the names of the definitions around it with "." (`Cart.add`, `outer.inner`); a file's is
    empty.  `header_end_line` is behind the header's last line; `body_start_line` the same, or the line before where the
    body begins on the header's own line.
    """

    kind: ScopeKind
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    def_line: int
    header_end_line: int
    body_start_line: int
    indent: int
    parent: Scope | None

    @property
    def is_method(self) -> bool:
        return self.kind == "function" and self.parent is not None and self.parent.kind == "class"


def file_scope(parsed: Parsed) -> Scope:
    return Scope("file", "", "", 0, parsed.snapshot.line_count, 0, 0, 0, -1, None)


def scopes(parsed: Parsed) -> list[Scope]:
    """Every scope: the file, then definitions in order of their first line, an outer one before its inner ones."""
    return list(parsed.once(_all_scopes))


def scope_at(parsed: Parsed, line: int, column: int) -> Scope:
    """The innermost scope at a position (code points); a position that does not exist is clamped."""
    lines = parsed.snapshot.lines
    line = max(0, min(line, len(lines) - 1))
    text = lines[line]
    chain = _chain(parsed, line)
    if not _is_code(text):
        width = indent_width(text if text.strip() else text[: max(0, column)])
        before = next((n for n in range(line - 1, -1, -1) if _is_code(lines[n])), None)
        deeper = _chain(parsed, before)[len(chain) :] if before is not None else ()
        for scope in deeper:
            if scope.indent >= width:
                break
            chain = (*chain, scope)
    return chain[-1]


def enclosing(scope: Scope) -> Iterator[Scope]:
    """The scope itself, then those around it, the file last."""
    around: Scope | None = scope
    while around is not None:
        yield around
        around = around.parent


def children(parsed: Parsed, scope: Scope) -> list[Scope]:
    """The definitions directly inside a scope, in order; of a file, those in at most two compound statements."""
    if scope.kind == "file":
        return [inner for inner in parsed.once(_outline) if inner.parent == scope]
    inside = headers_between(parsed, scope.start_line, scope.end_line)
    return [
        inner for inner in _nest(scope, [h for h in inside if h.def_line != scope.def_line]) if inner.parent == scope
    ]


def signature(parsed: Parsed, scope: Scope) -> str:
    """From `def` (or `async`) or `class` through the colon, on one logical line; a file's is empty."""
    if scope.kind == "file":
        return ""
    header = parsed.snapshot.lines[scope.def_line : scope.header_end_line]
    return one_line("\n".join(header).lstrip())[0]


def docstring(parsed: Parsed, scope: Scope) -> str | None:
    """The docstring without its indent, escapes as written; None where there is none."""
    lines = parsed.snapshot.lines
    if scope.body_start_line == scope.header_end_line:
        return docstring_text("\n".join(lines[scope.body_start_line : scope.end_line]).removeprefix("\ufeff"))
    return docstring_text(after_colon("\n".join(lines[scope.def_line : scope.end_line])))


def _is_code(text: str) -> bool:
    stripped = text.strip()
    return bool(stripped) and not stripped.startswith("#")


def _all_scopes(parsed: Parsed) -> tuple[Scope, ...]:
    file = file_scope(parsed)
    return (file, *_nest(file, all_headers(parsed)))


def _outline(parsed: Parsed) -> tuple[Scope, ...]:
    return tuple(_nest(file_scope(parsed), all_headers(parsed, OUTLINE_DEPTH)))


def _chain(parsed: Parsed, line: int) -> tuple[Scope, ...]:
    """The file and the definitions whose lines hold `line`, outermost first."""
    file = file_scope(parsed)
    return (file, *_nest(file, headers_at(parsed, line)))


def _nest(root: Scope, headers: Sequence[Header]) -> list[Scope]:
    """Scopes inside `root`, an outer one before its inner ones."""
    nested: list[Scope] = []
    around = [root]
    for header in sorted(headers, key=lambda header: (header.start_line, -header.end_line)):
        while len(around) > 1 and around[-1].end_line <= header.start_line:
            around.pop()
        parent = around[-1]
        scope = Scope(
            header.kind,
            header.name,
            f"{parent.qualified_name}.{header.name}".lstrip("."),
            header.start_line,
            header.end_line,
            header.def_line,
            header.header_end_line,
            header.body_start_line,
            header.indent,
            parent,
        )
        nested.append(scope)
        around.append(scope)
    return nested
