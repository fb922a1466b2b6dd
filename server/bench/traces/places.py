"""Functions of a file in which a person could be, in any language with a grammar.

In: texts.  Out: places in them.  For makers of traces only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.values import Scope

SHORT = 32
"""Characters of a statement that is typed in passing."""
_STATEMENT = re.compile(r"(?!(return|throw|raise|break|continue|else|end|case|super)\b)[\w$@*&].*([)\];]|\s:?=\s.*\w)")
"""A line of code that may well stand twice: it opens nothing, and what comes behind it is still reached."""


@dataclass(frozen=True, slots=True)
class Function:
    """`line`: behind this line of its body (from 0) a statement may stand, indented by `indent`.  `parameters_end`:
    where one more parameter could stand, in the line of its `def`; None where that is not on one line, or in another
    language than Python.  `statements`: short simple ones of its body.  `is_top`: nothing is around it."""

    file: str
    name: str
    line: int
    indent: str
    def_line: int
    parameters_end: int | None
    statements: tuple[str, ...]
    text: str
    is_top: bool


def has_functions(file: str) -> bool:
    """Whether its language has a grammar, by its name."""
    return language_of("", file).grammar is not None


def functions(file: str, text: str, shortest: int = 5, longest: int = 45) -> list[Function]:
    """Of so many lines each."""
    if not has_functions(file):
        return []
    parsed = parse_text(text, language_of("", file))
    return [found for scope in scopes(parsed) for found in _found(parsed, file, scope, shortest, longest)]


def _found(parsed: Parsed, file: str, scope: Scope, shortest: int, longest: int) -> Iterator[Function]:
    n_lines = scope.end_line - scope.def_line
    if scope.kind not in ("function", "method") or not shortest <= n_lines <= longest:
        return
    lines = parsed.snapshot.lines
    body = [(at, lines[at]) for at in range(scope.def_line + 1, scope.end_line) if lines[at].strip()]
    indent = min((_indent(line) for _, line in body[:-1]), key=len, default="")
    here = [(at, line.strip()) for at, line in body if _indent(line) == indent]
    simple = [(at, line) for at, line in here if len(line) <= SHORT and _STATEMENT.fullmatch(line)]
    if not simple:
        return
    header = lines[scope.def_line]
    one_line = header.rstrip().endswith(":") and ") -> " in header and "(self" in header
    yield Function(
        file=file,
        name=scope.qualified_name,
        line=simple[len(simple) // 2][0],
        indent=indent,
        def_line=scope.def_line,
        parameters_end=header.rindex(") -> ") if one_line else None,
        statements=tuple(line for _, line in simple),
        text="\n".join(lines[scope.def_line : scope.end_line]),
        is_top=scope.parent is None or scope.parent.kind == "file",
    )


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def all_functions(files: Mapping[str, str]) -> dict[str, list[Function]]:
    """Per file, where there are three at least."""
    found = {file: functions(file, text) for file, text in sorted(files.items())}
    return {file: places for file, places in found.items() if len(places) >= 3}
