"""The documents' `languages.toml`, in Helix: it finds the server, and a code action is made in it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import snippet
from tests.editors.conftest import environment, until

pytestmark = pytest.mark.slow

TITLE = "Palimpsest: improve"
ESCAPES = re.compile(rb"\x1b\[[0-9;:?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class Terminal:
    """A program in a terminal of 120 columns: keys go in, and its whole screen is looked at."""

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


@pytest.fixture
def configured(folder: Path) -> Path:
    own = folder / "config" / "helix" / "languages.toml"
    own.parent.mkdir()
    own.write_text(snippet("toml", "language-server"), encoding="utf-8")
    return folder


def test_helix_finds_the_server(editors: Path, configured: Path) -> None:
    health = subprocess.run(
        [editors / "hx", "--health", "python"], env=environment(configured), capture_output=True, text=True, check=True
    )
    told = re.sub(r"\x1b\[[0-9;]*m", "", health.stdout)
    assert re.search(r"✓ palimpsest: \S*/palimpsest", told), told


@pytest.fixture
def terminal(editors: Path, configured: Path) -> Iterator[Terminal]:
    made = Terminal([str(editors / "hx"), "shop/cart.py:60"], configured / "work", environment(configured))
    yield made
    made.close()


def test_a_code_action_is_made(terminal: Terminal, configured: Path) -> None:
    """The sample has a slip in that line."""
    file = configured / "work" / "shop" / "cart.py"
    assert "amount(totla)" in file.read_text(encoding="utf-8")
    seen = ""

    def offered() -> bool:
        """Asked again for as long as the model is being loaded."""
        nonlocal seen
        terminal.keys("\x1b a")
        seen = terminal.screen()
        return TITLE in seen

    until(offered, lambda: seen)
    terminal.keys("\r")

    def corrected() -> bool:
        terminal.keys(":w\r")
        return "amount(total)" in file.read_text(encoding="utf-8")

    until(corrected, terminal.screen)
    assert "CANCELLED" not in seen
    assert "Error in server" not in terminal.screen()
