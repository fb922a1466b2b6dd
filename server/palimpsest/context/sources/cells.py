"""`file` blocks of a notebook's earlier cells, which form one module with the cell at the cursor.

In: a view of the cursor.  Out: a block for each cell that is not empty; the nearest is worth most.  Reads no file.
"""

from __future__ import annotations

from palimpsest.context.sources.fit import head
from palimpsest.context.sources.source import Source
from palimpsest.context.values import EARLIER_CELL, PER_RANK
from palimpsest.context.view import Cell, CursorView
from palimpsest.types import Block


class CellSource(Source):
    name = "cell"
    setting = "file"

    def candidates(self, view: CursorView) -> list[Block]:
        blocks = (_block(cell, rank, view.settings.block_tokens) for rank, cell in enumerate(reversed(view.cells)))
        return [block for block in blocks if block.text]


def _block(cell: Cell, rank: int, max_tokens: int) -> Block:
    lines = cell.parsed.snapshot.text.replace("\r\n", "\n").rstrip().split("\n")
    text = "\n".join(head(lines, max_tokens))
    value = EARLIER_CELL - rank * PER_RANK
    return Block("file", cell.name, text, value=value, uri=cell.parsed.snapshot.uri, source="cell")
