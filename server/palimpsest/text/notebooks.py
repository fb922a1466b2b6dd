"""The open notebooks and the order of their cells.

In: URIs of notebooks and cells.  Out: a cell's index, and the cells before it.  The text of a cell is a document of its
own.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """The cell at `index` of `notebook`; `before` are the URIs of the cells before it."""

    notebook: str
    index: int
    before: tuple[str, ...]


class Notebooks:
    """Owner of the open notebooks."""

    def __init__(self) -> None:
        self._cells: dict[str, list[str]] = {}

    def opened(self, uri: str, cells: Sequence[str]) -> None:
        self._cells[uri] = list(cells)

    def spliced(self, uri: str, start: int, n_deleted: int, cells: Sequence[str]) -> None:
        """Replace some cells by others; ignored for a notebook that is not open."""
        if uri in self._cells:
            self._cells[uri][start : start + n_deleted] = cells

    def closed(self, uri: str) -> list[str]:
        """Returns the URIs of its cells."""
        return self._cells.pop(uri, [])

    def cell(self, uri: str) -> NotebookCell | None:
        """None for a document that is not a cell of an open notebook."""
        for notebook, cells in self._cells.items():
            if uri in cells:
                index = cells.index(uri)
                return NotebookCell(notebook, index, tuple(cells[:index]))
        return None
