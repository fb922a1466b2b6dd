"""Where a new import goes in a document: into one of the same module, or on a line of its own.

In: a parse, imports.  Out: edits of lines.  Knows no style but where imports stand, and how names are in order there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tree_sitter import Node

from palimpsest.syntax.definitions import end_line
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.types import LineEdit

MOST_COLUMNS, MOST_WIDE = 88, 120
"""A line may become as wide as the first, or as the widest of the file, up to the second."""
_BEGINS = re.compile(r"(?:from\s+[\w.]+\s+import|import(?:\s+[\w$]+\s*,)?)\s*[({]\s*")
"""An import of names that stand on the lines below it, a line each; not of types alone."""
_NAME = re.compile(r"[\w$]+(?: as [\w$]+)?")


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
    places = dict[tuple[int, int], LineEdit]()
    for item in items:
        if not (statement := parsed.language.import_added(parsed, item)):
            continue
        edit = next(_joined(parsed, item, places), None) or added(parsed, item, statement)
        known = places.get((edit.start, edit.end))
        if known is not None and edit.start == edit.end:
            edit = replace(edit, lines=(*[one for one in known.lines if one], statement))
        places[edit.start, edit.end] = edit
    yield from (places[place] for place in sorted(places))


def _joined(parsed: Parsed, item: Import, places: Mapping[tuple[int, int], LineEdit]) -> Iterator[LineEdit]:
    """The ways to add a name to an import of other names of its module; `places`: what was added already."""
    if item.name is None or parsed.language.names_imported is None:
        return
    spelt = f"{item.name} as {item.alias}" if item.alias else item.name
    if not _NAME.fullmatch(spelt):
        return
    widest = max(MOST_COLUMNS, min(MOST_WIDE, max(map(len, parsed.snapshot.lines))))
    above = [one for one in imports(parsed) if _is_outer(parsed, one)]
    if not above or _has_code(parsed, _first_line(parsed), above[0].line):
        return  # what stands before it may use the name
    for one in _together(parsed, above):
        if (one.module, one.level) == (item.module, item.level) and one.name:
            start, end = one.line, _end(parsed, one)
            known = places.get((start, end))
            lines = parsed.snapshot.lines[start:end] if known is None else known.lines
            if (with_it := _with_name(parsed.language.names_imported, lines, spelt, widest)) is not None:
                yield LineEdit(start, end, with_it)


def _with_name(names_imported: re.Pattern[str], lines: Sequence[str], name: str, widest: int) -> tuple[str, ...] | None:
    """The statement with one more name, in the order of those that it has; None where it is of another form."""
    if len(lines) == 1:
        found = names_imported.fullmatch(lines[0])
        names = [] if found is None else re.split(r"\s*,\s*", found[2])
        if found is None or not all(map(_NAME.fullmatch, names)):
            return None
        line = found[1] + ", ".join(_in_order(names, name)) + found[3]
        return (line,) if len(line) <= widest else None
    rows = [re.fullmatch(r"(\s+)(.*?)(,?)", line) for line in lines[1:-1]]
    if not _BEGINS.fullmatch(lines[0]) or lines[-1][:1] not in (")", "}") or not rows:
        return None
    parts = [row.groups() for row in rows if row]
    if len(parts) < len(rows) or len({indent for indent, _, _ in parts}) > 1 or not all(part[2] for part in parts[:-1]):
        return None
    indent, names, last = parts[0][0], [part[1] for part in parts], parts[-1][2]
    if not all(map(_NAME.fullmatch, names)):
        return None
    *firsts, final = _in_order(names, name)
    return (lines[0], *(f"{indent}{one}," for one in firsts), f"{indent}{final}{last}", lines[-1])


def _in_order(names: Sequence[str], name: str) -> list[str]:
    """At its place where they are sorted, by one of the usual orders; else at the end."""
    for order in (str, str.lower, _constants_first):
        if len(names) > 1 and list(names) == sorted(names, key=order):
            return sorted([*names, name], key=order)
    return [*names, name]


def _constants_first(name: str) -> tuple[int, str]:
    """As isort and Ruff do: constants, classes, others."""
    return 0 if name.isupper() else 1 if name[:1].isupper() else 2, name


def _is_outer(parsed: Parsed, item: Import) -> bool:
    line = parsed.snapshot.lines[item.line]
    if not line[:1].strip() or not parsed.lines.start <= item.line < parsed.lines.stop:
        return False
    return not any(_is_within(node) for node in _statements(parsed, item))


def _is_within(node: Node) -> bool:
    """Whether an import is a part of something that goes on below it, such as `try: import a`."""
    above = node.parent
    while above is not None and above.parent is not None:
        if "import" not in above.type and end_line(above) > end_line(node):
            return True
        above = above.parent
    return False


def _statements(parsed: Parsed, item: Import) -> list[Node]:
    found = (captures["import"][0] for captures in parsed.matches("imports", item.line, item.line + 1))
    return [node for node in found if node.start_point.row == item.line]


def _together(parsed: Parsed, above: list[Import]) -> Iterator[Import]:
    """Those before the first line of code; an import between code is there for a reason of its own."""
    ends = 0
    for item in above:
        if ends and _has_code(parsed, ends, item.line):
            return
        ends = _end(parsed, item)
        yield item


def _has_code(parsed: Parsed, start: int, end: int) -> bool:
    comments = parsed.language.lexical.line_comments
    return any(line.strip() and not line.startswith(comments) for line in parsed.snapshot.lines[start:end])


def _end(parsed: Parsed, item: Import) -> int:
    """The line behind its statement."""
    return max(map(end_line, _statements(parsed, item)), default=item.line + 1)


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
