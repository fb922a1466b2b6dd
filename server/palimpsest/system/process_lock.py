"""A lock on a file that ends with its process, and who holds it, as the system says.

In: paths, process ids.  Out: file descriptors, process ids; a process that is ended.  Knows nothing of engines.

The lock is a POSIX record lock (on Windows a byte range's): the system takes it back when the process goes, also by
SIGKILL, and names the process that holds it.  So whoever wants that process ended needs no id from a file, which may
be another process's by now.  A POSIX lock is also lost when the process closes any descriptor of the file: open it
once.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _taken(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def holder(path: Path) -> int | None:
        """The system does not say."""
        return None
else:
    import fcntl

    LAYOUT, PID = ("hhqqi0q", 4) if sys.platform == "linux" else ("qqihhi", 2)
    """`struct flock` where `off_t` has 64 bits (fcntl(2)), and where the process id stands in it."""

    def _taken(fd: int) -> bool:
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def holder(path: Path) -> int | None:
        """The process that holds the lock now; None where nobody does, or where the system does not say."""
        try:
            fd = os.open(path, os.O_RDWR)
        except OSError:
            return None
        try:
            fields = [0] * len(struct.unpack(LAYOUT, bytes(struct.calcsize(LAYOUT))))
            kind = 0 if PID == 4 else 3
            fields[kind] = fcntl.F_WRLCK
            found = struct.unpack(LAYOUT, fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack(LAYOUT, *fields)))
        except OSError:
            return None
        finally:
            os.close(fd)
        return found[PID] if found[kind] != fcntl.F_UNLCK and found[PID] > 0 else None


def take(path: Path) -> int | None:
    """The descriptor that keeps the lock, or None where another process has it.  Raises OSError where the file cannot
    be made."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _taken(fd):
        return fd
    os.close(fd)
    return None


def end_holder(path: Path, pid: int, patience_s: float) -> bool:
    """End `pid` if it is still the process that holds the lock: by SIGTERM, after `patience_s` seconds by SIGKILL.
    Whether it holds the lock no more; blocks for twice `patience_s` at most.  Nothing is ended on Windows."""
    if sys.platform == "win32":  # nobody says whose the lock is
        return False
    for number, wait_s in ((signal.SIGTERM, patience_s), (getattr(signal, "SIGKILL", signal.SIGTERM), patience_s)):
        if not _signalled(path, pid, number):
            return holder(path) != pid
        end = time.monotonic() + wait_s
        while time.monotonic() < end:
            if holder(path) != pid:
                return True
            time.sleep(0.02)
    return holder(path) != pid


def _signalled(path: Path, pid: int, number: int) -> bool:
    """Whether the signal went to the process that holds the lock.  Where the system has process descriptors, the id
    cannot become another process's between the look and the signal."""
    with suppress(OSError):
        if not hasattr(os, "pidfd_open"):
            if holder(path) == pid:
                os.kill(pid, number)
                return True
            return False
        process = os.pidfd_open(pid)
        try:
            if holder(path) == pid:
                signal.pidfd_send_signal(process, number)
                return True
        finally:
            os.close(process)
    return False
