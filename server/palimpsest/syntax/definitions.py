"""Finds the definitions of a document.

In: a parse.  Out: headers.  The tree is used where it has no errors.  If a child of the root has an error or is
indented without a parent, the language scans its lines instead, together with those it may belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Header

OUTLINE_DEPTH = 6
"""Number of nodes from the root to a definition inside two compound statements: `try`, its block, `if`, its block,
decorators."""


@dataclass(frozen=True, slots=True)
class _Scanned:
    """The lines where indentation decides, empty for a tree without errors, and the definitions that start there."""

    ranges: tuple[range, ...] = ()
    headers: tuple[Header, ...] = ()

    def holds(self, line: int) -> bool:
        return any(line in lines for lines in self.ranges)


def all_headers(parsed: Parsed, max_depth: int | None = None) -> list[Header]:
    """Every definition, unordered; with `max_depth`, at least those no more than that many nodes below the root."""
    scanned = parsed.once(_scanned)
    sound = _tree_headers(parsed.matches("scopes", max_depth=max_depth), parsed)
    return [*(header for header in sound if not scanned.holds(header.start_line)), *scanned.headers]


def headers_between(parsed: Parsed, start: int, end: int) -> list[Header]:
    """The definitions that start in the lines `start..end`, unordered; does not examine nodes of other lines."""
    scanned = parsed.once(_scanned)
    found = [header for header in scanned.headers if start <= header.start_line < end]
    if not any(start in lines and end - 1 in lines for lines in scanned.ranges):
        sound = _tree_headers(parsed.matches("scopes", start, end), parsed)
        found += [h for h in sound if start <= h.start_line < end and not scanned.holds(h.start_line)]
    return found


def headers_at(parsed: Parsed, line: int) -> list[Header]:
    """The definitions whose lines include `line`, unordered; does not examine nodes of other lines."""
    scanned = parsed.once(_scanned)
    headers: Sequence[Header] = scanned.headers
    if not scanned.holds(line):
        headers = _tree_headers(parsed.matches("scopes", line, line + 1), parsed)
    return [header for header in headers if header.start_line <= line < header.end_line]


def _tree_headers(matches: list[dict[str, list[Node]]], parsed: Parsed) -> list[Header]:
    """One header per definition; a definition with decorators is matched both with and without them."""
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
    last = body.prev_sibling
    while last is not None and "comment" in last.type:
        last = last.prev_sibling
    header_end = def_line if last is None else last.end_point.row
    first = next((child for child in body.children if child.is_named), None)  # skips the bracket that opens the body
    is_inline = first is not None and first.start_point.row == header_end
    header_end += 1
    indent = indent_width(parsed.snapshot.lines[def_line])
    return Header(
        kind, parsed.text_of(name), start, def_line, header_end, header_end - is_inline, indent, _end_line(node)
    )


def _end_line(node: Node) -> int:
    """The line after the node's last line; a node that ends at the very start of a line does not include that line."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point.row else row + 1


def _scanned(parsed: Parsed) -> _Scanned:
    language = parsed.language
    if parsed.root is None or not language.indented:
        return _Scanned()
    lines, ranges = parsed.snapshot.lines, _broken_lines(parsed, parsed.root.children)
    for index, broken in enumerate(ranges[:-1]):
        # After an unterminated string, code and strings are swapped, even if the tree has no errors there.
        if language.is_string_open(lines, broken.start, broken.stop):
            ranges[index:] = [range(broken.start, ranges[-1].stop)]
            break
    return _Scanned(
        tuple(ranges),
        tuple(header for broken in ranges for header in language.headers(lines, broken.start, broken.stop)),
    )


def _broken_lines(parsed: Parsed, nodes: Sequence[Node]) -> list[range]:
    """The lines of the root's children that have errors, and of what they may belong to, as separate sorted ranges."""
    ranges: list[range] = []
    for index, node in enumerate(nodes):
        hangs = _hangs(parsed, node)
        if not (node.has_error or hangs):
            continue
        first = last = index
        # An indented child, or one that is not a statement, may belong to something above that a stray line ended too
        # early.
        if node.is_error or hangs:
            first = max(0, first - 1)
            while first > 0 and not _begins_a_block(parsed, nodes[first - 1], nodes[first]):
                first -= 1
        # An error may be the first part of what follows it, for example half a decorator.
        while last < len(nodes) - 1 and (nodes[last].is_error or "comment" in nodes[last].type):
            last += 1
        start, stop = nodes[first].start_point.row if first else 0, _end_line(nodes[last])
        while ranges and ranges[-1].stop >= start:
            start, stop = min(start, ranges[-1].start), max(stop, ranges[-1].stop)
            ranges.pop()
        ranges.append(range(start, stop))
    return ranges


def _begins_a_block(parsed: Parsed, before: Node, node: Node) -> bool:
    """Whether the node begins a line without indentation and has several lines."""
    row = node.start_point.row
    return before.end_point.row < row < node.end_point.row and not _hangs(parsed, node)


def _hangs(parsed: Parsed, node: Node) -> bool:
    """Whether a child of the root is indented, as if it belonged to something that the parser did not recognise."""
    row, column = node.start_point
    if column == 0 or "comment" in node.type:
        return False
    before = parsed.snapshot.lines[row].encode("utf-8", "surrogatepass")[:column]
    return before.isspace() and indent_width(before.decode("utf-8", "surrogatepass")) > 0
