"""Where the person is: in which document, and at which position of it.

In: the editor's word, requests for a position, edits.  Out: `CursorMoved`, also where an edit moves the position.
Owner of that place.
"""

from palimpsest.text.conversations import is_conversation
from palimpsest.text.documents import LOST
from palimpsest.text.snapshot import Position, Snapshot, moved
from palimpsest.window.events import CursorMoved, DocumentChanged, DocumentClosed, RefreshNeeded, StatusChanged
from palimpsest.window.services import Services


class Cursor:
    """One window's; a place is None until somebody says where it is, and when its document was closed."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.place: tuple[str, Position] | None = None
        self.code: tuple[str, Position] | None = None
        """Where the person was last outside of conversations: what is said in one is said about the code there."""
        self._lost = ""
        events = services.events
        events.on(CursorMoved, self._moved)
        events.on(DocumentClosed, self._closed)

    @property
    def document(self) -> Snapshot | None:
        return self._services.documents.find(self.place[0]) if self.place is not None else None

    @property
    def why_off(self) -> str:
        """Why there are no completions here; "" where there are, or nobody knows where it is."""
        if self._lost and self._services.documents.lost(self._lost) is not None:
            return f"off here, and so are suggestions: this document {LOST}"
        document = self.document
        if document is None or self._is_conversation(document.uri):
            return ""  # there is nothing to be switched on
        return self._services.why_off(document)

    def _moved(self, event: CursorMoved) -> None:
        elsewhere = self.place is None or self.place[0] != event.uri
        self.place, self._lost = (event.uri, event.position), ""
        if not self._is_conversation(event.uri):
            self.code = self.place
        if elsewhere:
            self._services.events.emit(StatusChanged())  # completions may be off there

    def document_changed(self, event: DocumentChanged) -> None:
        if self.place is not None and self.place[0] == event.new.uri:
            position = moved(self.place[1], event.old, event.new, event.edits)
            self._services.events.emit(CursorMoved(event.new.uri, position))
            self._services.events.emit(RefreshNeeded())
        elif self.code is not None and self.code[0] == event.new.uri:
            self.code = event.new.uri, moved(self.code[1], event.old, event.new, event.edits)

    def lost(self, uri: str) -> None:
        """The person is in a document whose text is not known."""
        self.place, self._lost = None, uri
        self._services.events.emit(StatusChanged())

    def _closed(self, event: DocumentClosed) -> None:
        if event.lost and self.place is not None and self.place[0] == event.uri:
            self.lost(event.uri)
        if self.place is not None and self.place[0] == event.uri:
            self.place = None
        if self.code is not None and self.code[0] == event.uri:
            self.code = None

    def _is_conversation(self, uri: str) -> bool:
        document = self._services.documents.find(uri)
        return is_conversation(uri, () if document is None else document.lines)
