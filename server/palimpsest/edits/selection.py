"""Pure: limits edits to the lines that a person selected.

In: blocks as shown, the selected lines, a reply.  Out: blocks in which only these lines can be edited, and the reply,
with a problem if it changes others.  Pure: does not know about formats.
"""

from collections.abc import Mapping
from dataclasses import replace

from palimpsest.edits.reply import EditReply, WrittenEdits
from palimpsest.edits.shown import EDITING, ShownBlock
from palimpsest.types import ShownLine


def selected(block: ShownBlock, lines: range) -> tuple[ShownLine, ...]:
    """The lines of the editing block that stand for the document lines `lines`."""
    return tuple(line for line in block.lines if line.document_line in lines)


def narrowed(blocks: Mapping[str, ShownBlock], lines: range) -> dict[str, ShownBlock]:
    """The blocks as a grammar may name them: only the selected lines of the editing block and nothing of the others."""
    own = blocks[EDITING]
    kept = tuple(line if line.document_line in lines else replace(line, document_line=None) for line in own.lines)
    return {
        name: replace(block, lines=kept) if block is own else replace(block, editable=False)
        for name, block in blocks.items()
    }


def within(reply: EditReply, blocks: Mapping[str, ShownBlock], lines: range) -> EditReply:
    """The reply, with a problem in every suggestion that changes anything but the selected lines."""
    return replace(reply, written=tuple(_within(written, blocks, lines) for written in reply.written))


def _within(written: WrittenEdits, blocks: Mapping[str, ShownBlock], lines: range) -> WrittenEdits:
    own = blocks[EDITING]
    if written.problem or written.name not in blocks:
        return written
    if blocks[written.name] is not own:
        return replace(written, problem=f'it changes "{written.name}", which is outside of the selection')
    places = [i for i, line in enumerate(own.lines) if line.document_line in lines]
    for edit in written.edits:
        if edit.start < places[0] or edit.end > places[-1] + 1:
            numbers = [own.lines[i].number for i in (places[0], places[-1])]
            return replace(written, problem=f"it changes more than the selected lines {numbers[0]} to {numbers[1]}")
    return written


def describe_selection(block: ShownBlock, lines: range, *, numbered: bool) -> str:
    """One sentence that tells the model about the selection, with line numbers if it sees them."""
    if not numbered:
        texts = [line.text.strip() for line in selected(block, lines) if line.text.strip()] or [""]
        return f"Change nothing outside of the lines from `{texts[0]}` to `{texts[-1]}`."
    numbers = [line.number for line in selected(block, lines) if line.number is not None]
    if len(numbers) == 1:
        return f"Change line {numbers[0]} and nothing else."
    return f"Change lines {numbers[0]} to {numbers[-1]} and nothing else."
