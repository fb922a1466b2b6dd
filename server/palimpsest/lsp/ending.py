"""The process's end: when its editor has gone, it goes, whatever it is doing.

In: what the connection saw, the editor's process id.  Out: a call that ends the connection, and the end of the process.
Knows no message.

Three things keep a process from ending in its own time.  A thread of a pool that waits for something is waited for: so
the process is ended a while after the connection is.  Code that keeps the event loop for itself hears no `exit`: so the
end of the input is heard by the thread that reads it.  Native code that never gives the interpreter's lock back stops
all threads: so the system's own timers, which need no thread of ours, end the process (not on Windows).
"""

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

logger = logging.getLogger(__name__)

GRACE_S = 5.0
"""Between the end of the connection and that of the process."""
STUCK_S = 60.0
"""Seconds of processor time (a process that is suspended uses none) within which Python has to have its turn."""
PULSE_S = 5.0
_HAS_TIMERS = hasattr(signal, "setitimer")
_HAS_SIGNALS = os.name != "nt"
"""On Windows, signal 0 would end the process."""


class Ending:
    """Must be made on the main thread.  `on_gone` is called, on another thread, when the editor's process has ended."""

    def __init__(
        self,
        on_gone: Callable[[], object],
        *,
        grace_s: float = GRACE_S,
        stuck_s: float = STUCK_S,
        pulse_s: float = PULSE_S,
    ) -> None:
        self._on_gone = on_gone
        self._grace_s, self._stuck_s, self._pulse_s = grace_s, stuck_s, pulse_s
        self._lock = threading.Lock()
        self._begun = False
        self._editor: int | None = None
        if _HAS_TIMERS:
            for number in (signal.SIGALRM, signal.SIGPROF):
                signal.signal(number, signal.SIG_DFL)  # it may have been ignored by who started us
            with suppress(ValueError, OSError, AttributeError):  # no usable stderr
                faulthandler.register(signal.SIGPROF, file=sys.stderr, chain=True)  # says where it was stuck
            threading.Thread(target=self._pulse, name="pulse", daemon=True).start()

    def note(self, editor: int | None) -> None:
        """The editor's process, if it is one that can be seen from here (in a container, the editor's cannot)."""
        self._editor = editor if editor is not None and _is_seen(editor) else None

    def watch(self) -> None:
        """End with the process that was noted.  What is imported for it is not needed before the editor's answer."""
        if self._editor is not None:
            threading.Thread(target=self._wait_for, args=(self._editor,), name="editor", daemon=True).start()

    def begin(self) -> None:
        """The connection has ended: so does the process, within `grace_s` seconds.  From any thread, any number of
        times."""
        with self._lock:
            if self._begun:
                return
            self._begun = True
        if _HAS_TIMERS:
            signal.setitimer(signal.ITIMER_REAL, self._grace_s + 1)
        threading.Thread(target=self._end, name="end", daemon=True).start()

    def _end(self) -> None:
        time.sleep(self._grace_s)
        logger.warning("still at work %.0f seconds after the editor left: ended", self._grace_s)
        os._exit(1)

    def _pulse(self) -> None:
        while True:
            signal.setitimer(signal.ITIMER_PROF, self._stuck_s)
            time.sleep(self._pulse_s)

    def _wait_for(self, editor: int) -> None:
        from palimpsest.system.processes import wait_for

        if not wait_for(editor) and not _HAS_SIGNALS:  # it could not be looked for earlier
            return
        logger.info("the editor's process %d is gone", editor)
        self.begin()
        with suppress(RuntimeError):  # the event loop is closed already
            self._on_gone()


def _is_seen(pid: int) -> bool:
    """True, too, where only psutil could tell."""
    try:
        if pid > 0 and _HAS_SIGNALS:
            os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return pid > 0
