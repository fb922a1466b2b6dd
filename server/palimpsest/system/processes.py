"""Processes of this machine, by a name that is not given twice.

In: process ids.  Out: names, and whether who had one is still there.

A process that has ended and that nobody has waited for (a zombie) is gone, which psutil says only where asked for it.
When one began, psutil tells by the clock, which may be set meanwhile: on Linux, the system itself is asked.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

import psutil

from palimpsest.system.priority import step_back

LOOK_S = 1.0
"""Between two looks whether a process is there, where the system does not tell: `psutil.Process.wait` looks, too, and
waits for one that is a zombie."""
CLOCK_S = 60
"""Where the time when a process began is told by the clock, it may seem to move by this much."""
PR_SET_PDEATHSIG = 1
"""prctl(2)."""
_HAS_TICKS = psutil.LINUX


def name_of(pid: int) -> str:
    """`pid:start`, where `start` is when the system says that it began; else the id alone, which the system may give
    again."""
    try:
        return f"{pid}:{_began(pid)}"
    except (psutil.Error, OSError, IndexError):
        return str(pid)


def run_behind(
    command: Sequence[str], environment: Mapping[str, str], number: int, out: IO[str] | None = None
) -> tuple[int, str]:
    """Runs a program behind others (`step_back`) and in a session of its own until it ends; its status, and what it
    wrote, unless that goes `out`.

    Its session is sent the signal `number` if this process is interrupted, and on Linux the program itself if this
    thread ends, however it ends.  It hears that signal, also where it is ignored here, as in a script's background
    job.  Raises KeyboardInterrupt, OSError.
    """
    _prctl()  # loaded before the fork
    parent, stopping = os.getpid(), {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    # Python loses what the handler of a signal raises while it forks.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, stopping)

    def begin() -> None:
        step_back()
        signal.signal(number, signal.SIG_DFL)
        end_with(parent, number)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    try:
        with subprocess.Popen(
            command, stdout=out or subprocess.PIPE, env=environment, text=True, start_new_session=True, preexec_fn=begin
        ) as child:
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # what came meanwhile is raised here
                said, _ = child.communicate()
            except KeyboardInterrupt:
                os.killpg(child.pid, number)
                child.wait()
                raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return child.returncode, said or ""


def end_with(parent: int, number: int) -> None:
    """On Linux, has this process sent a signal when the thread of its parent that started it ends, however it ends."""
    if (prctl := _prctl()) is not None:
        prctl(PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:  # it has ended before that
            os.kill(os.getpid(), number)


@cache
def _prctl() -> Callable[[int, int], object] | None:
    return ctypes.CDLL(None).prctl if sys.platform == "linux" else None


@cache
def own_name() -> str:
    return name_of(os.getpid())


def is_there(name: str) -> bool:
    """Whether the process with this name runs."""
    number, _, start = name.partition(":")
    try:
        return runs(psutil.Process(int(number))) and (not start or _is_same(int(number), int(start)))
    except (psutil.Error, OSError, ValueError, IndexError):
        return False


def runs(process: psutil.Process) -> bool:
    """Whether it has not ended.  Another one that has its id by now is not taken for it."""
    try:
        return process.is_running() and not (psutil.POSIX and process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def wait_for(pid: int) -> bool:
    """Until the process has ended; False at once where there is none."""
    try:
        process = psutil.Process(pid)
    except (psutil.Error, ValueError):
        return False
    while runs(process) and not _wait_by_descriptor(pid):
        time.sleep(LOOK_S)
    return True


def _wait_by_descriptor(pid: int) -> bool:
    """Waits until the system says that the process has ended, which takes no processor time; False where it cannot."""
    if not hasattr(os, "pidfd_open"):
        return False
    try:
        end = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        poll = select.poll()
        poll.register(end, select.POLLIN)
        poll.poll()
    finally:
        os.close(end)
    return True


def _began(pid: int) -> int:
    if _HAS_TICKS:  # the 22nd field of proc(5), and two stand before the bracket
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        return int(text.rpartition(")")[2].split()[19])
    return round(psutil.Process(pid).create_time())


def _is_same(pid: int, start: int) -> bool:
    return abs(_began(pid) - start) <= (0 if _HAS_TICKS else CLOCK_S)
