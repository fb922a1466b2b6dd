"""Which function or class a line belongs to.

In: a parse.  Out: scopes, their signatures and documentation.  Does not know about editors.

A line belongs to the innermost definition whose lines contain it.  Decorators and documentation are a definition's own
lines; a lambda is no scope.  A blank line or a comment after a definition's last line belongs to it if it is indented
deeper than the definition, since that is where a person continues to type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.syntax.definitions import OUTLINE_DEPTH, all_headers, headers_at, headers_between
from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Header, Scope, ScopeKind

__all__ = [
    "Scope",
    "ScopeKind",
    "children",
    "class_around",
    "docstring",
    "enclosing",
    "file_scope",
    "scope_at",
    "scopes",
    "signature",
]


def file_scope(parsed: Parsed) -> Scope:
    return Scope("file", "", "", 0, parsed.snapshot.line_count, 0, 0, 0, -1, None)


def scopes(parsed: Parsed) -> list[Scope]:
    """Every scope: the file, then definitions in order of their first line, an outer one before its inner ones."""
    return list(parsed.once(_all_scopes))


def scope_at(parsed: Parsed, line: int, column: int) -> Scope:
    """The innermost scope at a position (code points); a position outside the document is clamped."""
    lines = parsed.snapshot.lines
    line = max(0, min(line, len(lines) - 1))
    text = lines[line]
    chain = _chain(parsed, line)
    if not _is_code(parsed, line):
        width = indent_width(text if text.strip() else text[: max(0, column)])
        before = next((n for n in range(line - 1, -1, -1) if _is_code(parsed, n)), None)
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
    """The definitions directly inside a scope, in order; for a file, also those in up to two compound statements."""
    if scope.kind == "file":
        return [inner for inner in parsed.once(_outline) if inner.parent == scope]
    inside = headers_between(parsed, scope.start_line, scope.end_line)
    return [
        inner for inner in _nest(scope, [h for h in inside if h.def_line != scope.def_line]) if inner.parent == scope
    ]


def signature(parsed: Parsed, scope: Scope) -> str:
    """The header on one logical line, decorators left out; a file's is empty."""
    return "" if scope.kind == "file" else parsed.language.signature(parsed, scope)


def docstring(parsed: Parsed, scope: Scope) -> str | None:
    """The docstring without its indent, escapes as written; None where there is none."""
    return parsed.language.docstring(parsed, scope)


def class_around(parsed: Parsed, line: int) -> Scope | None:
    """The innermost class that a line belongs to, including lines of its methods."""
    return next((scope for scope in enclosing(scope_at(parsed, line, 0)) if scope.kind == "class"), None)


def _is_code(parsed: Parsed, line: int) -> bool:
    stripped = parsed.snapshot.lines[line].strip()
    return bool(stripped) and not stripped.startswith(parsed.language.lexical.line_comments)


def _all_scopes(parsed: Parsed) -> tuple[Scope, ...]:
    file = file_scope(parsed)
    return (file, *_nest(file, all_headers(parsed)))


def _outline(parsed: Parsed) -> tuple[Scope, ...]:
    return tuple(_nest(file_scope(parsed), all_headers(parsed, OUTLINE_DEPTH)))


def _chain(parsed: Parsed, line: int) -> tuple[Scope, ...]:
    """The file and the definitions whose lines include `line`, outermost first."""
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
