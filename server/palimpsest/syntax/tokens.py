"""The leaves of a tree as a sequence of tokens, to compare two versions of some lines.

In: a parse and lines.  Out: tokens, white space left out.  A name is one token, whatever it consists of.
"""

from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed, broken_nodes, n_errors_in


@dataclass(frozen=True, slots=True)
class Token:
    """`start` in bytes; `is_name` for an identifier."""

    text: str
    start: int
    is_name: bool


def tokens(parsed: Parsed, start_line: int, end_line: int) -> list[Token]:
    """The tokens that start in the lines `start..end`, in document order."""
    found = list[Token]()
    if parsed.root is not None:
        _collect(parsed, parsed.root, start_line, end_line, found)
    return found


def errors_between(parsed: Parsed, start_line: int, end_line: int) -> int:
    """ERROR and missing nodes that touch the lines `start..end`."""
    if parsed.root is None or not parsed.language.is_checked:
        return 0
    return n_errors_in(broken_nodes(parsed.root, lambda node: _touches(node, start_line, end_line)))


def _touches(node: Node, start_line: int, end_line: int) -> bool:
    return node.start_point.row < end_line and node.end_point.row >= start_line


def _collect(parsed: Parsed, top: Node, start_line: int, end_line: int, found: list[Token]) -> None:
    rest = [top]
    while rest:
        node = rest.pop()
        if not _touches(node, start_line, end_line):
            continue
        is_name = node.type in parsed.language.identifiers
        if node.child_count and not is_name:
            rest.extend(reversed(node.children))
        elif start_line <= node.start_point.row < end_line and node.end_byte > node.start_byte:
            found.append(Token(parsed.text_of(node), node.start_byte, is_name))
