"""When other lines are tried beside the likeliest (`engine/generation/review.py` is how).

In: the setting, how long it took lately.  Out: a number of lines.
"""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import Literal, TypeAlias

from palimpsest import wire
from palimpsest.window.events import CacheForgotten
from palimpsest.window.services import Services

Moment: TypeAlias = Literal["asked", "pause", "typing"]

N_LINES = 8
"""Four were nearly as good."""
N_TIMES = 5
"""Reviews that say how long one takes here."""
MOMENTS: dict[str, tuple[Moment, ...]] = {
    "never": (),
    "asked": ("asked",),
    "pause": ("asked", "pause"),
    "auto": ("asked", "pause"),
    "always": ("asked", "pause", "typing"),
}


class Reviewing:
    """Says how many other lines are tried, by the setting and by how long it took lately."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._took = deque[float](maxlen=N_TIMES)
        services.events.on(CacheForgotten, lambda _: self._took.clear())

    def n_lines(self, moment: Moment) -> int:
        """To be tried beside the likeliest, 0 where the engine cannot."""
        model, options = self._services.supervisor.status.model, self._services.settings.completion
        if model is None or not model.in_place:
            return 0
        fits = len(self._took) == N_TIMES and median(self._took) <= options.first_ms / 2
        wanted = moment in MOMENTS[options.review] or (options.review == "auto" and fits)
        return N_LINES if wanted else 0

    def note(self, answer: wire.GenerateAnswer) -> None:
        if answer.reviewed:
            self._took.append(answer.ms["review"])
