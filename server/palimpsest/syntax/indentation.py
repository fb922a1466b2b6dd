"""Indentation: its width, and statements with a wrong indent.

Some grammars report no error for a statement with a wrong indent, although such code does not run.

In: a line, or a parse.  Out: columns; the number of such statements, and whether an edit adds to them.
"""

from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed

_SEPARATOR = ";"


def indent_width(line: str) -> int:
    """The indent in columns: a tab advances to the next multiple of 8; a form feed or a byte order mark resets to 0."""
    width = len(line) - len(line.lstrip(" "))
    if line[width : width + 1] not in ("\t", "\f", "\ufeff"):
        return width
    width = 0
    for char in line:
        if char == " ":
            width += 1
        elif char == "\t":
            width += 8 - width % 8
        elif char in "\f\ufeff":
            width = 0
        else:
            break
    return width


def faults(parsed: Parsed) -> int:
    """The number of errors in the tree or, if there are none, of statements with a wrong indent.  After an error,
    indents mean little."""
    return parsed.n_errors or parsed.once(misplaced)


def is_worse(after: Parsed, before: Parsed) -> bool:
    """Whether there are more errors than before, or more statements at a wrong indent in a tree without errors; or
    so much that the parse takes too long now."""
    if after.is_hurried and after.root is None:
        return before.root is not None
    if after.n_errors:
        return after.n_errors > before.n_errors
    return after.once(misplaced) > before.n_errors + before.once(misplaced)


def misplaced(parsed: Parsed, start_line: int | None = None, end_line: int = 0) -> int:
    """The number of blocks without a statement, statements indented differently from their neighbours, and clauses
    (`else`) indented differently from the statement they belong to, in what touches some lines."""
    if parsed.root is None:
        return 0
    found = len(_empty(parsed, start_line, end_line))
    for captures in parsed.matches("indented", start_line, end_line):
        for group in captures.get("together", ()):
            found += _uneven(parsed, group)
        for clause in captures.get("clause", ()):
            if clause.parent is not None:
                own, expected = _indent(parsed, clause), _indent(parsed, clause.parent)
                found += own is not None and expected is not None and own != expected
    return found


def bodiless(parsed: Parsed, start_line: int, end_line: int) -> int:
    """The number of heads in some lines whose block has no statement."""
    return sum(start_line <= line < end_line for line in _empty(parsed, start_line, end_line))


def _empty(parsed: Parsed, start_line: int | None, end_line: int) -> list[int]:
    """Where the heads of blocks without a statement end."""
    found = [node for one in parsed.matches("indented", start_line, end_line) for node in one.get("block", ())]
    empty = (node for node in found if not any(True for _ in _statements(node)))
    heads = (node.prev_sibling for node in empty)
    return [head.end_point.row for head in heads if head is not None]


def unfinished(parsed: Parsed, start_line: int, end_line: int) -> int:
    """The number of statements that need a clause (`try`) or a name (behind a comma) and have none, in what touches
    some lines."""
    found = parsed.matches("indented", start_line, end_line)
    clauses = [node for one in found for node in one.get("needs_clause", ())]
    commas = [node for one in found for node in one.get("needs_name", ())]
    return sum(node.named_child_count < 2 for node in clauses) + sum(node.next_sibling is None for node in commas)


def _uneven(parsed: Parsed, group: Node) -> int:
    """The number of statements not indented like the group's first one or, at a file's top level, not at the margin.
    What is embedded in a document has no margin."""
    indents = [indent for child in _statements(group) if (indent := _indent(parsed, child)) is not None]
    if not indents:
        return 0
    expected = indents[0] if group.parent is not None or parsed.part is not None else b""
    return sum(indent != expected for indent in indents)


def _statements(group: Node) -> Iterator[Node]:
    """A group's own children, except comments, errors, and what follows a separator or a continued line."""
    behind = False
    for child in group.children:
        if child.is_named and not child.is_extra and not child.is_error and not behind:
            yield child
        if not child.is_extra:
            behind = child.type == _SEPARATOR


def _indent(parsed: Parsed, node: Node) -> bytes | None:
    """The white space before a node on its line; None if something else precedes it."""
    start = node.start_byte
    before = parsed.snapshot.utf8[start - node.start_point.column : start]
    before = before.removeprefix(b"\xef\xbb\xbf").rpartition(b"\f")[2]
    return before if not before.strip() else None
