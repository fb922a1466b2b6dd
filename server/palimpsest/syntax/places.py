"""What stands at a place of a tree.

In: a parse, bytes.  Out: whether a token begins there, whether all between two is a comment, whether something is whole
that ends there, which lines the nodes around it have.  Knows no language.
"""

import re

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.text.positions import utf8

_NAMED = re.compile(r"\$?\w+(?:\.\w+)*")
_SEPARATORS = (",", ";", ")", "]", "}")


def is_token(parsed: Parsed, at: int) -> bool:
    """Whether a token begins there; also where the tree cannot tell."""
    leaf = parsed.node_at(at, at + 1)
    return leaf is None or leaf.is_error or leaf.start_byte == at


def is_comment(parsed: Parsed, start: int, end: int) -> bool:
    node = parsed.node_at(start, end)
    return node is not None and node.is_extra and not node.is_error


def is_idle(parsed: Parsed, start: int, end: int) -> bool:
    """Whether all between is a statement within others that does no more than name something."""
    node = parsed.node_at(start, end)
    while node is not None and node.byte_range == (start, end) and node.type != "expression_statement":
        node = node.parent
    if node is None or node.byte_range != (start, end):
        return False
    is_inner = node.parent is not None and node.parent.parent is not None
    first = node
    while first.named_children:
        first = first.named_children[0]
    named = parsed.text_of(node.named_children[0]) if node.named_children else ""
    return is_inner and first.type in parsed.language.identifiers and _NAMED.fullmatch(named) is not None


def is_whole(parsed: Parsed, at: int) -> bool:
    """Whether an argument, a call, a statement or the like ends there: behind it a list goes on, a bracket is closed or
    another statement begins."""
    leaf = parsed.node_at(at - 1, at)
    if leaf is None or leaf.end_byte != at or leaf.child_count:
        return False
    path = parsed.path(leaf)
    for parent, child in zip(reversed(path[:-1]), reversed(path), strict=False):
        if parent.end_byte > at:
            return not parent.is_error and _goes_on_apart(child)
    return True


def rows_around(parsed: Parsed, row: int, byte_column: int) -> list[tuple[int, int]]:
    """The first and the last lines of the nodes around a place, innermost first."""
    at = row, byte_column
    leaf = None if parsed.root is None else parsed.root.descendant_for_point_range(at, at)
    return [] if leaf is None else [(it.start_point.row, it.end_point.row) for it in reversed(parsed.path(leaf))]


def is_framed(parsed: Parsed, line: int, head: int, end: int) -> bool:
    """Whether what begins a line is a part of what a keyword that begins a line above it opens, and of what one that
    begins a line below it ends."""
    inner, first, last = (_begins(parsed, row) for row in (line, head, end))
    path = [] if inner is None else parsed.path(inner)[1:]
    if first is None or last is None or first.is_named or last.is_named or any(node.is_error for node in path):
        return False
    return first.parent in path and last.parent in path


def _begins(parsed: Parsed, row: int) -> Node | None:
    """The token that begins a line."""
    line = parsed.snapshot.lines[row]
    at = row, len(utf8(line[: len(line) - len(line.lstrip())]))
    return None if parsed.root is None else parsed.root.descendant_for_point_range(at, (at[0], at[1] + 1))


def _goes_on_apart(node: Node) -> bool:
    behind = node.next_sibling
    while behind is not None and behind.is_extra:
        behind = behind.next_sibling
    if behind is None or not behind.is_named:
        return behind is None or behind.type in _SEPARATORS or not behind.type.strip()
    return behind.start_point.row > node.end_point.row
