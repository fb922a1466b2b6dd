"""A program in a terminal, for editors that only a person's keys can drive."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
from pathlib import Path

ESCAPES = re.compile(rb"\x1b\[[0-9;:?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class Terminal:
    """120 columns wide: keys go in, and its whole screen is looked at."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str]) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.chdir(cwd)
            os.execvpe(command[0], command, env)
        self._n_rows = 40
        self.screen()

    def keys(self, keys: str) -> None:
        """One after the other, each read on its own (an escape is not the beginning of the next)."""
        for key in keys:
            os.write(self._fd, key.encode())
            self._read()

    def screen(self) -> str:
        """All that it shows: it draws everything anew when the size changes."""
        self._read()
        self._n_rows ^= 1
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", self._n_rows, 120, 0, 0))
        os.kill(self._pid, signal.SIGWINCH)
        return self._read()

    def _read(self, quiet_s: float = 0.2) -> str:
        told = b""
        while select.select([self._fd], [], [], quiet_s)[0]:
            try:
                told += os.read(self._fd, 1 << 16)
            except OSError:  # it has ended
                break
        return " ".join(ESCAPES.sub(b" ", told).decode("utf-8", "replace").split())

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)
