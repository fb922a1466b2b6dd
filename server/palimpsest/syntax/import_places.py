"""Where a new import goes in a document.

In: a parse, an import as a statement.  Out: an edit of lines.  Knows no style but where imports stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from palimpsest.syntax.definitions import end_line
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.types import LineEdit


def added(parsed: Parsed, item: Import, statement: str) -> LineEdit:
    """Behind the last import of the same module, else behind the last of those at the top of the file, else above the
    code: behind what documents the file or must be first in it."""
    lines = parsed.snapshot.lines
    above = [one for one in imports(parsed) if _is_outer(parsed, one)]
    same = [one for one in above if (one.module, one.level) == (item.module, item.level)]
    together = list(_together(parsed, above))
    if same or together:
        last = max(_end(parsed, one) for one in same or together)
        return LineEdit(last, last, (statement,))
    first = _first_line(parsed)
    before = ("",) if first and lines[first - 1].strip() else ()
    behind = ("",) if first < len(lines) and lines[first].strip() else ()
    return LineEdit(first, first, (*before, statement, *behind))


def import_edits(parsed: Parsed, items: Sequence[Import]) -> Iterator[LineEdit]:
    """Those that add imports, sorted; one for each place."""
    by_line = dict[int, LineEdit]()
    for item in items:
        if statement := parsed.language.import_added(parsed, item):
            edit = added(parsed, item, statement)
            known = by_line.get(edit.start)
            lines = edit.lines if known is None else (*[one for one in known.lines if one], statement)
            by_line[edit.start] = replace(edit, lines=lines)
    yield from (by_line[line] for line in sorted(by_line))


def _is_outer(parsed: Parsed, item: Import) -> bool:
    line = parsed.snapshot.lines[item.line]
    return line[:1].strip() != "" and parsed.lines.start <= item.line < parsed.lines.stop


def _together(parsed: Parsed, above: list[Import]) -> Iterator[Import]:
    """Those before the first line of code; an import between code is there for a reason of its own."""
    ends = 0
    for item in above:
        between = parsed.snapshot.lines[ends : item.line] if ends else []
        if any(line.strip() and not line.startswith(parsed.language.lexical.line_comments) for line in between):
            return
        ends = _end(parsed, item)
        yield item


def _end(parsed: Parsed, item: Import) -> int:
    """The line behind its statement."""
    found = (captures["import"][0] for captures in parsed.matches("imports", item.line, item.line + 1))
    ends = [end_line(node) for node in found if node.start_point.row == item.line]
    return max(ends, default=item.line + 1)


def _first_line(parsed: Parsed) -> int:
    """Of the code that documents nothing; a comment right above some code is about that, unless that is what must be
    first."""
    end = parsed.lines.start
    nodes = parsed.root.children if parsed.root is not None else []
    before = parsed.language.before_imports
    must = next((i for i, node in enumerate(nodes) if node.type in before or _is_string(node)), None)
    if must is not None and (nodes[must].type in before or all("comment" in node.type for node in nodes[:must])):
        end, nodes = end_line(nodes[must]), nodes[must + 1 :]
    for node in nodes:
        row = end_line(node)
        is_apart = row < len(parsed.snapshot.lines) and not parsed.snapshot.lines[row].strip()
        is_first = node.type in before or _is_string(node)
        is_first = is_first or ("comment" in node.type and (is_apart or parsed.snapshot.text.startswith("#!")))
        if not is_first:
            break
        end = row
    return end


def _is_string(node: Node) -> bool:
    """A file's documentation, `"use strict"`."""
    inner = node.named_children
    return node.type == "expression_statement" and len(inner) == 1 and inner[0].type.endswith("string")
