"""Pure: finds which lines of a block must be quoted to make the place of an edit unambiguous, and checks that it is.

In: edits of a block.  Out: lines as they are and as they become.  Does not know about formats.
"""

from collections.abc import Callable, Sequence

from palimpsest.edits.formats.lines import marks, occurrences, texts
from palimpsest.edits.line_edits import applied
from palimpsest.edits.reply import EditReply
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import LineEdit


def hunks(block: ShownBlock, edits: Sequence[LineEdit]) -> list[tuple[list[str], list[str]]]:
    """Pairs of (lines quoted, their replacement).  The quoted lines occur at only one place of the block, or are the
    whole block; edits that need the same lines are quoted together."""
    lines, ranges = texts(block), list[tuple[int, int, list[LineEdit]]]()
    for edit in edits:
        start, end = _around(block, edit.start, edit.end)
        inside = [edit]
        while ranges and ranges[-1][1] >= start:  # even if they only touch: an insertion could belong to either
            first, last, before = ranges.pop()
            start, end = _around(block, min(first, start), max(last, end))
            inside = [*before, *inside]
        ranges.append((start, end, inside))
    result = list[tuple[list[str], list[str]]]()
    for start, end, inside in ranges:
        shifted = [LineEdit(edit.start - start, edit.end - start, edit.lines) for edit in inside]
        result.append((lines[start:end], applied(lines[start:end], shifted)))
    return result


def _around(block: ShownBlock, start: int, end: int) -> tuple[int, int]:
    """The smallest range around these lines that occurs only once, extended upwards and downwards in turn."""
    lines = texts(block)
    above = start == end
    while not any(line.strip() for line in lines[start:end]) or len(occurrences(block, lines[start:end])) > 1:
        if start == 0 and end == len(lines):
            break
        if (above and start > 0) or end == len(lines):
            start -= 1
        else:
            end += 1
        above = not above
    return start, end


def unmistakable(block: ShownBlock, edits: Sequence[LineEdit], read: Callable[[str], EditReply], reply: str) -> str:
    """The reply, if it is read back as it was meant.  Raises ValueError if not, because a line that is added or removed
    looks like a mark of omitted code next to such a mark."""
    left_out = marks(block)
    like = {block.lines[i].text.strip() for i in left_out}
    own = (line.text for i, line in enumerate(block.lines) if i not in left_out)
    if any(line.strip() in like for line in (*own, *(line for edit in edits for line in edit.lines))):
        lines = [f"\n{i}" if i in left_out else line for i, line in enumerate(texts(block))]
        (written,) = read(reply).written
        if written.problem or applied(lines, written.edits) != applied(lines, edits):
            raise ValueError("a line reads like a mark of code left out")
    return reply
