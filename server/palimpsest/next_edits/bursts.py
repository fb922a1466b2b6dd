"""Bursts of edits: the text before and after a few changes that belong together.

In: what the editor says of documents and the cursor.  Out: pairs of snapshots, before and after.  Owner of the
snapshots before.

A burst begins with a document's first change and goes on while changes stay near the lines edited so far.  It ends
when something else is edited, the cursor goes elsewhere, the document is saved or closed, or a next edit is accepted.
Bursts that ended are kept for a while, so that their next edits are still found after the cursor has left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.text.snapshot import InputEdit, Snapshot

NEAR = 6
"""Lines between an edit and the next one of the same burst: a signature over several lines, not another function."""
KEPT = 16


@dataclass(frozen=True, slots=True)
class Burst:
    """A document before and after; `first..last` are the lines edited, in those of `after`, both included."""

    before: Snapshot
    after: Snapshot
    first: int
    last: int


class Bursts:
    """Collects changes to bursts, with the snapshots before them."""

    def __init__(self) -> None:
        self._open: Burst | None = None
        self._ended: list[Burst] = []

    @property
    def open(self) -> Burst | None:
        """The burst that may still go on."""
        return self._open

    @property
    def ended(self) -> tuple[Burst, ...]:
        """The newest last."""
        return tuple(self._ended)

    def changed(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        for edit in edits:
            first, last = edit.start_point[0], edit.new_end_point[0]
            burst = self._open
            if burst is not None and not self._goes_on(burst, new.uri, edit):
                self.end()
                burst = None
            if burst is None:
                self._open = Burst(old, new, first, last)
                continue
            shift = edit.new_end_point[0] - edit.old_end_point[0]
            end = burst.last + shift if burst.last >= edit.old_end_point[0] else burst.last
            self._open = Burst(burst.before, new, min(burst.first, first), max(end, last))

    def cursor_at(self, uri: str, line: int) -> None:
        burst = self._open
        if burst is not None and not (burst.after.uri == uri and _is_near(burst, line, line)):
            self.end()

    def end(self, uri: str | None = None) -> None:
        """End the burst, if it is one of this document, or whichever it is."""
        burst = self._open
        if burst is None or (uri is not None and burst.after.uri != uri):
            return
        self._open = None
        if burst.before.text != burst.after.text:
            self._ended = [*self._ended, burst][-KEPT:]

    def forget(self, uri: str) -> None:
        """The document is closed."""
        if self._open is not None and self._open.after.uri == uri:
            self._open = None
        self._ended = [burst for burst in self._ended if burst.after.uri != uri]

    def drop(self, bursts: Sequence[Burst]) -> None:
        """Of those that ended, these are not worth following."""
        self._ended = [burst for burst in self._ended if burst not in bursts]

    def _goes_on(self, burst: Burst, uri: str, edit: InputEdit) -> bool:
        return burst.after.uri == uri and _is_near(burst, edit.start_point[0], edit.old_end_point[0])


def _is_near(burst: Burst, first: int, last: int) -> bool:
    return burst.first - NEAR <= last and first <= burst.last + NEAR
