"""Whether the rest of a line or a whole block is missing at a cursor.

In: a parse and a position.  Out: "line" or "block".  Does not know about completions or settings.

A block is missing in the empty body of a header, in documentation or a bracket that has just begun, at the end of a
block, and between two definitions; between other statements it is a line.  Unfinished code is judged by what the parser
recovered from it, and by indentation if it recovered nothing.
"""

from collections.abc import Mapping
from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Parsed
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Position

Shape = Literal["line", "block"]
Point = tuple[int, int]
"""Row and byte column, as tree-sitter's."""
_LONG_QUOTE = 3
_OPENERS, _CLOSERS = ("(", "[", "{"), (")", "]", "}")
_MOST_TOKENS = 1000
"""Maximum number of tokens examined in an error: an error that spans a whole file says nothing, and keystrokes must not
wait."""
_MOST_COMMENTS = 20
"""Maximum number of comment lines examined between a header and the cursor."""


def shape_at(parsed: Parsed, position: Position) -> Shape:
    """What is missing at `position` (code points; clamped).  If code follows the cursor on its line: the line."""
    snapshot = parsed.snapshot
    position = snapshot.clamp(position)
    if snapshot.lines[position.line][position.column :].strip() or parsed.root is None:
        return "line"
    place = _Position(parsed, position)
    return "block" if place.in_comment is False and place.misses_block else "line"


class _Position:
    """The end of a line, and the nodes around it that determine a shape."""

    def __init__(self, parsed: Parsed, position: Position) -> None:
        lines = parsed.snapshot.lines
        self._parsed, self._lines, self._line = parsed, lines, position.line
        self._before = lines[position.line][: position.column]
        self._at: Point = position.line, len(utf8(self._before))
        self._nodes: Mapping[str, list[Node]] = {}
        self._first = self._last_code()
        self._on_empty_line = not self._before.strip()

    def _last_code(self) -> int:
        """The last line up to the cursor's that has more than a comment; sets `_nodes` to those from there on."""
        first = self._line
        for _ in range(_MOST_COMMENTS):
            first = next((n for n in range(first, -1, -1) if self._lines[n].strip()), 0)
            self._nodes = self._parsed.captures("shape", first, self._line + 1)
            text = self._lines[first]
            start = first, len(utf8(text[: len(text) - len(text.lstrip())]))
            if first == 0 or not any(node.start_point == start for node in self._of("comment")):
                break
            first -= 1
        return first

    def _of(self, *names: str) -> list[Node]:
        """The nodes in document order, outer before inner."""
        found = [node for name in names for node in self._nodes.get(name, ())]
        return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))

    def _between(self, start: Point) -> str:
        """The text from a point to the cursor, comments left out."""
        rows = [utf8(line) for line in self._lines[start[0] : self._line]] + [utf8(self._before)]
        for node in self._of("comment"):
            row, column = node.start_point
            if start <= (row, column) < self._at:
                rows[row - start[0]] = rows[row - start[0]][:column]
        rows[0] = rows[0][start[1] :]
        return b"\n".join(rows).decode("utf-8", "surrogatepass")

    @property
    def in_comment(self) -> bool:
        return any(node.start_point[0] == self._line and node.start_point < self._at for node in self._of("comment"))

    @property
    def misses_block(self) -> bool:
        for told in (self._by_string(), self._by_bracket()):
            if told is not None:
                return told
        return self._in_empty_body or (self._on_empty_line and self._at_block_end)

    def _by_string(self) -> bool | None:
        """None: the cursor is not in a string; else whether it is in a multi-line one that still has to be written."""
        closed = [node for node in self._of("string") if node.start_point < self._at < node.end_point]
        for quote in reversed([node for node in self._of("quote") if node.end_point <= self._at]):
            is_long = quote.end_byte - quote.start_byte >= _LONG_QUOTE and _is_long(self._parsed.text_of(quote))
            if closed and quote.start_byte == closed[-1].start_byte:
                return is_long and not self._between(quote.end_point).strip()
            if _in_error(quote) and (is_long or quote.start_point[0] == self._line):
                return is_long and (self._on_empty_line or not self._between(quote.end_point).strip())
        return False if closed else None

    def _by_bracket(self) -> bool | None:
        """None: the cursor is not in a bracket; else whether the bracket's content is missing."""
        closed = [node for node in self._of("bracket") if node.start_point < self._at < node.end_point]
        openers = self._open_in_errors()
        if openers and (not closed or closed[-1].start_point < openers[-1].start_point):
            return True
        if not closed:
            return None
        return all(child.is_extra for child in closed[-1].named_children)

    def _open_in_errors(self) -> list[Node]:
        """Brackets before the cursor that the parser could not pair."""
        tokens = {token.start_byte: token for node in self._of("error") for token in _tokens(node)}
        openers: list[Node] = []
        for _, token in sorted(tokens.items()):
            if token.end_point > self._at:
                break
            if token.type in _OPENERS:
                openers.append(token)
            elif token.type in _CLOSERS and openers:
                openers.pop()
        return openers

    @property
    def _in_empty_body(self) -> bool:
        """Whether the last code before the cursor is a header whose body is missing."""
        return any(
            all(child.is_extra for child in node.named_children)
            and (begins := self._begins(node)) is not None
            and not self._between(begins).strip()
            for node in self._of("block")
        )

    def _begins(self, block: Node) -> Point | None:
        """Where the text of a block without a statement begins, if that is before the cursor and its end is not: behind
        its bracket, or where it stands if it has none."""
        if block.end_point <= self._at and not (block.child_count and block.children[-1].is_missing):
            return None if block.child_count else block.end_point
        opener = block.children[0] if block.child_count else None
        if opener is None or opener.type not in _OPENERS or opener.end_point > self._at:
            return None
        return opener.end_point

    @property
    def _at_block_end(self) -> bool:
        """Whether no statement follows in the cursor's block, or only another definition after a definition."""
        width = indent_width(self._before)
        after = next((n for n in range(self._line + 1, len(self._lines)) if self._lines[n].strip()), None)
        if after is None or indent_width(self._lines[after]) < width:
            return True
        before, behind = self._defines(self._first, before=True), self._defines(after, before=False)
        return before and behind and indent_width(self._lines[after]) == width

    def _defines(self, line: int, *, before: bool) -> bool:
        """Whether a definition ends on a line (`before`), or begins on it, at the cursor's indent."""
        column = self._at[1]
        nodes = self._parsed.captures("shape", line, line + 1).get("definition", ())
        return any(
            node.start_point[1] == column
            and (node.end_point <= self._at if before else node.start_point == (line, column))
            for node in nodes
        )


def _tokens(error: Node) -> list[Node]:
    return error.children if error.child_count <= _MOST_TOKENS else []


def _is_long(quote: str) -> bool:
    return quote[-_LONG_QUOTE:] == quote[-1] * _LONG_QUOTE


def _in_error(node: Node) -> bool:
    return node.parent is not None and node.parent.is_error
