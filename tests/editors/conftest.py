"""The editors that the documents' snippets are for, driven as a person drives them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import pytest

from tests.documents import ROOT
from tests.installing import NotHere, installed

SAMPLE = ROOT / "server" / "palimpsest" / "demo" / "sample"
PATIENCE_S = 90.0
"""Against hangs alone."""
INSTALLER = f"""import json, pathlib, sys, time

_, into, folder, source, wheel = sys.argv
assert (into, source) == ("--into", "--source") and pathlib.Path(wheel).is_file(), sys.argv
print(json.dumps({{"step": "engine", "message": "Fetching an engine.", "fraction": 0.5}}), flush=True)
time.sleep(2)
program = pathlib.Path(folder, "bin", "palimpsest")
program.parent.mkdir(parents=True)
program.symlink_to({str(Path(sys.executable).with_name("palimpsest"))!r})
pathlib.Path(folder, "pyvenv.cfg").touch()
print(json.dumps({{"done": True, "command": [str(program), "serve"], "message": "It is installed."}}))
"""


@pytest.fixture(scope="session")
def editors() -> Path:
    """The folder with the editors that `scripts/editors.sh` installs; without them these tests cannot be run."""
    try:
        return installed("editors.sh") / "bin"
    except NotHere as why:
        pytest.skip(f"the editors cannot be installed here: {why}")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of this test's own, with a path short enough for sockets, and the sample workspace in it."""
    path = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))
    shutil.copytree(SAMPLE, path / "work", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("run", "home", "config"):
        (path / name).mkdir()
    yield path
    for row in running(path):
        subprocess.run(
            [sys.executable, "-P", "-m", "palimpsest", "engine", "--stop", row["name"]],
            env=environment(path), check=False, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    shutil.rmtree(path, ignore_errors=True)  # a server that goes may still write its log


def carried(folder: Path) -> tuple[Path, Path]:
    """An installer and a wheel, as clients carry them; this one installs the server that is tested, at once."""
    script, wheel = folder / "install.py", folder / "palimpsest_lsp-0-py3-none-any.whl"
    shutil.rmtree(folder, ignore_errors=True)  # a package that was made for people has some already
    folder.mkdir()
    script.write_text(INSTALLER, encoding="utf-8")
    wheel.touch()
    return script, wheel


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
    """One that runs without a screen, told what to do through its socket, as keys and as Lua."""

    def __init__(self, program: Path, folder: Path, init: str, *arguments: str) -> None:
        told = folder / "config" / "init.lua"
        told.write_text(init, encoding="utf-8")
        path = folder / "nvim.sock"
        command = [str(program), "--clean", "--headless", "-u", str(told), "--listen", str(path), *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder / "work", env=environment(folder), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        until(lambda: path.exists(), lambda: self.process.poll())
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE_S)
        # the file is there a moment before it is listened at
        until(lambda: self._socket.connect_ex(str(path)) == 0, lambda: self.process.poll())
        self._unpacker = msgpack.Unpacker()
        self._n = 0

    def keys(self, keys: str) -> None:
        """As they are written in mappings: `<CR>` is a key."""
        self._ask("nvim_input", keys)

    def lua(self, code: str) -> Any:
        """What a Lua function with this body returns."""
        return json.loads(self._ask("nvim_exec_lua", f"return vim.json.encode((function() {code}\nend)())", []))

    def until(self, code: str) -> Any:
        return until(lambda: self.lua(code), lambda: (self.lua("return vim.fn.mode(1)"), self.lines, self.messages()))

    @property
    def lines(self) -> list[str]:
        lines: list[str] = self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        return lines

    def messages(self) -> str:
        return str(self.lua("return vim.fn.execute('messages')"))

    def close(self) -> None:
        with suppress(OSError):  # it is gone before it has answered
            self._ask("nvim_command", "qa!")
        self._socket.close()
        self.process.communicate(timeout=PATIENCE_S)

    def _ask(self, method: str, *arguments: Any) -> Any:
        self._n += 1
        self._socket.sendall(msgpack.packb([0, self._n, method, list(arguments)]))
        while True:
            for kind, number, *rest in self._unpacker:
                if kind == 1 and number == self._n:
                    error, result = rest
                    assert error is None, error
                    return result
            data = self._socket.recv(1 << 16)
            if not data:
                raise ConnectionResetError("Neovim is gone")
            self._unpacker.feed(data)
