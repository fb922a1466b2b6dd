"""Functions of a Python file in which a person could be.

In: texts.  Out: places in them.  For makers of traces only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SHORT = 32
"""Characters of a statement that is typed in passing."""


@dataclass(frozen=True, slots=True)
class Function:
    """`line`: behind this line of its body (from 0) a statement may stand, indented by `indent`.  `parameters_end`:
    where one more parameter could stand, in the line of its `def`; None where that is not on one line.  `statements`:
    short simple ones of its body."""

    file: str
    name: str
    line: int
    indent: str
    def_line: int
    parameters_end: int | None
    statements: tuple[str, ...]


def functions(file: str, text: str, shortest: int = 5, longest: int = 45) -> list[Function]:
    """Of so many lines each; none for a text that is no Python."""
    try:
        parsed = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    lines = text.split("\n")
    return list(_found(parsed, file, lines, shortest, longest))


def _found(parsed: ast.AST, file: str, lines: list[str], shortest: int, longest: int) -> Iterator[Function]:
    for node in ast.walk(parsed):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.end_lineno is None:
            continue
        simple = [s for s in node.body if isinstance(s, ast.Assign | ast.Expr | ast.AnnAssign) and s.end_lineno]
        simple = [s for s in simple if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        sources = tuple(lines[s.lineno - 1].strip() for s in simple if s.lineno == s.end_lineno)
        sources = tuple(source for source in sources if len(source) <= SHORT)
        if not sources or not shortest <= node.end_lineno - node.lineno + 1 <= longest:
            continue
        statement = simple[len(simple) // 2]
        header = lines[node.lineno - 1]
        one_line = header.rstrip().endswith(":") and ") -> " in header
        yield Function(
            file=file,
            name=node.name,
            line=(statement.end_lineno or statement.lineno) - 1,
            indent=lines[statement.lineno - 1][: statement.col_offset],
            def_line=node.lineno - 1,
            parameters_end=header.rindex(") -> ") if one_line and "(self" in header else None,
            statements=sources,
        )


def all_functions(files: Mapping[str, str]) -> dict[str, list[Function]]:
    """Per file, where there are three at least."""
    found = {file: functions(file, text) for file, text in sorted(files.items())}
    return {file: places for file, places in found.items() if len(places) >= 3}
