"""Compares code without its layout.

In: a parse and lines of it.  Out: tokens with the structure around them, equal for code that differs in layout only.
"""

from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed

OUTSIDE = "\u2026"


def shape(parsed: Parsed, start_line: int, end_line: int, *, comments: bool = True) -> tuple[str, ...]:
    """The lines `start..end` without their layout: equal for two texts that differ only in white space between tokens
    and in insignificant line breaks.

    Anything wholly outside the lines counts as one mark.  For code that does not parse, or a language without a
    grammar: the lines without trailing white space and without blank lines.
    """
    if parsed.root is None or parsed.n_errors:
        lines = (line.rstrip() for line in parsed.snapshot.lines[start_line:end_line])
        return tuple(line for line in lines if line)
    verbatim = {node.id for node in parsed.captures("verbatim", start_line, end_line).get("verbatim", ())}
    remarks = {node.id for node in parsed.captures("comments", start_line, end_line).get("comment", ())}
    skipped = set[int]() if comments else remarks
    return tuple(_tokens(parsed, parsed.root, range(start_line, end_line), verbatim | remarks, skipped))


def _tokens(parsed: Parsed, root: Node, lines: range, whole: set[int], skipped: set[int]) -> Iterator[str]:
    rest: list[Node | None] = [root]  # None marks the end of a node
    while rest:
        node = rest.pop()
        if node is None:
            yield ")"
        elif node.id in skipped or (node.is_extra and node.id not in whole):
            continue  # line continuation marks are such extras
        elif node.end_point.row < lines.start or node.start_point.row >= lines.stop:
            yield OUTSIDE
        elif node.id in whole or not node.child_count:
            yield parsed.text_of(node).rstrip()
        else:
            yield "("
            rest += [None, *reversed(node.children)]
