"""What a source of blocks is.

In: a view of the cursor.  Out: candidates for the context.  `gatherer.py` lists the sources and asks each of them in
the same way; it knows none of them by name.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from palimpsest.context.view import CursorView
from palimpsest.types import Block


class BackgroundReader(Protocol):
    """`revision` rises when something is read; `wait` waits for what is being read, and is False on a timeout."""

    @property
    def revision(self) -> int: ...

    def wait(self, seconds: float | None) -> bool: ...


class Source(ABC):
    """`name` is for the log and for `Block.source`.  `setting` is the word in `context.sources` that switches the
    source on, which several may share; None for one that is always on.  `readers` read for it in the background."""

    name: ClassVar[str]
    setting: ClassVar[str | None]
    readers: Sequence[BackgroundReader] = ()

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
        return sum(reader.revision for reader in self.readers)

    def wait(self, seconds: float | None) -> bool:
        """Wait for the source to finish reading; False on a timeout."""
        until = None if seconds is None else time.monotonic() + seconds
        return all(reader.wait(None if until is None else until - time.monotonic()) for reader in self.readers)


def is_among(block: Block, blocks: Iterable[Block]) -> bool:
    """Whether one of the blocks has the same name and text."""
    return any(known.name == block.name and known.text == block.text for known in blocks)
