"""File locks that end with their process, and the process that holds one.

In: paths, process ids.  Out: file descriptors, process ids; may end the process that holds a lock.  Knows no engine.

A lock is a POSIX record lock (on Windows, of a byte range).  The operating system releases it when the process ends,
even by SIGKILL, and tells which process holds it.  So ending that process needs no process id from a file, which may
belong to another process by now.  Closing any descriptor of the file releases a POSIX lock: open the file only once.
"""

import os
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _taken(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _opened(folder: Path) -> int | None:
        """Windows opens no folders."""
        return None

    def _held(fd: int) -> bool:
        return True

    def holder(path: Path) -> int | None:
        """Windows does not tell."""
        return None
else:
    import fcntl

    LAYOUT, PID = ("hhqqi0q", 4) if sys.platform == "linux" else ("qqihhi", 2)
    """`struct flock` with 64-bit `off_t` (fcntl(2)), and the index of the process id in it."""

    def _taken(fd: int) -> bool:
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _opened(folder: Path) -> int | None:
        try:
            return os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None

    def _held(fd: int) -> bool:
        """True, too, where the file system has no such locks.  `flock` is of one `open`, record locks of a process."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def holder(path: Path) -> int | None:
        """The process that holds the lock; None if there is none or the system does not tell."""
        try:
            fd = os.open(path, os.O_RDWR)
        except OSError:
            return None
        try:
            fields = [0] * len(struct.unpack(LAYOUT, bytes(struct.calcsize(LAYOUT))))
            kind = 0 if PID == 4 else 3
            fields[kind] = fcntl.F_WRLCK
            lock = struct.unpack(LAYOUT, fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack(LAYOUT, *fields)))
        except OSError:
            return None
        finally:
            os.close(fd)
        return lock[PID] if lock[kind] != fcntl.F_UNLCK and lock[PID] > 0 else None


def take(path: Path) -> int | None:
    """The descriptor of the locked file, or None if another process holds the lock.  Raises OSError if the file cannot
    be created."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _taken(fd):
        return fd
    os.close(fd)
    return None


@contextmanager
def holding(folder: Path, patience_s: float) -> Iterator[None]:
    """Holds a folder against all who hold it so, threads of this process too.  Where the system cannot hold folders,
    nothing is held.  Raises TimeoutError."""
    fd = _opened(folder)
    if fd is None:
        yield
        return
    try:
        _wait(fd, folder, patience_s)
        yield
    finally:
        os.close(fd)


def _wait(fd: int, folder: Path, patience_s: float) -> None:
    end = time.monotonic() + patience_s
    while not _held(fd):
        if time.monotonic() > end:
            raise TimeoutError(f"{folder} is held by another process")
        time.sleep(0.005)


def end_holder(path: Path, pid: int, patience_s: float) -> bool:
    """End `pid` if it still holds the lock: by SIGTERM, after `patience_s` seconds by SIGKILL.

    Returns whether it no longer holds the lock; blocks for at most twice `patience_s`.  Does nothing on Windows.
    """
    if sys.platform == "win32":  # the holder is not known
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
    """Whether the signal was sent, to the process that holds the lock.  With process descriptors, `pid` cannot be given
    to another process between the check and the signal."""
    with suppress(OSError):  # it has ended, or is another user's
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
