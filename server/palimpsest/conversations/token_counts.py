"""Tokens of texts, counted by the model's own tokenizer.

In: texts.  Out: counts, and whether they are estimated.  A text is counted once; characters are estimated only where no
engine answers, or one that has no tokenizer to ask.  Owner of the counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest import wire
from palimpsest.context.estimate import estimate
from palimpsest.errors import EngineError
from palimpsest.providers.base.protocol import Estimating
from palimpsest.window.events import CacheForgotten
from palimpsest.window.services import Services

MOST_KEPT = 20_000
"""Counts, by text."""


class TokenCounts:
    """Counts texts, each once for a tokenizer."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[str, int] = {}
        self._estimated = False
        services.events.on(CacheForgotten, lambda _: self._known.clear())  # it may be another model

    async def of(self, texts: Sequence[str]) -> tuple[list[int], bool]:
        """The tokens of each text, and whether they are estimated."""
        names = [wire.text_hash(text) for text in texts]
        new = {name: text for name, text in zip(names, texts, strict=True) if name not in self._known}
        found = dict[str, int]()
        if new:
            try:
                engine = await self._services.supervisor.ready()
                found = dict(zip(new, await engine.count(list(new.values())), strict=True))
            except EngineError:
                return [self._known.get(name, estimate(text)) for name, text in zip(names, texts, strict=True)], True
            self._estimated = isinstance(engine, Estimating) and engine.estimates
            while len(self._known) + len(found) > MOST_KEPT and self._known:
                del self._known[next(iter(self._known))]
            self._known |= found
        return [found[name] if name in found else self._known[name] for name in names], self._estimated
