"""Pure: edits as the whole block, rewritten with the changes (docs/formats.md, "whole").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from palimpsest.edits.formats.elements import NO_NAME, Element, element, elements, escaped, summary_element
from palimpsest.edits.formats.lines import Unplaced, differences, marks, texts, ungutter
from palimpsest.edits.formats.quoting import unmistakable
from palimpsest.edits.gbnf import FREE, literal, reply_grammar
from palimpsest.edits.line_edits import applied
from palimpsest.edits.reply import Reply, WrittenEdits
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


@dataclass(frozen=True, slots=True)
class Whole:
    name: ClassVar[str] = "whole"
    text: ClassVar[FormatText] = TEXT

    def read(self, reply: str, shown: Mapping[str, ShownBlock]) -> Reply:
        found, summary = elements(reply)
        return Reply(tuple(_written(one, shown.get(one.name)) for one in found), summary)

    def write(self, block: ShownBlock, edits: Sequence[LineEdit], summary: str) -> str:
        lines = applied(texts(block), edits)
        if ungutter(lines, _left_out(block)) != lines:  # reading would take these for line numbers
            lines = [f"L1 {line}" for line in lines]
        reply = element(block.name, lines, block) + summary_element(summary)
        return unmistakable(block, edits, lambda text: self.read(text, {block.name: block}), reply)

    def grammar(self, shown: Iterable[ShownBlock]) -> str:
        """Allows as many lines as were shown and some more, with the marks of omitted code between them, in order."""
        return reply_grammar(shown, _rules, shared=FREE)


def _written(found: Element, block: ShownBlock | None) -> WrittenEdits:
    if not found.name:
        return WrittenEdits("", complete=found.complete, problem=NO_NAME)
    if block is None:
        return WrittenEdits(found.name, (), found.complete)
    if not found.complete:
        return WrittenEdits(found.name, (), False, CUT_OFF)
    lines = ungutter(_without_tags(found, block).lines(block), _left_out(block))
    try:
        return WrittenEdits(found.name, tuple(differences(texts(block), lines, marks(block))))
    except Unplaced as reason:
        return WrittenEdits(found.name, problem=str(reason))


def _without_tags(found: Element, block: ShownBlock) -> Element:
    """The element without copied tags of the block itself; in the block's lines they would be escaped."""
    lines = found.content.strip().split("\n")
    first, last = lines[0].strip(), lines[-1].strip()
    if first.startswith(f"<{block.element} ") and last == f"</{block.element}>" and len(lines) > 1:
        return Element(found.name, "\n" + "\n".join([*lines[1:-1], ""]))
    return found


def _left_out(block: ShownBlock) -> frozenset[str]:
    return frozenset(block.lines[i].text.strip() for i in marks(block))


def _rules(rule: str, block: ShownBlock) -> list[str]:
    left_out = sorted(marks(block))
    most = len(block.lines) + MORE_LINES
    parts = [f"{rule}-some"]
    for i in left_out:
        parts += [literal(escaped(block.lines[i].text, block) + "\n"), f"{rule}-some"]
    return [f"{rule} ::= " + " ".join(parts), f"{rule}-some ::= free{{0,{most}}}"]
