"""Pure: moves edits to a newer version of their documents: the only place that does.

In: changes, the documents they were made for, the documents now.  Out: changes that apply now, or None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from palimpsest.edits.line_edits import line_map, normalised
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import DocumentChange, LineEdit, Proposal


class MovedOn(Exception):
    """A proposal no longer applies to the document `uri`; the text is the end of a sentence that says why."""

    def __init__(self, uri: str, why: str) -> None:
        super().__init__(why)
        self.uri = uri


def moved(proposal: Proposal, then: Mapping[str, Snapshot], now: Mapping[str, Snapshot]) -> Proposal:
    """The proposal for the documents as they are now, by URI.  Raises MovedOn."""
    changes = list[DocumentChange]()
    for change in proposal.changes:
        if (newer := now.get(change.uri)) is None:
            raise MovedOn(change.uri, "is no longer there")
        new = rebased(change, then[change.uri].lines, newer.lines, newer.version)
        if new is None:
            raise MovedOn(change.uri, "has been edited where it would be changed")
        changes.append(new)
    return replace(proposal, changes=tuple(changes))


def rebased(change: DocumentChange, then: Sequence[str], now: Sequence[str], version: int) -> DocumentChange | None:
    """The change for the lines as they are now, at `version`.  None if a line that it replaces has been removed
    or changed, or both that it inserts between, or if what is between its edits is longer or shorter."""
    if tuple(then) == tuple(now):
        return replace(change, version=version)
    places = line_map(then, now)
    shifts = set[int]()
    for edit in change.edits:
        touched = _touched(edit, len(then))
        known = [line for line in touched if line in places]
        if not known or (len(known) < len(touched) and edit.start < edit.end):
            return None
        shifts |= {places[line] - line for line in known}
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
