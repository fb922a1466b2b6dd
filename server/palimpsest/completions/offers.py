"""Completions that were shown, and what became of them.

In: texts as they are shown, and what the editor says of them by id.  Out: ids, counts for the statistics.  Showing and
accepting a completion count once each, however often and in whatever way the editor reports them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.newest import Newest
from palimpsest.window.statistics import Happened, Part, Statistics


@dataclass(slots=True)
class ShownCompletion:
    """`text`: what was left to insert of it when it was last given out."""

    text: str
    language: str
    closed: bool = False


class ShownCompletions:
    """The completions that were shown, by id."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics
        self._offers = Newest[str, ShownCompletion]()
        self._n = 0

    def give(self, texts: Sequence[str], language: str, ms: float, *, instead: bool = False) -> tuple[str, ...]:
        """Ids of alternatives shown together, which count as one, and as none `instead` of what was shown; `ms` is what
        they were waited for."""
        ids = []
        for text in texts:
            self._n += 1
            ids.append(f"c-{self._n}")
            self._offers[ids[-1]] = ShownCompletion(text, language)
        if ids and not instead:
            self._statistics.count("completion", "shown", language=language, ms=ms)
        return tuple(ids)

    def are_open(self, ids: Sequence[str]) -> bool:
        """Whether none of them was rejected, or accepted as a whole."""
        return not any(id in self._offers and self._offers[id].closed for id in ids)

    def set_rest(self, id: str, text: str) -> None:
        """A beginning of it was typed, or it became longer."""
        if id in self._offers:
            self._offers[id].text = text

    def happened(self, id: str, happened: Happened, part: Part, chars: int | None, language: str) -> None:
        """What the editor says; `language` is the document's at the cursor, for an id that is not known (any more)."""
        offer = self._offers.get(id)
        if happened == "shown":
            return  # counted when it was given out
        if offer is not None:
            if offer.closed:
                return
            offer.closed = happened == "rejected" or part == "all"
            language = offer.language
            if chars is None and part == "all":
                chars = len(offer.text)
            elif part != "all":  # the rest stays on screen, and is all that is left to be accepted
                offer.text = offer.text[chars or 0 :]
        self._statistics.count("completion", happened, part=part, chars=chars or 0, language=language)
