"""What happened lately in a window: pieces of code that were worked with, edits, and what others found wrong.

In: what `session/tracking.py` hears.  Out: pieces and edits, the newest first, and diagnostics.  Owner of all;
reads no file.
"""

from collections.abc import Sequence

from palimpsest.context.activity.chunks import Chunks
from palimpsest.context.activity.diagnostics import Diagnostics
from palimpsest.context.activity.edits import Edits
from palimpsest.context.activity.origins import Origins
from palimpsest.text.snapshot import InputEdit, Snapshot


class Activity:
    """Pieces, edits and diagnostics of one window, used on its thread alone."""

    def __init__(self) -> None:
        self.chunks = Chunks()
        self.edits = Edits()
        self.diagnostics = Diagnostics()
        self.origins = Origins()

    def changed(self, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        self.chunks.changed(new, edits)
        self.edits.changed(new.uri, edits)
        self.diagnostics.changed(new.uri, edits)
