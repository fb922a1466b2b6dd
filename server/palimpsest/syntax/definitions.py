"""The definitions of a document: from its tree where that is sound, by indentation where it is not.

In: a parse.  Out: headers.  This room knows no scope's name but its own.

Where the tree is unsound (an error node, or a statement that hangs in the air), the lines from the first to the last
unsound child of the root, and one child to either side, are scanned by indentation.  Everything else is the tree's.
"""

from __future__ import annotations

from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.indents import Header, indent_width, scan
from palimpsest.syntax.languages import grammar
from palimpsest.syntax.parse import Parsed

OUTLINE_DEPTH = 6
"""Nodes below the root to a definition in two compound statements: `try`, its block, `if`, its block, decorators."""


def all_headers(parsed: Parsed, max_depth: int | None = None) -> list[Header]:
    """Every definition, in no order; with `max_depth` at least those at most so many nodes below the root."""
    broken = parsed.once(_broken_lines)
    sound = _tree_headers(parsed.matches("scopes", max_depth=max_depth), parsed)
    return [header for header in sound if header.start_line not in broken] + parsed.once(_scanned)


def headers_between(parsed: Parsed, start: int, end: int) -> list[Header]:
    """The definitions that start in the lines `start..end`, in no order; looks at no other line's nodes."""
    broken = parsed.once(_broken_lines)
    found = [header for header in parsed.once(_scanned) if start <= header.start_line < end]
    if start not in broken or end - 1 not in broken:
        sound = _tree_headers(parsed.matches("scopes", start, end), parsed)
        found += [h for h in sound if start <= h.start_line < end and h.start_line not in broken]
    return found


def headers_at(parsed: Parsed, line: int) -> list[Header]:
    """The definitions whose lines hold `line`, in no order; looks at no other line's nodes."""
    headers = (
        parsed.once(_scanned)
        if line in parsed.once(_broken_lines)
        else _tree_headers(parsed.matches("scopes", line, line + 1), parsed)
    )
    return [header for header in headers if header.start_line <= line < header.end_line]


def _tree_headers(matches: list[dict[str, list[Node]]], parsed: Parsed) -> list[Header]:
    """A header per definition; where decorators belong to one, it is matched with and without them."""
    found: dict[int, Header] = {}
    for captures in matches:
        kind: Literal["function", "class"] = "function" if "function" in captures else "class"
        node = captures[kind][0]
        outer = captures["outer"][0] if "outer" in captures else node
        if node.id not in found or outer is not node:
            found[node.id] = _header(parsed, kind, node, outer, captures["name"][0], captures["body"][0])
    return list(found.values())


def _header(
    parsed: Parsed, kind: Literal["function", "class"], node: Node, outer: Node, name: Node, body: Node
) -> Header:
    start, def_line = outer.start_point.row, node.start_point.row
    colon = body.prev_sibling
    while colon is not None and colon.type == "comment":
        colon = colon.prev_sibling
    header_end = def_line if colon is None else colon.end_point.row
    is_inline = body.start_point.row == header_end and body.child_count > 0
    header_end += 1
    indent = indent_width(parsed.snapshot.lines[def_line])
    return Header(
        kind, parsed.text_of(name), start, def_line, header_end, header_end - is_inline, indent, _end_line(node)
    )


def _end_line(node: Node) -> int:
    """Behind the node's last line; a node that ends at a line's very start does not reach into it."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point.row else row + 1


def _scanned(parsed: Parsed) -> list[Header]:
    broken = parsed.once(_broken_lines)
    return scan(parsed.snapshot.lines, broken.start, broken.stop) if broken else []


def _broken_lines(parsed: Parsed) -> range:
    """The lines where indentation decides; empty for a sound tree."""
    if parsed.root is None or parsed.language is None or not grammar(parsed.language).row.indented:
        return range(0)
    nodes = parsed.root.children
    unsound = [index for index, node in enumerate(nodes) if node.has_error or _hangs(parsed, node)]
    if not unsound:
        return range(0)
    # What hangs belongs to something above that was ended too early, by a stray line perhaps.
    first = unsound[0] if _hangs(parsed, nodes[unsound[0]]) else max(0, unsound[0] - 1)
    while first > 0 and (nodes[first].start_point.row == nodes[first].end_point.row or _hangs(parsed, nodes[first])):
        first -= 1
    last = min(len(nodes) - 1, unsound[-1] + 1)
    while last < len(nodes) - 1 and nodes[last].type == "comment":
        last += 1
    return range(nodes[first].start_point.row if first else 0, _end_line(nodes[last]))


def _hangs(parsed: Parsed, node: Node) -> bool:
    """Whether a child of the root is indented, as if it belonged to something that the parser did not see."""
    row, column = node.start_point
    if column == 0 or node.type == "comment":
        return False
    before = parsed.snapshot.lines[row].encode("utf-8", "surrogatepass")[:column]
    return before.isspace() and indent_width(before.decode("utf-8", "surrogatepass")) > 0
