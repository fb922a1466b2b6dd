"""Whether a process of its own lives through the parse of a text that is new here, and in time.

In: texts.  Out: `Trial`.  A grammar's scanner is native code, which a text may end or keep busy for ever; nothing can
stop it from within its process.  What a text did is remembered while this process runs: one that has ended two
processes is not tried again.
"""

import atexit
import hashlib
import logging
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache

from palimpsest.newest import Newest
from palimpsest.syntax.values import Trial
from palimpsest.text.snapshot import Snapshot

log = logging.getLogger(__name__)

PATIENCE_S = 30.0
"""Until the process is ended from here: where the system does not bound its time, or the machine stands still."""
MOST_DEATHS, MOST_STARTS = 2, 2
_MOST_REMEMBERED = 1_000


class Trying:
    """One text after another, of any thread."""

    def __init__(self, command: tuple[str, ...] = (sys.executable, "-P", "-m", "palimpsest.languages.trial")) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready, self._is_usable = False, True
        self._deaths = Newest[bytes, int](_MOST_REMEMBERED)

    def begin(self) -> None:
        """Start the process, if it is not there; waits for nothing."""
        with self._lock:
            self._started()

    def trial(self, language_id: str, snapshot: Snapshot) -> Trial:
        text = snapshot.utf8
        key = hashlib.sha256(language_id.encode() + b"\n" + text).digest()
        with self._lock:
            if self._deaths.get(key, 0) >= MOST_DEATHS:
                return "dies"
            answer = self._asked(language_id, text)
            if answer is not None:
                return answer
            self._deaths[key] = n_deaths = self._deaths.get(key, 0) + 1
        again = "; it is parsed no more" if n_deaths >= MOST_DEATHS else ""
        log.warning("a parse of %s as %s ended its process%s", snapshot.uri or "a text", language_id, again)
        return "dies"

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
            self._ended()

    def _asked(self, language_id: str, text: bytes) -> Trial | None:
        """None if the process died of it."""
        for _ in range(MOST_STARTS):
            if (process := self._started()) is None:
                break
            assert process.stdin is not None
            assert process.stdout is not None
            timer, answer = threading.Timer(PATIENCE_S, process.kill), b""
            timer.start()
            with suppress(OSError):  # it has ended
                if not self._is_ready:
                    self._is_ready = process.stdout.readline().strip() == b"ready"
                process.stdin.write(b"%s %d\n" % (language_id.encode(), len(text)) + text)
                process.stdin.flush()
                answer = process.stdout.readline().strip()
            timer.cancel()
            if answer in (b"lives", b"late"):
                return "lives" if answer == b"lives" else "late"
            was_ready, status = self._is_ready, self._ended()
            if not was_ready:
                log.warning("texts are parsed without a trial: its process ends with status %d", status)
                self._is_usable = False
            elif status != 0:
                return None
        return "lives"  # nobody can tell

    def _started(self) -> subprocess.Popen[bytes] | None:
        if self._process is None and self._is_usable:
            pipe, flags = subprocess.PIPE, 0
            if sys.platform == "win32":
                flags = subprocess.CREATE_NO_WINDOW
            try:
                self._process = subprocess.Popen(
                    self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, creationflags=flags
                )
            except OSError as error:
                log.warning("texts are parsed without a trial: %s", error)
                self._is_usable = False
        return self._process

    def _ended(self) -> int:
        """With which status; what it had is given back."""
        process, self._process, self._is_ready = self._process, None, False
        if process is None:
            return 0
        with suppress(OSError):  # what was not written yet cannot be
            process.communicate()
        return process.wait()


@cache
def trying() -> Trying:
    """The one of this process; its own ends at the latest when its stdin does."""
    made = Trying()
    atexit.register(made.close)
    return made
