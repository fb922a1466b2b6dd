"""Engine processes of a test's own: private folders, the real command, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from palimpsest import wire
from palimpsest.engine.http.listen import answers
from palimpsest.errors import EngineError
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.providers.palimpsest.launch import find
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from tests.providers.peer import Peer

ENDLESS = "root ::= [a-z] root"
"""A grammar without an end: what is generated under it ends by its limits, or by being cancelled."""


@pytest.fixture
def short() -> Iterator[Path]:
    """An empty folder with a path short enough for sockets."""
    path = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def machine(short: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders of this test's own.  Engines started with `idle_exit_s = 1` are waited for, others told to leave."""
    for name in ("RUNTIME_DIR", "STATE_HOME", "CACHE_HOME", "CONFIG_HOME", "DATA_HOME"):
        folder = short / name.lower()[:5]
        folder.mkdir()
        monkeypatch.setenv(f"XDG_{name}", str(folder))
    yield short
    for socket in folders.runtime().glob("engine-*.sock"):
        asyncio.run(_send_away(Address(socket)))


async def _send_away(place: Address) -> None:
    if engine := await find(place):
        with suppress(EngineError):
            await engine.shutdown()
        await engine.aclose()
    while answers(place):
        await asyncio.sleep(0.05)


class Process:
    """`palimpsest engine` run by hand, as its own session leader; killed at the end if it is still there."""

    def __init__(self, *arguments: str | Path, **environment: str) -> None:
        command = [sys.executable, "-P", "-m", "palimpsest", "engine", *map(str, arguments)]
        self.popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )

    def wait(self) -> tuple[int, str, str]:
        """(status, stdout, stderr) at its end."""
        out, err = self.popen.communicate(timeout=60)
        return self.popen.returncode, out, err

    def answers_at(self, place: Address) -> None:
        while not answers(place):
            assert self.popen.poll() is None, f"it ended: {self.wait()}"
            time.sleep(0.02)

    def close(self) -> None:
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGKILL)
        self.popen.communicate()


async def loaded(engine: InPlaceEngine) -> wire.Health:
    """Health once the model is loaded, or has failed to."""
    while (health := await engine.health()).state == "loading":
        await asyncio.sleep(0.05)
    return health


async def busy(engine: InPlaceEngine, task: asyncio.Task[wire.GenerateAnswer]) -> None:
    """Return once the engine works on `task`."""
    while not (await engine.health()).busy:
        assert not task.done(), task.result()
        await asyncio.sleep(0.001)


def endless(tokens: int, *, stream: bool = False) -> wire.GenerateRequest:
    """Text until `tokens` are there: only a limit or a cancellation ends it."""
    return wire.GenerateRequest(
        "test", text=wire.TextTail("x = "), max_tokens=tokens, grammar=ENDLESS, stream=stream, slot="suggestion"
    )


EMBEDDED = Path(__file__).parents[2] / "server" / "palimpsest" / "assets" / "palimpsest-embedded.gguf"


@pytest.fixture(scope="session")
def model() -> Path:
    """Which every engine here has: it is the test's own by the folders of `machine`."""
    return EMBEDDED


@pytest.fixture
def own_model(tmp_path: Path) -> Path:
    """A copy of the embedded model, to be damaged."""
    return Path(shutil.copyfile(EMBEDDED, tmp_path / "model.gguf"))


@pytest.fixture(scope="session")
def peer() -> Iterator[Peer]:
    """The real llama-server, for whoever does it no harm."""
    it = Peer(EMBEDDED, "--parallel", "2", n_ctx=8192)
    yield it
    it.kill()
