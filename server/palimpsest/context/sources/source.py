"""What a source of blocks is.

In: a view of the cursor.  Out: candidates for the context.  `gatherer.py` lists the sources and asks each of them in
the same way; it knows none of them by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from palimpsest.context.view import CursorView
from palimpsest.types import Block


class Source(ABC):
    """Only sources that read in the background override `revision` and `wait`.

    `name` is for the log and for `Block.source`.  `setting` is the word in `context.sources` that switches the source
    on, which several may share; None for one that is always on.
    """

    name: ClassVar[str]
    setting: ClassVar[str | None]

    @abstractmethod
    def candidates(self, view: CursorView) -> list[Block]:
        """The blocks that may help at a cursor.  Must be fast: what takes long is read in the background."""

    def why_not(self, view: CursorView, name: str) -> str:
        """Why it has no block for a name of the code, as a person is told; "" where it looks for no names."""
        return ""

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Whether a block that was a candidate elsewhere in this file is still correct."""
        return False

    @property
    def revision(self) -> int:
        """Rises when the source has read something that it had to leave out before."""
        return 0

    def wait(self, seconds: float | None) -> bool:
        """Wait for the source to finish reading; False on a timeout."""
        return True
