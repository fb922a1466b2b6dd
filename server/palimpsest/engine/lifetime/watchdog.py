"""Ends the process when nothing else can: when the engine was told to leave and does not.

In: whether the engine was told to leave.  Out: the end of the process, with a line in the log.  A native call cannot be
interrupted, nor can its thread be ended; only the process can.
"""

from __future__ import annotations

import logging
import os
import threading
import time

LEAVE_S = 8.0
"""A process that is told to leave ends after this long, whatever it is doing."""

logger = logging.getLogger(__name__)


class Watch:
    """A thread of its own, which needs no other to be well."""

    def __init__(self) -> None:
        self._told = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="palimpsest-watch", daemon=True).start()

    def leave(self) -> None:
        """The engine was told to leave.  May be called more than once, from any thread."""
        self._told.set()

    def _run(self) -> None:
        self._told.wait()
        time.sleep(LEAVE_S)
        # from a thread of its own: a log that nobody reads may keep its writers waiting
        why = "ending the process: the engine was told to leave and did not"
        said = threading.Thread(target=logger.error, args=(why,), daemon=True)
        said.start()
        said.join(1.0)
        os._exit(0)
