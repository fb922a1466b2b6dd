"""Pure: the interface of an edit format: how a model writes edits of the blocks it was shown.

In: replies, blocks shown, edits.  Out: a `Reply` of edits, replies, grammars.  A format knows no
document and no engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from palimpsest.edits.reply import Reply
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.types import LineEdit


class Format(Protocol):
    """One way to write edits.  `read` undoes `write` and reads everything that `grammar` allows without a problem."""

    @property
    def name(self) -> str:
        """The name used in the setting `suggestion.format`."""

    @property
    def text(self) -> FormatText:
        """What a model is told of it, and how code is shown."""

    def read(self, reply: str, shown: Mapping[str, ShownBlock]) -> Reply:
        """The edits of a reply.  Never raises: `WrittenEdits.problem` says what could not be read, and the worst case
        is a reply without suggestions.  If a reply was cut off, its complete parts are kept."""

    def write(self, block: ShownBlock, edits: Sequence[LineEdit], summary: str) -> str:
        """A reply that makes these edits of the block's lines as shown.  The edits are sorted, do not overlap, and
        touch only lines that stand for a line of the document.

        Raises ValueError if the format cannot express them.
        """

    def grammar(self, shown: Iterable[ShownBlock]) -> str:
        """GBNF of the replies that edit these blocks; "" if nothing can be edited."""
