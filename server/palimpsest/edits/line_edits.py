"""Pure: line edits as data: applies them, normalises them, and maps the lines of one text to another.

In: lines without line ends, `LineEdit`s.  Out: the same.  Pure: does not know about formats or documents.
"""

import difflib
from collections.abc import Iterable, Sequence

from palimpsest.text.alike import ends_alike, n_alike
from palimpsest.types import LineEdit


def applied(lines: Sequence[str], edits: Iterable[LineEdit]) -> list[str]:
    """The lines after the edits, which must be sorted and must not overlap."""
    result, position = list[str](), 0
    for edit in edits:
        assert position <= edit.start <= edit.end <= len(lines), (edit, position, len(lines))
        result += [*lines[position : edit.start], *edit.lines]
        position = edit.end
    return [*result, *lines[position:]]


def normalised(lines: Sequence[str], edits: Iterable[LineEdit]) -> tuple[LineEdit, ...]:
    """The same change in as few and as small edits as possible: sorted, adjacent ones merged, unchanged lines left out.

    Edits that insert at one place keep their order.  They must not overlap.
    """
    merged = list[LineEdit]()
    changes = [small for edit in edits if (small := _smallest(lines, edit)) is not None]
    for edit in sorted(changes, key=lambda e: (e.start, e.end)):
        if merged and merged[-1].end == edit.start:
            last = merged.pop()
            edit = LineEdit(last.start, edit.end, last.lines + edit.lines)
        merged.append(edit)
    return tuple(small for edit in merged if (small := _smallest(lines, edit)) is not None)


def _smallest(lines: Sequence[str], edit: LineEdit) -> LineEdit | None:
    """`edit` without equal lines at its ends; None if nothing is left."""
    old, new = lines[edit.start : edit.end], edit.lines
    head, tail = ends_alike(old, new)
    small = LineEdit(edit.start + head, edit.end - tail, new[head : len(new) - tail])
    return small if small.start < small.end or small.lines else None


def line_map(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Where the unchanged lines of `old` are in `new`; lines that could be in two places are left out.

    The common beginning keeps its place, and the common end is shifted by the difference in length.  Between them, a
    line is matched only if its text occurs exactly once on each side.
    """
    if old == new:
        return {i: i for i in range(len(old))}
    shorter, head, tail = min(len(old), len(new)), n_alike(old, new), n_alike(old[::-1], new[::-1])
    if head + tail > shorter:  # an insertion or deletion repeats its neighbours: it could be any of them
        head, tail = shorter - tail, shorter - head
    shift, below = len(new) - len(old), len(old) - tail
    before, after = _once(old, head, below), _once(new, head, len(new) - tail)
    between = {i: after[text] for text, i in before.items() if text in after}
    return {i: i for i in range(head)} | between | {i: i + shift for i in range(below, len(old))}


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The texts that occur exactly once in `lines[start:end]`, with their line."""
    seen, twice = dict[str, int](), set[str]()
    for i in range(start, end):
        if lines[i] in seen:
            twice.add(lines[i])
        seen[lines[i]] = i
    return {text: i for text, i in seen.items() if text not in twice}


def unified(lines: Sequence[str], edits: Iterable[LineEdit], file: str) -> str:
    """The edits of `lines` in the format of `diff -u`, with a newline after each line; empty if nothing changes.

    `file` is the name shown, relative to the workspace.
    """
    changed = applied(lines, edits)
    names = f"a/{file}", f"b/{file}"
    return "".join(f"{line}\n" for line in difflib.unified_diff(lines, changed, *names, lineterm=""))
