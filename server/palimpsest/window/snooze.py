"""Until when a person wants to be shown no completion unasked.

In: for how many minutes.  Out: a time, and `FeatureSwitched` when it begins and when it is over.  Owner of that time,
which lasts as long as the window.
"""

from __future__ import annotations

import asyncio
import time

from palimpsest.window.events import Events, FeatureSwitched, WindowClosing

MINUTES = 5.0
"""Unless a person says otherwise."""
MOST_MINUTES = 24 * 60.0


class Snooze:
    """The time until which nothing is shown unasked."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._timer: asyncio.TimerHandle | None = None
        self.until = 0.0
        """Seconds of Unix time; 0: there is none."""
        events.on(WindowClosing, lambda _: self._stop())

    def start(self, minutes: float) -> None:
        """From now on, whatever was left of an earlier one; 0 ends it.  Must be called on the event loop."""
        self._stop()
        if minutes > 0:
            self.until = time.time() + 60 * minutes
            self._timer = asyncio.get_running_loop().call_later(60 * minutes, self.start, 0.0)
        self._events.emit(FeatureSwitched())

    def _stop(self) -> None:
        self.until = 0.0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
