"""Which lines of a block have to be quoted, so that it is clear where an edit goes.

In: edits of a block.  Out: lines as they are and as they become.  Pure; knows no format.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.suggest.edits import applied
from palimpsest.suggest.formats.lines import occurrences, texts
from palimpsest.suggest.shown import ShownBlock
from palimpsest.types import LineEdit


def hunks(block: ShownBlock, edits: Sequence[LineEdit]) -> list[tuple[list[str], list[str]]]:
    """(Lines quoted, what they become), each of which stands at one place of the block only, or is all of it; edits
    that need the same lines are quoted together."""
    lines, found = texts(block), list[tuple[int, int, list[LineEdit]]]()
    for edit in edits:
        start, end = _around(block, edit.start, edit.end)
        inside = [edit]
        while found and found[-1][1] >= start:  # also where they only touch: an insertion could belong to either
            first, last, before = found.pop()
            start, end = _around(block, min(first, start), max(last, end))
            inside = [*before, *inside]
        found.append((start, end, inside))
    result = list[tuple[list[str], list[str]]]()
    for start, end, inside in found:
        shifted = [LineEdit(edit.start - start, edit.end - start, edit.lines) for edit in inside]
        result.append((lines[start:end], applied(lines[start:end], shifted)))
    return result


def _around(block: ShownBlock, start: int, end: int) -> tuple[int, int]:
    """As few lines around these as stand nowhere else, taken from above and below in turn."""
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
