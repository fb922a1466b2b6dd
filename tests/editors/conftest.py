"""The editors that the documents' snippets are for, driven as a person drives them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.documents import ROOT

SAMPLE = ROOT / "server" / "palimpsest" / "demo" / "sample"
PATIENCE_S = 90.0
"""Against hangs alone."""


@pytest.fixture(scope="session")
def editors() -> Path:
    """The folder with the editors that `scripts/editors.sh` installs; without them these tests cannot be run."""
    made = subprocess.run([ROOT / "scripts" / "editors.sh"], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"the editors cannot be installed here: {made.stderr.strip()}")
    return Path(made.stdout.strip()) / "bin"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of this test's own, with a path short enough for sockets, and the sample workspace in it."""
    path = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))
    shutil.copytree(SAMPLE, path / "work", ignore=shutil.ignore_patterns("__pycache__"))
    (path / "work" / "pyproject.toml").touch()
    for name in ("run", "home", "config"):
        (path / name).mkdir()
    yield path
    for row in running(path):
        subprocess.run(
            [sys.executable, "-P", "-m", "palimpsest", "engine", "--stop", row["name"]],
            env=environment(path), check=False, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    shutil.rmtree(path)


def environment(folder: Path) -> dict[str, str]:
    """A person's, with nothing of this machine's but `palimpsest` on PATH."""
    own = {
        "HOME": str(folder / "home"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NVIM"))}
    return kept | own


def running(folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-P", "-m", "palimpsest", "engine", "--list", "--json"]
    out = subprocess.run(command, env=environment(folder), capture_output=True, text=True, check=True).stdout
    rows: list[dict[str, Any]] = json.loads(out)
    return rows


def until(met: Callable[[], Any], what: Callable[[], object]) -> Any:
    """Wait for something to be true; `what` says what there is instead."""
    end = time.monotonic() + PATIENCE_S
    while not (found := met()):
        assert time.monotonic() < end, what()
        time.sleep(0.05)
    return found


class Neovim:
    """One that runs without a screen, told what to do by another, as keys and as expressions."""

    def __init__(self, program: Path, folder: Path, init: str, file: str) -> None:
        self._program, self._socket = str(program), str(folder / "nvim.sock")
        self._env = environment(folder)
        told = folder / "config" / "init.lua"
        told.write_text(init, encoding="utf-8")
        command = [self._program, "--clean", "--headless", "-u", str(told), "--listen", self._socket, file]
        self._process = subprocess.Popen(
            command, cwd=folder / "work", env=self._env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        until(lambda: Path(self._socket).exists(), lambda: self._process.poll())

    def keys(self, keys: str) -> None:
        self._ask("--remote-send", keys)

    def lua(self, code: str) -> Any:
        """What a Lua function with this body returns."""
        quoted = f"vim.json.encode((function() {code} end)())".replace("'", "''")
        return json.loads(self._ask("--remote-expr", f"luaeval('{quoted}')"))

    def until(self, code: str) -> Any:
        return until(lambda: self.lua(code), self.messages)

    @property
    def lines(self) -> list[str]:
        lines: list[str] = self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        return lines

    def messages(self) -> str:
        return str(self.lua("return vim.fn.execute('messages')"))

    def close(self) -> None:
        self._ask("--remote-send", "<C-\\><C-n>:qa!<CR>", check=False)  # 0.11 may be gone before it has answered
        self._process.communicate(timeout=PATIENCE_S)

    def _ask(self, *arguments: str, check: bool = True) -> str:
        command = [self._program, "--server", self._socket, *arguments]
        asked = subprocess.run(command, env=self._env, capture_output=True, text=True, timeout=PATIENCE_S, check=check)
        return asked.stdout or asked.stderr
