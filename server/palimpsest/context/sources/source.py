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
    """A source that reads no more than `candidates` can wait for needs that method alone.

    `name` is for the log and for `Block.source`.  `setting` is the word in `context.sources` that switches the source
    on, which several may share; None for one that is always on.
    """

    name: ClassVar[str]
    setting: ClassVar[str | None]

    @abstractmethod
    def candidates(self, view: CursorView) -> list[Block]:
        """The blocks that a cursor there could use; what takes long to read is read in the background meanwhile."""

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Whether a block that is no candidate any more, but was one elsewhere in this file, still describes what is
        there."""
        return False

    @property
    def revision(self) -> int:
        """Rises when the source has read something that it did not know when it was asked."""
        return 0

    def wait(self, seconds: float | None) -> bool:
        """Until what was asked for has been read; False when time ran out."""
        return True
