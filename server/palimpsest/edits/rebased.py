"""Pure: rebases a change onto a document that has been edited since, and identifies a proposal by its text.

In: changes, the lines they were made for, the lines now.  Out: changes that apply now, or None; marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from palimpsest.edits.line_edits import line_map, normalised
from palimpsest.types import DocumentChange, LineEdit, Proposal

Mark = frozenset[tuple[str, tuple[tuple[str, ...], ...]]]
"""Identifies what a proposal changes and where, by text, so it stays the same when other lines change."""


def rebased(change: DocumentChange, then: Sequence[str], now: Sequence[str], version: int) -> DocumentChange | None:
    """The change for the lines as they are now, at `version`.  None if a line it replaces or is next to has been
    removed or changed, or if the distance between its edits has changed."""
    if tuple(then) == tuple(now):
        return replace(change, version=version)
    places = line_map(then, now)
    shifts = set[int]()
    for edit in change.edits:
        for line in _touched(edit, len(then)):
            if line not in places:
                return None
            shifts.add(places[line] - line)
    if len(shifts) != 1:
        return None
    shift = shifts.pop()
    edits = tuple(LineEdit(edit.start + shift, edit.end + shift, edit.lines) for edit in change.edits)
    return replace(change, version=version, edits=normalised(now, edits))


def _touched(edit: LineEdit, n_lines: int) -> range:
    """The lines replaced; for an insertion, the lines on both sides."""
    if edit.start < edit.end:
        return range(edit.start, edit.end)
    return range(max(0, edit.start - 1), min(n_lines, edit.start + 1))


def combined(
    first: Sequence[LineEdit], then: Sequence[str], final: Sequence[str], middle: Sequence[str]
) -> tuple[LineEdit, ...]:
    """The edits from `then` to `final`, where `first` turned `then` into `middle` and further edits turned that into
    `final`."""
    known = line_map(middle, final)
    shift, same = 0, list[tuple[int, int]]()  # lines of `then` that are in `final`, in order
    at, edits = 0, list[LineEdit]()
    for edit in [*first, LineEdit(len(then), len(then), ())]:
        same += [(line, known[line + shift]) for line in range(at, edit.start) if line + shift in known]
        at = edit.end
        shift += len(edit.lines) - (edit.end - edit.start)
    old = new = 0
    for line, place in [*same, (len(then), len(final))]:
        if place < new:
            continue
        if line > old or place > new:
            edits.append(LineEdit(old, line, tuple(final[new:place])))
        old, new = line + 1, place + 1
    return normalised(then, edits)


def mark(proposal: Proposal, lines: Mapping[str, Sequence[str]]) -> Mark:
    """The mark of a proposal.  `lines` are those of each document that the proposal is for."""
    return frozenset((change.uri, _pieces(change.edits, lines[change.uri])) for change in proposal.changes)


def _pieces(edits: Sequence[LineEdit], lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    found = list[tuple[str, ...]]()
    for edit in edits:
        around = (*lines[max(0, edit.start - 1) : edit.start], *lines[edit.end : edit.end + 1])
        old, new = lines[edit.start : edit.end], edit.lines
        found += [tuple(line.rstrip() for line in piece) for piece in (around, old, new)]
    return tuple(found)
