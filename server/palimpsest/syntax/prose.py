"""Whether a place is in code, in a comment or in a string.

In: a parse and a position.  Out: one of the three.  The tree tells; the syntax of comments and strings does where there
is no tree, and of a string that the line leaves open.
"""

from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.lexical import Lexical, tokens
from palimpsest.syntax.parse import Parsed
from palimpsest.text.snapshot import Position

Prose = Literal["comments", "strings"]
LONGEST = 100_000
"""Characters before a cursor that are read where there is no tree."""
_OPENERS = ("(", "{")
_BRACKETS = (*_OPENERS, ")", "}")


def prose_at(parsed: Parsed, position: Position) -> Prose | None:
    """None: in code, and in an expression within a string (`f"{x}"`).  A position that does not exist is clamped."""
    snapshot, position = parsed.snapshot, parsed.snapshot.clamp(position)
    if parsed.root is None:
        offset = snapshot.offset(position)
        start = max(0, offset - LONGEST)
        return _open_at_end(snapshot.text[start:offset], parsed.language.lexical)
    line, at = position.line, (position.line, snapshot.byte_column(position))
    found = parsed.captures("shape", line, line + 1)
    if any(_holds_comment(parsed, node, at) for node in found.get("comment", ())):
        return "comments"
    strings = {node.id for node in found.get("string", ()) if node.start_point < at < node.end_point}
    if not strings:
        return _open_at_end(snapshot.lines[line][: position.column], parsed.language.lexical)
    part: Prose | None = None
    for node in parsed.path(_innermost(parsed.root, at)):
        if node.start_point < at < node.end_point:
            if node.id in strings:
                part = None if _is_interpolated(node, at) else "strings"
            elif node.children and node.children[0].type.endswith(_OPENERS):
                part = None  # `{x}`, `$(x)`
    return part


def _is_interpolated(string: Node, at: tuple[int, int]) -> bool:
    """Whether the last bracket in a string opens an expression, where the grammar has no node for all of that."""
    brackets = [child.type for child in string.children if child.end_point <= at and child.type.endswith(_BRACKETS)]
    return bool(brackets) and brackets[-1].endswith(_OPENERS)


def _innermost(root: Node, at: tuple[int, int]) -> Node:
    return root.descendant_for_point_range(at, at) or root


def _holds_comment(parsed: Parsed, node: Node, at: tuple[int, int]) -> bool:
    """A comment that ends with its line goes on at its end."""
    if not node.start_point < at <= node.end_point:
        return False
    if at < node.end_point:
        return True
    ends = tuple(end for _, end in parsed.language.lexical.block_comments)
    return at[0] == node.start_point[0] and not parsed.text_of(node).endswith(ends)


def _open_at_end(text: str, lexical: Lexical) -> Prose | None:
    """What is open at the end of a text that begins in code."""
    openers = tuple(opener for opener, _ in lexical.block_comments)
    part: Prose | None = None
    for token in tokens(text, lexical):
        if token.kind == "comment":
            part = "comments"
        elif token.kind == "begin":
            part = "comments" if text.startswith(openers, token.start) else "strings"
        elif token.kind in ("end", "line"):
            part = None
    return part
