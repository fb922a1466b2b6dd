"""The open notebooks: which cells each has, in their order.

In: URIs as an editor tells them.  Out: a cell's place, the cells before it.  A cell's text is a document of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """Where a cell stands: the `index`th of `notebook`, behind the cells `before` (all of them URIs)."""

    notebook: str
    index: int
    before: tuple[str, ...]


class Notebooks:
    """Owner of what is open, by URI."""

    def __init__(self) -> None:
        self._cells: dict[str, list[str]] = {}

    def opened(self, uri: str, cells: Sequence[str]) -> None:
        self._cells[uri] = list(cells)

    def spliced(self, uri: str, start: int, n_deleted: int, cells: Sequence[str]) -> None:
        """Some cells make way for others; nothing happens to a notebook that is not open."""
        if uri in self._cells:
            self._cells[uri][start : start + n_deleted] = cells

    def closed(self, uri: str) -> list[str]:
        """The cells that it had."""
        return self._cells.pop(uri, [])

    def cell(self, uri: str) -> NotebookCell | None:
        """None for a document that is no cell of an open notebook."""
        for notebook, cells in self._cells.items():
            if uri in cells:
                index = cells.index(uri)
                return NotebookCell(notebook, index, tuple(cells[:index]))
        return None
