"""An engine's process that was started here: detached, and watched.

In: arguments.  Out: how it ended, what it last wrote to stderr.  Knows no protocol.
"""

import asyncio
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from palimpsest.errors import EngineDied, EngineError, EngineUnavailable
from palimpsest.libraries.locate import WAYS
from palimpsest.system import logs

MAX_FILE = 1 << 18
"""Bytes of an engine's stderr that are kept from one start to the next."""
TAIL = 1 << 14
LAST_LINES = 8
MAX_SHOWN = 400
EVERYDAY = re.compile(
    r" {2}(File |Traceback|  )|Traceback|Thread 0x|Current thread|Stack \(most|Extension modules|"
    r"[-\d]+ [\d:,]+ (INFO|DEBUG) "
)
"""Lines that say nothing to a person: frames of stacks, and the log where all is well."""
NATIVE_FAULT = 0x8000_0000
"""On Windows an exit status from here up is an exception's number."""
ABORTED = 3
"""What abort() exits with on Windows."""


ILLEGAL = (-signal.SIGILL, 0xC000001D)
"""An instruction that the processor does not have."""
ILLEGAL_SAID = "Illegal instruction"
"""Faulthandler's first line begins so. Where it then looks at a thread that is still running, it may end by SIGSEGV."""


class WrongProcessor(EngineUnavailable):
    def __init__(self) -> None:
        super().__init__("This llama.cpp was built for another processor than this one (SIGILL).", hint=WAYS)


class EngineProcess:
    """It outlives this process: nothing here ends it.  Made on an event loop."""

    def __init__(self, process: subprocess.Popen[bytes], stderr_path: Path, start: int) -> None:
        self.pid = process.pid
        self._stderr_path = stderr_path
        self._start = start
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        # A thread that waits collects the process when it ends (no zombie, its status known at once), and a daemon
        # is left behind with a process that goes on.
        threading.Thread(target=self._wait, args=(process,), name="engine-child", daemon=True).start()

    @property
    def status(self) -> int | None:
        """None while it runs; negative: minus the signal it died of."""
        return self._ended.result() if self._ended.done() else None

    async def ended(self, within: float) -> int | None:
        """Its status, or None when it still runs after `within` seconds."""
        await asyncio.wait({self._ended}, timeout=within)
        return self.status

    @property
    def died(self) -> bool:
        """It was ended by a native fault or a signal, not by its own decision."""
        status = self.status
        if status is None or status == 0:
            return False
        return status < 0 or (sys.platform == "win32" and (status >= NATIVE_FAULT or status == ABORTED))

    def last_output(self) -> str:
        """The last lines that it or a library wrote to stderr, without stacks and everyday lines of the log."""
        try:
            with self._stderr_path.open("rb") as file:
                file.seek(max(self._start, self._stderr_path.stat().st_size - TAIL))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return ""
        return "\n".join([line for line in lines if line.strip() and not EVERYDAY.match(line)][-LAST_LINES:])

    def how_it_ended(self) -> str:
        """One or two sentences for a person."""
        status = self.status
        if status is None:
            return "It still runs."
        if status < 0:
            how = f"It was ended by {_signal_name(-status)}."
        else:
            how = f"Its exit status was {status:#x}." if status > 255 else f"Its exit status was {status}."
        output = self.last_output().replace("\n", " ")
        return f"{how} It said: {output[-MAX_SHOWN:]}" if output else how

    def death(self) -> EngineError:
        """What its end is for whoever used it: EngineDied, or WrongProcessor."""
        illegal = self.status in ILLEGAL or ILLEGAL_SAID in self.last_output()
        return WrongProcessor() if illegal else EngineDied(self.how_it_ended())

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        status = process.wait()
        try:
            self._loop.call_soon_threadsafe(self._tell, status)
        except RuntimeError:  # the loop is closed: nobody asks any more
            return

    def _tell(self, status: int) -> None:
        if not self._ended.done():  # not cancelled with whoever waited for it
            self._ended.set_result(status)


def start(arguments: Sequence[str], stderr_path: Path, cwd: Path) -> EngineProcess:
    """Start `palimpsest <arguments>` in a session of its own, stderr appended to `stderr_path`.

    `-P` and `cwd` keep the editor's folder out: no module of a workspace is imported in place of ours, and the folder
    can be removed while the engine runs.  Raises OSError.
    """
    mode = "wb" if stderr_path.exists() and stderr_path.stat().st_size > MAX_FILE else "ab"
    with open(stderr_path, mode, opener=logs.private) as stderr:
        logs.make_private(stderr_path)
        begin = stderr.tell()
        command = [sys.executable, "-P", "-m", "palimpsest", *arguments]
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            cwd=cwd,
            start_new_session=sys.platform != "win32",
            creationflags=flags,
        )
    return EngineProcess(process, stderr_path, begin)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
