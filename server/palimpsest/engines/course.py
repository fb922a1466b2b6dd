"""The life of an engine as one server sees it: which state it is in, and what its deaths lead to.

In: what happened, and when.  Out: the next course; immutable, pure.  Knows no process and no clock.

    off                       engine.kind is "none"
    away                      it is on another machine and does not answer: it is looked for again and again
    starting → loading → ready
                  └→ failed   the model cannot be loaded: nothing to restart, `asked` tries again
    any → restarting → loading …      it died, or left; twice in a row: with caution
    any → given_up            it died three times in a row, or cannot be started here; `asked` tries again
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

State = Literal["off", "starting", "loading", "ready", "restarting", "away", "failed", "given_up", "closed"]
SOON_S = 60.0
"""A death within so many seconds of being ready is one more in a row."""
CAUTION_AT = 2
GIVE_UP_AT = 3


@dataclass(frozen=True, slots=True)
class Course:
    """`row`: deaths in a row, or looks in vain for one that is away.  `caution`: the engine is started with every layer
    of doubt switched off.
    `ready_at`: when the present engine became ready, None before that.  `reason` is fit for a person."""

    state: State = "starting"
    row: int = 0
    caution: bool = False
    ready_at: float | None = None
    reason: str = ""

    def loading(self) -> Course:
        return self if self.state == "loading" else replace(self, state="loading", ready_at=None)

    def ready(self, now: float) -> Course:
        return self if self.state == "ready" else replace(self, state="ready", ready_at=now, reason="")

    def failed(self, reason: str) -> Course:
        return replace(self, state="failed", ready_at=None, reason=reason)

    def unavailable(self, reason: str) -> Course:
        return replace(self, state="given_up", ready_at=None, reason=reason)

    def left(self) -> Course:
        """It went in good order: someone asked it to."""
        return replace(self, state="restarting", ready_at=None, reason="The engine was stopped; starting it again.")

    def died(self, now: float, how: str) -> Course:
        """One death more.  Measured from being ready, since a large model takes its minute to load each time."""
        lasted = self.ready_at is not None and now - self.ready_at >= SOON_S
        row = 1 if lasted else self.row + 1
        if row >= GIVE_UP_AT:
            reason = f"The engine died {row} times in a row and is not started again. {how}"
            return Course("given_up", row, self.caution, None, reason)
        caution = self.caution or row >= CAUTION_AT
        what = "starting it again with caution" if caution else "starting it again"
        return Course("restarting", row, caution, None, f"The engine died; {what}. {how}")

    def away(self, reason: str) -> Course:
        """It does not answer where it is, or went away; nothing here can start it."""
        row = 1 if self.ready_at is not None else self.row + 1
        return Course("away", row, False, None, reason)

    def asked(self) -> Course:
        """A person asked for a new start: what was counted is forgotten."""
        return Course()

    @property
    def is_final(self) -> bool:
        """Nothing happens any more until someone asks."""
        return self.state in ("off", "failed", "given_up", "closed")
