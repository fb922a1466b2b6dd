"""Ends the process when nothing else can: when the engine was told to leave and does not, or when a native call does
not return.

In: the library, whether the engine was told to leave.  Out: the end of the process, with a line in the log.  A native
call cannot be interrupted, nor can its thread be ended; only the process can.  The client starts the next one; one that
a person started replaces itself.

Memory is watched rather than capped: a cap on the address space would refuse models that are mapped from their files,
and a GPU's mappings.  What a request can make the engine allocate is bounded where requests are read; only the calls
that follow a grammar are not, and those are watched here.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from palimpsest.engine.llama.library import Library
from palimpsest.system import machine

LEAVE_S = 8.0
"""From being told to leave until the process ends, whatever it is doing."""
CALL_S = 30.0
CALL_BYTES = 1 << 30
"""How long one call may take and by how much the process may grow meanwhile; ten milliseconds and nothing are usual."""
STUCK = 70
"""The exit status of an engine that was stuck in a call (EX_SOFTWARE)."""
LOOK_S = 0.25

logger = logging.getLogger(__name__)


class Watch:
    """A thread of its own, which needs no other to be well.  `start_again` is called with the grammar that a call did
    not come back from; where it returns or raises OSError, the process ends."""

    def __init__(self, library: Library, start_again: Callable[[str], object] = lambda _grammar: None) -> None:
        self._library = library
        self._start_again = start_again
        self._told = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="palimpsest-watch", daemon=True).start()

    def leave(self) -> None:
        """The engine was told to leave.  May be called more than once, from any thread."""
        self._told.set()

    def _run(self) -> None:
        while not self._told.wait(LOOK_S):
            call = self._library.under_way
            if call is None:
                continue
            why = ""
            if time.monotonic() - call.since > CALL_S:
                why = f"a grammar kept llama.cpp busy for {CALL_S:.0f} s"
            elif machine.resident_memory() - call.resident > CALL_BYTES:
                why = f"a grammar made llama.cpp grow by {CALL_BYTES >> 30} GiB"
            if why:
                self._say(why)
                with suppress(OSError):
                    self._start_again(call.grammar)
                os._exit(STUCK)
        time.sleep(LEAVE_S)
        self._say("the engine was told to leave and did not")
        os._exit(0)

    @staticmethod
    def _say(why: str) -> None:
        # from a thread of its own: a log that nobody reads may keep its writers waiting
        said = threading.Thread(target=logger.error, args=("ending the process: %s", why), daemon=True)
        said.start()
        said.join(1.0)
