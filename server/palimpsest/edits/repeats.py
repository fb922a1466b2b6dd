"""Pure: removes inserted lines that repeat the lines next to them.

A model that keeps writing after its edit often repeats the code that follows.

In: lines and edits of them.  Out: the edits without repetitions.  Pure: does not know about languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.types import LineEdit

FEWEST = 2
"""Minimum number of lines with text in a repetition: a single line may well occur twice in a row."""


def without_repeats(lines: Sequence[str], edits: Sequence[LineEdit]) -> tuple[LineEdit, ...]:
    """The edits (sorted, without overlap) without beginnings and ends that repeat the lines right before and after
    them; edits that become empty are dropped.  Only edits that make the document longer are examined."""
    kept = list[LineEdit]()
    for i, edit in enumerate(edits):
        above = edits[i - 1].end if i else 0
        below = edits[i + 1].start if i + 1 < len(edits) else len(lines)
        if len(edit.lines) > edit.end - edit.start:
            edit = _trimmed(edit, lines[above : edit.start], lines[edit.end : below])
        if edit.lines or edit.start < edit.end:
            kept.append(edit)
    return tuple(kept)


def _trimmed(edit: LineEdit, above: Sequence[str], below: Sequence[str]) -> LineEdit:
    new = edit.lines
    if n := _common([new[-k:] == tuple(below[:k]) for k in range(1, min(len(new), len(below)) + 1)], new[::-1]):
        new = new[:-n]
    if n := _common([new[:k] == tuple(above[-k:]) for k in range(1, min(len(new), len(above)) + 1)], new):
        new = new[n:]
    return replace(edit, lines=new)


def _common(equal: Sequence[bool], new: Sequence[str]) -> int:
    """The length of the longest repeated piece that has enough text; `new` begins with it, read from its end of the
    edit."""
    longest = max((k for k, is_equal in enumerate(equal, start=1) if is_equal), default=0)
    return longest if sum(bool(line.strip()) for line in new[:longest]) >= FEWEST else 0
