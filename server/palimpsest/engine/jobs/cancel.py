"""How a job is told to stop.

In: `cancel()` from any thread.  Out: `cancelled`, read between micro-batches and between tokens.
"""

from __future__ import annotations

import threading

from palimpsest.errors import Cancelled


class CancelToken:
    """A flag that any thread may set and the engine's thread reads.  Setting it twice is setting it once."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raises Cancelled when the token was cancelled."""
        if self._event.is_set():
            raise Cancelled("The request was cancelled.")
