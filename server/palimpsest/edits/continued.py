"""Pure: adds a second reply to a proposal: both become one set of edits.

The reply was made on the text with the proposal applied; the result applies to the text without it.

In: the reply as read, the proposal's change, each document then and now.  Out: a reading of the documents as they are
now.  Pure: does not know about engines or editors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.edits.line_edits import applied
from palimpsest.edits.rebased import combined, rebased
from palimpsest.types import DocumentChange, LineEdit, Reading, Refusal, Suggestion

MOVED_ON = "the lines it changes have been edited since"


@dataclass(frozen=True, slots=True)
class Ground:
    """One document: its lines when the reply was requested, `change`, which is what the proposal does to them (None:
    nothing), and the lines and version now."""

    then: tuple[str, ...]
    change: DocumentChange | None
    now: tuple[str, ...]
    version: int

    @property
    def edits(self) -> tuple[LineEdit, ...]:
        return () if self.change is None else self.change.edits

    @property
    def with_it(self) -> tuple[str, ...]:
        return tuple(applied(self.then, self.edits))


def continued(reading: Reading, grounds: Mapping[str, Ground]) -> Reading:
    """`reading` has suggestions for the documents with the proposal applied.  The result has one for each document that
    the proposal or the reply changes, or none if the reply adds nothing."""
    more, refused = dict[str, list[LineEdit]](), list(reading.refused)
    for suggestion in reading.suggestions:
        here = more.setdefault(suggestion.uri, [])
        if any(edit.start <= other.end and other.start <= edit.end for edit in suggestion.edits for other in here):
            refused.append(Refusal(suggestion.name, "it changes lines that another suggestion of this reply changes"))
        else:
            here += suggestion.edits
    if not more:
        return Reading((), tuple(refused), reading.summary)
    names = {suggestion.uri: suggestion.name for suggestion in reading.suggestions}
    found = list[Suggestion]()
    for uri, ground in grounds.items():
        if uri not in more and ground.change is None:
            continue
        name = names.get(uri) or (ground.change.names[0] if ground.change and ground.change.names else uri)
        change = _together(uri, name, ground, sorted(more.get(uri, ()), key=lambda e: (e.start, e.end)))
        if change is None:
            return Reading((), (*refused, Refusal(name, MOVED_ON)), reading.summary)
        if change.edits:
            before = tuple(ground.now[edit.start : edit.end] for edit in change.edits)
            found.append(Suggestion(name, uri, change.version, change.edits, before, reading.summary))
    return Reading(tuple(found), tuple(refused), reading.summary)


def _together(uri: str, name: str, ground: Ground, more: Sequence[LineEdit]) -> DocumentChange | None:
    middle = ground.with_it
    edits = combined(ground.edits, ground.then, applied(middle, more), middle)
    if not edits:
        return DocumentChange(uri, ground.version, (), (), (name,))
    return rebased(DocumentChange(uri, ground.version, edits, (), (name,)), ground.then, ground.now, ground.version)
