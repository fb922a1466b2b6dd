"""Pure: what Zed's models rewrite: lines around the cursor, as many as a number of tokens allows.

In: lines, where the cursor is, the lines of the nodes around it.  Out: the lines to rewrite, and those shown with them.

It grows from the cursor's line up and down, then to the ends of the nodes that fit, then on by lines.  Tokens are
bytes by three, as Zed counts them.
"""

from collections.abc import Iterable, Iterator, Sequence

from palimpsest.next_edits.formats.format import Rows
from palimpsest.text.positions import utf8

EDITABLE, CONTEXT = 350, 150
BYTES_PER_TOKEN = 3


def n_tokens(text: str) -> int:
    return len(utf8(text)) // BYTES_PER_TOKEN


def region(
    lines: Sequence[str], line: int, syntax: Iterable[Rows], editable: int = EDITABLE, context: int = CONTEXT
) -> tuple[range, range]:
    """The lines to rewrite, and all that are shown."""
    nodes, first = tuple(syntax), editable * 3 // 4
    growing = _Growing(lines, line, first)
    growing.evenly()
    growing.left += editable - first
    begun = growing.first, growing.last
    growing.to_nodes(nodes)
    growing.by_lines(up_first=begun[0] - growing.first <= growing.last - begun[1])
    window = range(growing.first, growing.last + 1)
    growing.left = context
    if not growing.to_nodes(nodes):
        growing.by_lines(up_first=True)
    return window, range(growing.first, growing.last + 1)


class _Growing:
    """Lines `first` to `last`, both included, and the tokens that are left for more."""

    def __init__(self, lines: Sequence[str], line: int, tokens: int) -> None:
        self._lines = lines
        self.first = self.last = line
        self.left = max(0, tokens - self._cost(line))

    def _cost(self, row: int) -> int:
        return max(1, n_tokens(self._lines[row]))

    def evenly(self) -> None:
        """Below and above in turn, until a line does not fit."""
        while self.left and (rows := list(self._next(up_first=False))):
            for row in rows:
                if self.left and not self._take(row):
                    return

    def by_lines(self, *, up_first: bool) -> None:
        """On either side as long as lines fit there."""
        begun = None
        while begun != (begun := (self.first, self.last)):
            for row in self._next(up_first=up_first):
                self._take(row)

    def to_nodes(self, nodes: Sequence[Rows]) -> bool:
        """To the ends of nodes, the smallest first, until one does not fit; whether any was larger and did."""
        begun, grew = (self.first, self.last), False
        for first, last in nodes:
            if first >= begun[0] and last <= begun[1]:
                continue
            rows = [*range(first, self.first), *range(self.last + 1, last + 1)]
            needed = sum(map(self._cost, rows)) if len(rows) <= self.left else self.left + 1
            if needed > self.left:
                break
            self.first, self.last = min(first, self.first), max(last, self.last)
            self.left, grew = self.left - needed, True
        return grew

    def _next(self, *, up_first: bool) -> Iterator[int]:
        rows = (self.first - 1, self.last + 1)
        return (row for row in (rows if up_first else rows[::-1]) if 0 <= row < len(self._lines))

    def _take(self, row: int) -> bool:
        cost = self._cost(row)
        if cost > self.left:
            return False
        self.first, self.last, self.left = min(row, self.first), max(row, self.last), self.left - cost
        return True
