"""The state that an engine is in, as one server sees it, and what leads from each state to the next.

In: what happened, and when.  Out: the next `EngineLifecycle`; immutable.  Knows no process and no clock.

The table says which state follows (`·`: the same).  Every state but the last two ends by itself: after `wait_s` seconds
an engine is started or looked for again, and a healthy engine leads from every one of them to `ready`.  Only where it
was given up for good, `wait_s` has no end: a person asks for a new start.

    state        loading   ready   suspected   left         died          failed   unavailable   away
    starting     loading   ready   ·           restarting   restarting *  failed   given_up      away
    loading      ·         ready   ·           restarting   restarting *  failed   given_up      away
    ready        loading   ·       suspected   restarting   restarting *  failed   given_up      away
    suspected    loading   ready   ·           restarting   restarting *  failed   given_up      away
    restarting   loading   ready   ·           ·            restarting *  failed   given_up      away
    away         loading   ready   ·           restarting   restarting *  failed   given_up      ·
    failed       loading   ready   ·           restarting   restarting *  ·        given_up      away
    given_up     loading   ready   ·           restarting   restarting *  failed   ·             away
    off          ·         ·       ·           ·            ·             ·        ·             ·
    closed       ·         ·       ·           ·            ·             ·        ·             ·

    * given_up from the third death in a row on.  An engine that hung and was ended has died.

    starting     nothing is known yet
    suspected    a request had no answer: no other request gets the engine until it has answered a probe
    restarting   it died, hung or left, and is started again at once; after two deaths in a row in safe mode
    away         it is on another machine and does not answer; it is probed again and again
    failed       the model cannot be loaded
    given_up     it died three times in a row, or cannot be started here
    off, closed  `engine.kind` is "none"; the window closes
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

State = Literal[
    "off", "starting", "loading", "ready", "suspected", "restarting", "away", "failed", "given_up", "closed"
]
SOON_S = 60.0
"""An engine that dies sooner than this after it was ready has died once more in a row."""
SAFE_MODE_AT = 2
GIVE_UP_AT = 3
LONG_AWAY = 4
"""Failed probes, some seconds, after which an engine elsewhere is more than being restarted."""
LASTING: Mapping[State, str] = {
    "away": "The engine does not answer.",
    "failed": "The model cannot be loaded.",
    "given_up": "The engine died several times in a row.",
}
FIRST_WAIT_S, LONGEST_WAIT_S = 30.0, 900.0
"""Before the next attempt once attempts were given up; each failure doubles it."""


@dataclass(frozen=True, slots=True)
class EngineLifecycle:
    """`n_failures`: deaths, attempts or probes that failed in a row.  `safe_mode`: the engine is started without what
    native faults come from (`Target.in_safe_mode`).  `ready_at`: when the present engine became ready, None before
    that. `wait_s`: time until the next attempt.  `reason` is for a person."""

    state: State = "starting"
    n_failures: int = 0
    safe_mode: bool = False
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
        since = self.ready_at if self.state == "suspected" else now
        return replace(self, state="ready", ready_at=since, reason="", wait_s=0.0)

    def suspected(self) -> EngineLifecycle:
        """A request had no answer; a probe shows whether the engine is gone."""
        if self.state != "ready":
            return self
        return replace(self, state="suspected", reason="The engine did not answer; asking it again.")

    def failed(self, reason: str) -> EngineLifecycle:
        """The model cannot be loaded now; later it may, with more free memory or another file."""
        return self._given_up("failed", reason)

    def unavailable(self, reason: str, *, for_good: bool = False) -> EngineLifecycle:
        """`for_good`: no attempt helps before somebody has changed something."""
        given_up = self._given_up("given_up", reason)
        return replace(given_up, wait_s=math.inf) if for_good and not self.is_final else given_up

    def left(self, reason: str = "The engine was stopped; starting it again.") -> EngineLifecycle:
        """It ended in good order: someone asked it to, or the model's file is another one."""
        if self.is_final:
            return self
        return replace(self, state="restarting", ready_at=None, reason=reason, wait_s=0.0)

    def died(self, now: float, how: str) -> EngineLifecycle:
        """It died, or hung and was ended.  Time counts from when it was ready, since a large model takes a minute to
        load."""
        if self.is_final:
            return self
        lasted = self.ready_at is not None and now - self.ready_at >= SOON_S
        n_failures = 1 if lasted else self.n_failures + 1
        safe_mode = self.safe_mode or n_failures >= SAFE_MODE_AT
        if n_failures >= GIVE_UP_AT:
            reason = f"The engine died {n_failures} times in a row. {how}".strip()
            return EngineLifecycle("given_up", n_failures, safe_mode, None, reason, _wait(n_failures - GIVE_UP_AT))
        what = "starting it again in safe mode" if safe_mode else "starting it again"
        return EngineLifecycle("restarting", n_failures, safe_mode, None, f"The engine died; {what}. {how}".strip())

    def away(self, reason: str) -> EngineLifecycle:
        """It is on another machine and does not answer; nothing here can start it."""
        if self.is_final:
            return self
        n_failures = 1 if self.ready_at is not None else self.n_failures + 1
        return EngineLifecycle("away", n_failures, False, None, reason)

    @property
    def is_final(self) -> bool:
        """Nothing happens any more."""
        return self.state in ("off", "closed")

    @property
    def has_given_up(self) -> bool:
        """There is no engine, and no attempt for `wait_s` seconds."""
        return self.state in ("failed", "given_up")

    @property
    def for_good(self) -> str:
        """Why there is no other attempt; "" where there is one."""
        return self.reason if self.wait_s == math.inf else ""

    @property
    def cause(self) -> str:
        """For a person, like `reason`, but the same from one attempt to the next; "" while nothing lasts."""
        return (self.for_good or LASTING[self.state]) if self.is_lasting else ""

    @property
    def is_lasting(self) -> bool:
        """There is no engine, and has not been for some time: a person may want to know."""
        return self.has_given_up or (self.state == "away" and self.n_failures >= LONG_AWAY)

    def _given_up(self, state: State, reason: str) -> EngineLifecycle:
        if self.is_final:
            return self
        n_failures = 1 if self.ready_at is not None else self.n_failures + 1
        return EngineLifecycle(state, n_failures, self.safe_mode, None, reason, _wait(n_failures - 1))


def _wait(n: int) -> float:
    """Seconds before the attempt that follows `n` failed ones."""
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(n, 16))
