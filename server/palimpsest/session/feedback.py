"""What the editor says became of something that it was offered.

In: completions, suggestions and next edits that were shown, accepted or rejected, by their ids.  Out: calls of their
owners, counts for the statistics.
"""

from palimpsest.completions.completions import Completions
from palimpsest.edits.suggestions.suggestions import Suggestions
from palimpsest.session.cursor import Cursor
from palimpsest.window.events import EditAccepted
from palimpsest.window.services import Services
from palimpsest.window.statistics import Happened, Part, What


class Feedback:
    """Passes on what became of an offer, and counts it; keeps nothing."""

    def __init__(self, services: Services, cursor: Cursor, completions: Completions, suggestions: Suggestions) -> None:
        self._services = services
        self._cursor = cursor
        self._completions = completions
        self._suggestions = suggestions

    def happened(
        self, what: What, happened: Happened, *, part: Part = "all", chars: int | None = None, id: str = ""
    ) -> None:
        """Raises InvalidArgument for an unknown id of a suggestion."""
        document = self._cursor.document
        language = document.language_id if document is not None else ""
        if what == "completion":
            self._completions.offers.happened(id, happened, part, chars, language)
            if happened == "accepted" and document is not None:
                self._services.events.emit(EditAccepted(document.uri))
        elif id and what == "suggestion" and happened != "shown":
            settled = self._suggestions.accepted if happened == "accepted" else self._suggestions.reject
            settled(id)
        else:
            self._services.statistics.count(what, happened, part=part, chars=chars or 0, language=language)
