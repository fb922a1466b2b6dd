"""Pure: the part of a shown completion that remains while a person types it.

In: the text before and after the cursor.  Out: the remainder to show, without asking an engine.  Does not know about
editors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.completions.inline import agrees


@dataclass(frozen=True, slots=True)
class Remainder:
    """The text still to insert of alternative `index` of those shown."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class _Shown:
    uri: str
    before: str
    after: str
    texts: tuple[str, ...]


class Ghost:
    """Holds the last completion shown in this window."""

    def __init__(self) -> None:
        self._shown: _Shown | None = None

    def show(self, uri: str, before: str, after: str, texts: Sequence[str]) -> None:
        self._shown = _Shown(uri, before, after, tuple(texts))

    def forget(self) -> None:
        self._shown = None

    def remainders(self, uri: str, before: str, after: str) -> list[Remainder]:
        """The remainder of each alternative that agrees with the text typed since it was shown; empty if none agrees.

        Apart from the typed characters, the text on both sides must be unchanged, so that an answer made for another
        text is never shown.  An alternative that has been typed in full has no remainder: the next one must be
        requested.
        """
        ghost = self._shown
        if ghost is None or ghost.uri != uri or ghost.after != after or not before.startswith(ghost.before):
            return []
        typed = before[len(ghost.before) :]
        return [Remainder(i, rest) for i, text in enumerate(ghost.texts) if (rest := agrees(text, typed))]
