"""Pure: edits as the whole block, rewritten with the changes (docs/formats.md, "whole").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.
"""

from collections.abc import Iterable, Sequence

from palimpsest.edits.formats.elements import Element, escaped
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.formats.lines import Unplaced, differences, marks, texts, ungutter
from palimpsest.edits.gbnf import FREE, literal, reply_grammar
from palimpsest.edits.line_edits import applied
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.types import LineEdit

CUT_OFF = "the reply ends before the block does"
MORE_LINES = 40
"""The grammar allows this many lines more than were shown."""
TEXT = FormatText(
    """\
- Write the whole block again as it shall be, also the lines that stay.
- Keep every space of the indentation, and every line "..." that stands for code left out.""",
    "def area(width, height):\n    return width * height",
)


class Whole(EditFormat):
    name = "whole"
    text = TEXT

    def lines(self, block: ShownBlock, edits: Sequence[LineEdit]) -> list[str]:
        lines = applied(texts(block), edits)
        if not any(map(str.strip, lines)):
            raise ValueError("an empty suggestion is no edit")
        if ungutter(lines, _left_out(block)) != lines:  # reading would take these for line numbers
            lines = [f"L1 {line}" for line in lines]
        return lines

    def edits(self, suggestion: Element, block: ShownBlock) -> Sequence[LineEdit]:
        if not suggestion.complete:
            raise Unplaced(CUT_OFF)
        lines = ungutter(_without_tags(suggestion, block).lines(block), _left_out(block))
        if not any(map(str.strip, lines)):  # nobody writes a block again by writing nothing
            return []
        return differences(texts(block), lines, marks(block))

    def grammar(self, blocks: Iterable[ShownBlock]) -> str:
        """Allows as many lines as were shown and some more, with the marks of omitted code between them, in order."""
        return reply_grammar(blocks, _rules, shared=FREE)


def _without_tags(suggestion: Element, block: ShownBlock) -> Element:
    """The element without copied tags of the block itself; in the block's lines they would be escaped."""
    lines = suggestion.content.strip().split("\n")
    first, last = lines[0].strip(), lines[-1].strip()
    if first.startswith(f"<{block.element} ") and last == f"</{block.element}>" and len(lines) > 1:
        return Element(suggestion.name, "\n" + "\n".join([*lines[1:-1], ""]))
    return suggestion


def _left_out(block: ShownBlock) -> frozenset[str]:
    return frozenset(block.lines[i].text.strip() for i in marks(block))


def _rules(rule: str, block: ShownBlock) -> list[str]:
    left_out = sorted(marks(block))
    most = len(block.lines) + MORE_LINES
    parts = [f"{rule}-some"]
    for i in left_out:
        parts += [literal(escaped(block.lines[i].text, block) + "\n"), f"{rule}-some"]
    return [f"{rule} ::= " + " ".join(parts), f"{rule}-some ::= free{{0,{most}}}"]
