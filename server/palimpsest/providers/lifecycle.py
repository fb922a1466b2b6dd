"""The life of an engine as one server sees it: which state it is in, and what happens to it leads to.

In: what happened, and when.  Out: the next course; immutable, pure.  Knows no process and no clock.

What leads from where (`·`: as it is).  Every state but the last two is left by itself: after `wait_s` seconds an engine
is started or looked for again, and from every one of them a healthy engine leads to `ready`.

    state        loading   ready   doubted   left         died          failed   unavailable   away   asked
    starting     loading   ready   ·         restarting   restarting *  failed   given_up      away   ·
    loading      ·         ready   ·         restarting   restarting *  failed   given_up      away   starting
    ready        loading   ·       doubted   restarting   restarting *  failed   given_up      away   starting
    doubted      loading   ready   ·         restarting   restarting *  failed   given_up      away   starting
    restarting   loading   ready   ·         ·            restarting *  failed   given_up      away   starting
    away         loading   ready   ·         restarting   restarting *  failed   given_up      ·      starting
    failed       loading   ready   ·         restarting   restarting *  ·        given_up      away   starting
    given_up     loading   ready   ·         restarting   restarting *  failed   ·             away   starting
    off          ·         ·       ·         ·            ·             ·        ·             ·      ·
    closed       ·         ·       ·         ·            ·             ·        ·             ·      ·

    * from the third death in a row on: given_up.  One that hung and was ended counts as a death.

    starting     nothing is known yet
    doubted      a request found it gone or silent: nobody gets it until it has answered a look
    restarting   it died, hung or left, and is started again at once; twice in a row: with caution
    away         it is on another machine and does not answer: it is looked for again and again
    failed       the model cannot be loaded
    given_up     it died three times in a row, or cannot be started here
    off, closed  `engine.kind` is "none"; the window closes
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

State = Literal["off", "starting", "loading", "ready", "doubted", "restarting", "away", "failed", "given_up", "closed"]
SOON_S = 60.0
"""A death within so many seconds of being ready is one more in a row."""
CAUTION_AT = 2
GIVE_UP_AT = 3
LONG_AWAY = 4
"""Looks in vain, some seconds, after which an engine elsewhere is not just being started again."""
FIRST_WAIT_S, LONGEST_WAIT_S = 30.0, 900.0
"""Before the next attempt at what was given up; each in vain doubles it."""


@dataclass(frozen=True, slots=True)
class EngineLifecycle:
    """`row`: what went wrong in a row: deaths, attempts or looks in vain.  `caution`: the engine is started with every
    layer of doubt switched off.  `ready_at`: when the present engine became ready, None before that.  `wait_s`: how
    long until the next attempt, 0 for at once.  `reason` is fit for a person."""

    state: State = "starting"
    row: int = 0
    caution: bool = False
    ready_at: float | None = None
    reason: str = ""
    wait_s: float = 0.0

    def loading(self) -> EngineLifecycle:
        if self.is_final or self.state == "loading":
            return self
        return replace(self, state="loading", ready_at=None, reason="", wait_s=0.0)

    def ready(self, now: float) -> EngineLifecycle:
        if self.is_final or self.state == "ready":
            return self
        since = self.ready_at if self.state == "doubted" else now
        return replace(self, state="ready", ready_at=since, reason="", wait_s=0.0)

    def doubted(self) -> EngineLifecycle:
        """A request found it gone or silent, which a look will show."""
        if self.state != "ready":
            return self
        return replace(self, state="doubted", reason="The engine did not answer; asking it again.")

    def failed(self, reason: str) -> EngineLifecycle:
        """The model cannot be loaded; another time it may, with memory that is free or a file that was mended."""
        return self._given_up("failed", reason)

    def unavailable(self, reason: str) -> EngineLifecycle:
        return self._given_up("given_up", reason)

    def left(self) -> EngineLifecycle:
        """It went in good order: someone asked it to."""
        if self.is_final:
            return self
        reason = "The engine was stopped; starting it again."
        return replace(self, state="restarting", ready_at=None, reason=reason, wait_s=0.0)

    def died(self, now: float, how: str) -> EngineLifecycle:
        """One death more, or it hung and was ended.  Measured from being ready, since a large model takes its minute
        to load each time."""
        if self.is_final:
            return self
        lasted = self.ready_at is not None and now - self.ready_at >= SOON_S
        row = 1 if lasted else self.row + 1
        caution = self.caution or row >= CAUTION_AT
        if row >= GIVE_UP_AT:
            reason = f"The engine died {row} times in a row. {how}".strip()
            return EngineLifecycle("given_up", row, caution, None, reason, _wait(row - GIVE_UP_AT))
        what = "starting it again with caution" if caution else "starting it again"
        return EngineLifecycle("restarting", row, caution, None, f"The engine died; {what}. {how}".strip())

    def away(self, reason: str) -> EngineLifecycle:
        """It does not answer where it is, or went away; nothing here can start it."""
        if self.is_final:
            return self
        row = 1 if self.ready_at is not None else self.row + 1
        return EngineLifecycle("away", row, False, None, reason)

    def asked(self) -> EngineLifecycle:
        """A person asked for a new start: what was counted is forgotten."""
        return self if self.is_final else EngineLifecycle()

    @property
    def is_final(self) -> bool:
        """Nothing happens any more."""
        return self.state in ("off", "closed")

    @property
    def has_given_up(self) -> bool:
        """There is no engine, and none for `wait_s` seconds."""
        return self.state in ("failed", "given_up")

    @property
    def is_lasting(self) -> bool:
        """There is no engine, and it was not the matter of a moment: a person may want to know."""
        return self.has_given_up or (self.state == "away" and self.row >= LONG_AWAY)

    def _given_up(self, state: State, reason: str) -> EngineLifecycle:
        if self.is_final:
            return self
        row = 1 if self.ready_at is not None else self.row + 1
        return EngineLifecycle(state, row, self.caution, None, reason, _wait(row - 1))


def _wait(n: int) -> float:
    """Seconds before the attempt that follows `n` in vain."""
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(n, 16))
