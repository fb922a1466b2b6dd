"""Calls a function once there has been nothing to do for a while.

In: when work begins and ends.  Out: one call, on a thread of its own, after each silence that is long enough.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class WhenIdle:
    """Calls `act` when `after_s` seconds have passed since the last work ended."""

    def __init__(self, after_s: float, act: Callable[[], object]) -> None:
        self._after_s, self._act = after_s, act
        self._timer: threading.Timer | None = None
        self._closed = False
        self._lock = threading.Lock()

    def busy(self, busy: bool) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if not busy and not self._closed:
                self._timer = threading.Timer(self._after_s, self._act)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self.busy(True)
