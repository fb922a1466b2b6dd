"""Pure: what edit formats have in common: how a model writes edits of the blocks it was shown.

In: replies, blocks shown, edits.  Out: an `EditReply` of edits, replies, grammars.  A format knows no
document and no engine.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from palimpsest.edits.formats.elements import NO_NAME, Element, element, elements, summary_element
from palimpsest.edits.formats.lines import Unplaced
from palimpsest.edits.formats.quoting import unmistakable
from palimpsest.edits.reply import EditReply, WrittenEdits
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.types import LineEdit


class EditFormat(ABC):
    """One way to write edits.  `read` undoes `write` and reads everything that `grammar` allows without a problem."""

    name: ClassVar[str]
    """The name used in the setting `suggestion.format`."""
    text: ClassVar[FormatText]
    """What a model is told of it, and how code is shown."""

    def read(self, reply: str, blocks: Mapping[str, ShownBlock]) -> EditReply:
        """The edits of a reply.  Never raises: `WrittenEdits.problem` says what could not be read, and the worst case
        is a reply without suggestions.  If a reply was cut off, its complete parts are kept."""
        suggestions, summary = elements(reply)
        return EditReply(tuple(self._written(one, blocks.get(one.name)) for one in suggestions), summary)

    def write(self, block: ShownBlock, edits: Sequence[LineEdit], summary: str) -> str:
        """A reply that makes these edits of the block's lines as shown.  The edits are sorted, do not overlap, and
        touch only lines that stand for a line of the document.

        Raises ValueError if the format cannot express them.
        """
        reply = element(block.name, self.lines(block, edits), block) + summary_element(summary)
        return unmistakable(block, edits, lambda text: self.read(text, {block.name: block}), reply)

    @abstractmethod
    def grammar(self, blocks: Iterable[ShownBlock]) -> str:
        """GBNF of the replies that edit these blocks; "" if nothing can be edited."""

    @abstractmethod
    def edits(self, suggestion: Element, block: ShownBlock) -> Sequence[LineEdit]:
        """What an element says of the block that it names.  Raises Unplaced."""

    @abstractmethod
    def lines(self, block: ShownBlock, edits: Sequence[LineEdit]) -> list[str]:
        """What stands in the element that makes these edits."""

    def _written(self, suggestion: Element, block: ShownBlock | None) -> WrittenEdits:
        if not suggestion.name:
            return WrittenEdits("", complete=suggestion.complete, problem=NO_NAME)
        if block is None:
            return WrittenEdits(suggestion.name, complete=suggestion.complete)
        try:
            edits = sorted(self.edits(suggestion, block), key=lambda edit: (edit.start, edit.end))
        except Unplaced as reason:
            return WrittenEdits(suggestion.name, complete=suggestion.complete, problem=str(reason))
        return WrittenEdits(suggestion.name, tuple(edits), suggestion.complete)
