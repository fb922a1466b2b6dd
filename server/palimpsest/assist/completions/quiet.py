"""What is not shown to a person who types.

In: a result for a cursor, the changes of the document.  Out: the texts worth showing.  Owner of what was deleted last.

Nothing is shown that the model is not sure enough of, and nothing that brings back what was just deleted: whoever takes
a completion back does not want it again.  One who asks is shown both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest.assist.shared.events import DocumentChanged
from palimpsest.assist.shared.services import Services
from palimpsest.completion.results import Result
from palimpsest.text.snapshot import InputEdit, Position, Snapshot

SURE = {"Palimpsest SmolLM2 135M": 0.2}
"""By the name in the model's file: how sure it must be, as it was calibrated (docs/measurements.md, "Quiet")."""


@dataclass(frozen=True, slots=True)
class _Deleted:
    """`text` stood at `offset`, and nothing else was changed since."""

    uri: str
    offset: int
    text: str


class Quiet:
    """One window's."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._deleted: _Deleted | None = None
        services.events.on(DocumentChanged, self._changed)

    def worth(self, result: Result, snapshot: Snapshot, position: Position) -> Result:
        """Without the texts that are not worth showing; the cache keeps them for an explicit request."""
        model = self._services.supervisor.status.model
        if result.confidence < least(self._services.settings.completion.min_confidence, model.name if model else ""):
            return replace(result, texts=())
        texts = tuple(text for text in result.texts if self.admits(text, snapshot, position))
        return result if texts == result.texts else replace(result, texts=texts)

    def admits(self, text: str, snapshot: Snapshot, position: Position) -> bool:
        """Unless it brings back what was just deleted there, or the beginning of it."""
        deleted = self._deleted
        if deleted is None or (deleted.uri, deleted.offset) != (snapshot.uri, snapshot.offset(position)):
            return True
        gone, said = deleted.text.strip(), text.strip()
        return not gone or not (said.startswith(gone) or gone.startswith(said))

    def _changed(self, event: DocumentChanged) -> None:
        """Deleting goes on where it touches what was deleted before; whatever is typed ends it."""
        found = _deletion(event.old, event.new, event.edits)
        before = self._deleted
        if found is not None and before is not None and before.uri == found.uri:
            if found.offset == before.offset:
                found = replace(found, text=before.text + found.text)
            elif found.offset + len(found.text) == before.offset:
                found = replace(found, text=found.text + before.text)
        self._deleted = found


def least(chosen: float, model: str) -> float:
    """How sure of a completion a model must be: what the person chose, or below 0 what suits the model."""
    return chosen if chosen >= 0 else SURE.get(model, 0.0)


def _deletion(old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> _Deleted | None:
    """What one edit took away without putting anything in its place."""
    if len(edits) != 1 or len(new.text) >= len(old.text):
        return None
    edit = edits[0]
    gone, put = old.utf8[edit.start_byte : edit.old_end_byte], new.utf8[edit.start_byte : edit.new_end_byte]
    if not gone.startswith(put):
        return None
    at = new.offset(new.at_point(*edit.new_end_point))
    return _Deleted(new.uri, at, gone[len(put) :].decode("utf-8", "surrogatepass"))
