"""Blocks of a notebook's earlier cells, which form one module with the cell at the cursor.

In: a view of the cursor.  Out: a `file` block for each cell that is not empty, and for a cell that is too long for one
a `scope` block with the names that it defines further down; the nearest cell is worth most.  Reads no file.
"""

from palimpsest.context.estimate import head
from palimpsest.context.sources.cached import visible
from palimpsest.context.sources.source import Source
from palimpsest.context.values import worth
from palimpsest.context.view import Cell, CursorView
from palimpsest.syntax.scopes import file_scope
from palimpsest.types import Block


class CellSource(Source):
    name = "cell"
    setting = "file"

    def candidates(self, view: CursorView) -> list[Block]:
        blocks = list[Block]()
        for rank, cell in enumerate(reversed(view.cells)):
            lines = shown_of(cell, view.settings.block_tokens)
            rest = _names_below(cell, len(lines), view.settings.block_tokens)
            value, of_rest = worth("cell", "file", newer=rank), worth("scope", "file", newer=rank)
            uri = cell.parsed.snapshot.uri
            blocks.append(Block("file", cell.name, "\n".join(lines), value=value, uri=uri, source=self.name))
            blocks.append(Block("scope", cell.name, "\n".join(rest), value=of_rest, uri=uri, source=self.name))
        return [block for block in blocks if block.text]


def shown_of(cell: Cell, max_tokens: int) -> list[str]:
    """The first lines of a cell, as far as its block shows them."""
    return head(cell.parsed.snapshot.text.replace("\r\n", "\n").rstrip().split("\n"), max_tokens)


def _names_below(cell: Cell, line: int, max_tokens: int) -> list[str]:
    """The signatures of what the cell defines from a line on.  Nothing here depends on the cell at the cursor, so the
    block stays as it is while that is written."""
    names = visible(cell.parsed, file_scope(cell.parsed))
    return head([item.signature.rstrip(":") for item in names if item.line >= line], max_tokens)
