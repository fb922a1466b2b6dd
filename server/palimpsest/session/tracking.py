"""What the person does, kept for the blocks about it.

In: edits, cursor moves, saves, yanks, diagnostics.  Out: pieces of code, edits and diagnostics in `context/activity/`.
Nothing of a document that the engine may not see (`window/privacy.py`).

A piece is kept where a burst of edits ends, where a document is saved, where something is yanked, and where the
person leaves what they went through: for another document, or far away.  A jump somewhere and back goes through
nothing: the cursor has to have been on two lines there.
"""

import time

from palimpsest.context.activity.activity import Activity
from palimpsest.context.activity.chunks import MAX_TOKENS, MOST_LINES, Chunk, chunk_at, chunk_of
from palimpsest.context.activity.edits import EditTexts
from palimpsest.context.estimate import chars_for
from palimpsest.next_edits.bursts import Burst, Bursts
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.conversations import is_conversation
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.window.events import (
    CursorMoved,
    DiagnosticsTold,
    DocumentChanged,
    DocumentClosed,
    DocumentSaved,
    EditAccepted,
    RefreshNeeded,
    Yanked,
)
from palimpsest.window.services import Services

FAR = 64
"""Lines away from a place, which llama.vim takes, too."""
FEW = 8
"""Lines yanked that say little without those around them."""


class ActivityTracker:
    """`activity` is the session's for as long as it lives."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._bursts = Bursts()
        self._place: tuple[str, int] | None = None
        self._lines = set[int]()  # where the cursor was said to be, the first of them in `_since`
        self._since = 0
        events = services.events
        events.on(DocumentClosed, self._closed)
        events.on(DocumentSaved, self._saved)
        events.on(CursorMoved, self._moved)
        events.on(EditAccepted, self._accepted)
        events.on(Yanked, self._yanked)
        events.on(DiagnosticsTold, self._told)

    @property
    def _activity(self) -> Activity:
        return self._services.activity

    def document_changed(self, event: DocumentChanged) -> None:
        self._activity.changed(event.new, event.edits)
        origin = self._activity.origins.of(event.old, event.new, event.edits)
        self._bursts.changed(event.old, event.new, event.edits, origin, time.monotonic())
        self._note_ended()

    def _accepted(self, event: EditAccepted) -> None:
        self._bursts.accepted(event.uri)
        self._activity.origins.accepted(event.uri)
        self._note_ended()

    def _closed(self, event: DocumentClosed) -> None:
        self._bursts.end(event.uri)
        self._activity.origins.forget(event.uri)
        self._activity.diagnostics.forget(event.uri)
        self._note_ended()
        self._leave(event.uri)

    def _saved(self, event: DocumentSaved) -> None:
        self._bursts.end(event.uri)
        self._note_ended()
        if self._place is not None and self._place[0] == event.uri:
            self._note(event.uri, self._place[1])

    def _moved(self, event: CursorMoved) -> None:
        uri, line = event.uri, event.position.line
        if self._place is not None and (self._place[0] != uri or abs(self._since - line) > FAR):
            self._leave(self._place[0])
        self._bursts.cursor_at(uri, line)
        self._note_ended()
        if self._place is None:
            self._since = line
        self._place = uri, line
        if event.said:
            self._lines.add(line)

    def _told(self, event: DiagnosticsTold) -> None:
        snapshot = self._services.documents.find(event.uri)
        if snapshot is not None and self._may_show(snapshot):
            self._activity.diagnostics.tell(snapshot, event.found, event.lines)
            self._settle()

    def _settle(self) -> None:
        """What was found counts, but in the document that is being edited."""
        burst = self._bursts.open
        typed = None if burst is None else burst.after.uri
        diagnostics = self._activity.diagnostics
        if [uri for uri in diagnostics.unsettled if uri != typed and diagnostics.settle(uri)]:
            self._services.events.emit(RefreshNeeded(restart=False))

    def _leave(self, uri: str) -> None:
        """The person goes elsewhere."""
        if self._place is None or self._place[0] != uri:
            return
        if len(self._lines) > 1:
            self._note(*self._place)
        self._place = None
        self._lines.clear()

    def _yanked(self, event: Yanked) -> None:
        snapshot = self._services.documents.find(event.uri)
        lines = event.lines
        if snapshot is None:
            return
        if lines is None:
            if self._place is not None and self._place[0] == event.uri:
                self._note(*self._place)
        elif len(lines) < FEW:
            self._note(event.uri, lines.start)
        elif self._may_show(snapshot):
            parsed = self._services.parser.hurried(snapshot)
            name = scope_at(parsed, lines.start, 0).qualified_name
            self._activity.chunks.add(_within(chunk_of(snapshot, lines, name)))

    def _note(self, uri: str, line: int) -> None:
        snapshot = self._services.documents.find(uri)
        if snapshot is not None and self._may_show(snapshot):
            self._activity.chunks.add(chunk_at(self._services.parser.hurried(snapshot), line))

    def _note_ended(self) -> None:
        for burst in self._bursts.ended:
            if self._may_show(burst.after):
                self._activity.edits.add(_texts(burst), burst.first, burst.last)
                now = self._services.documents.find(burst.after.uri)
                if now is not None and now.text == burst.after.text:
                    self._note(now.uri, burst.last)
        self._bursts.drop(self._bursts.ended)
        typed = self._bursts.open
        self._activity.edits.open = None if typed is None else _texts(typed)
        self._settle()

    def _may_show(self, snapshot: Snapshot) -> bool:
        """Whether it is a file of which the engine may see something; blocks ask for more than that.  What is said in
        conversations is no code, and what is being written there is not said yet."""
        if path_or_none(snapshot.uri) is None or is_conversation(snapshot.uri, snapshot.lines):
            return False
        return not self._services.privacy.why_not(snapshot)


def _texts(burst: Burst) -> EditTexts:
    return EditTexts(burst.before, burst.steps, burst.paused)


def _within(chunk: Chunk | None) -> Chunk | None:
    """As much of a piece from its beginning on as one may have."""
    if chunk is None:
        return None
    kept, room = 0, chars_for(MAX_TOKENS)
    for line in chunk.lines[:MOST_LINES]:
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept += 1
    return Chunk(chunk.uri, chunk.name, chunk.start, chunk.lines[:kept])
