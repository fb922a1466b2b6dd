"""The docstring of a scope, read from its text, so that it is also found in code that does not parse.

In: a parse and a scope.  Out: its text, its lines.
"""

from __future__ import annotations

from palimpsest.languages.python.headers import after_colon, docstring_text
from palimpsest.languages.python.lines import statements
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Scope


def docstring(parsed: Parsed, scope: Scope) -> str | None:
    lines = parsed.snapshot.lines
    if scope.body_start_line == scope.header_end_line:
        return docstring_text("\n".join(lines[scope.body_start_line : scope.end_line]).removeprefix("\ufeff"))
    return docstring_text(after_colon("\n".join(lines[scope.def_line : scope.end_line])))


def docstring_lines(parsed: Parsed, scope: Scope, end: int) -> tuple[int, int]:
    lines = parsed.snapshot.lines
    if scope.body_start_line < scope.header_end_line:
        return 0, 0
    for statement in statements(lines, scope.body_start_line, end):
        text = lines[statement.start].strip()
        if text.startswith("#"):
            continue
        if text.lstrip("rRuU")[:1] not in ("'", '"'):
            return 0, 0
        is_bare = text.lstrip("rRuU").rstrip("\\") in ('"""', "'''")
        return min(statement.start + 1 + is_bare, statement.stop), statement.stop
    return 0, 0
