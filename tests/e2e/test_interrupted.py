"""Ctrl-C: every command ends with 130, as shells say of it, and without a traceback."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palimpsest.command_line import COMMANDS
from tests.llama_server.conftest import EMBEDDED

from .raw import framed, initialize_params

ENDS_S = 60.0


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Processes hear SIGINT, also where the suite runs in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Command:
    """A command that runs, with what it said so far: on stderr also what it imports, as it does so."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "palimpsest", *words]
        environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(  # type: ignore[call-overload]
            command, env=environment, start_new_session=True, **pipes
        )
        self.said = {"stdout": b"", "stderr": b""}
        self._came = queue.SimpleQueue[None]()
        self._threads = [threading.Thread(target=self._read, args=(name,), daemon=True) for name in self.said]
        for thread in self._threads:
            thread.start()

    def _read(self, name: str) -> None:
        file = getattr(self.process, name)
        while data := file.read1():
            self.said[name] += data
            self._came.put(None)
        self._came.put(None)

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def says(self, words: bytes) -> None:
        """Wait until it does."""
        while not any(words in said for said in self.said.values()):
            self._came.get(timeout=ENDS_S)
            assert self.process.poll() is None or any(words in said for said in self.said.values()), self.said

    def is_interrupted(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)  # as a terminal does: what it has started hears it, too
        with self.process:  # which closes the pipes
            try:
                status = self.process.wait(ENDS_S)
            finally:
                self.process.kill()
                for thread in self._threads:
                    thread.join(ENDS_S)
        told = b"\n".join(line for line in self.said["stderr"].splitlines() if not line.startswith(b"import time:"))
        assert status == 130, told
        assert b"Traceback" not in told
        assert b"KeyboardInterrupt" not in told


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Raw", "version": "1"}}


def line(method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


BEGUN: dict[str, tuple[Callable[[Path], bytes], bytes]] = {
    "serve": (
        lambda folder: framed("initialize", initialize_params(folder), id=1) + framed("initialized", {}),
        b'"capabilities"',
    ),
    "mcp": (lambda _: line("initialize", ABOUT), b'"serverInfo"'),
    "acp": (
        lambda _: line("initialize", {"protocolVersion": 1, "clientCapabilities": {}}),
        b'"agentCapabilities"',
    ),
    "engine": (lambda _: b"", b"http://127.0.0.1:"),
    "demo": (lambda _: b"", b"reused"),  # the server and the engine work for it
    "doctor": (lambda _: b"", b" palimpsest.providers.supervisor\n"),  # an engine is waited for
    "model": (lambda _: b"", b" encodings.idna\n"),  # the silent server is waited for
    "log": (lambda _: b"", b"until Ctrl-C"),
}
"""What each is told, and what it says once it is at work."""


def begun(name: str, silent: int) -> Command:
    words = {
        "engine": ("--model", str(EMBEDDED), "--http", "0", "--n-ctx", "2048"),
        "model": ("get", f"http://127.0.0.1:{silent}/m.gguf", "--unverified"),
        "log": ("--follow",),
    }
    return Command(name, *words.get(name, ()))


def test_every_command_that_takes_long_is_tried() -> None:
    assert {*COMMANDS} - {*BEGUN} == {"completion", "config"}


@pytest.mark.parametrize("name", BEGUN)
def test_a_command_that_runs_ends_with_it(machine: dict[str, str], tmp_path: Path, silent: int, name: str) -> None:
    told, says = BEGUN[name]
    command = begun(name, silent)
    command.write(told(tmp_path))
    command.says(says)
    command.is_interrupted()


@pytest.mark.parametrize("name", BEGUN)
def test_so_does_one_whose_modules_are_still_imported(machine: dict[str, str], silent: int, name: str) -> None:
    command = begun(name, silent)
    command.says(b" argparse\n")
    command.is_interrupted()
