"""What an edit format is: how a model writes edits of the blocks it was shown.

In: replies, blocks shown, edits.  Out: a `Reply` of edits, replies, grammars.  A format knows no document and no
engine; what a model is told about it is in `prompt/instructions.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from palimpsest.edits.reply import Reply
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import LineEdit


class Format(Protocol):
    """One way to write edits; `read` undoes `write`, and reads everything that `grammar` admits without a problem."""

    @property
    def name(self) -> str:
        """As in the setting `suggestion.format`."""

    @property
    def numbered(self) -> bool:
        """Whether the model sees the editing block's lines with their numbers (`L<n>`)."""

    def read(self, reply: str, shown: Mapping[str, ShownBlock]) -> Reply:
        """The edits of a reply.  Never raises: what cannot be read says so in `Written.problem`, and the worst reply
        is one without suggestions.  A reply that was cut off keeps what is complete."""

    def write(self, block: ShownBlock, edits: Sequence[LineEdit], summary: str) -> str:
        """A reply that makes these edits of the block's lines as shown, which are sorted, do not overlap and touch
        only lines that stand for a line of the document.

        Raises ValueError where the format has no words for them.
        """

    def grammar(self, shown: Iterable[ShownBlock]) -> str:
        """GBNF of the replies that edit these blocks; "" where nothing can be edited."""
