"""The engine's HTTP and a stock llama-server beside it, over the same model; a client for both."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest

from bench.measure.measure import with_f32_weights
from bench.replaying.peer import started
from tests.models import written

EMBEDDED = Path(__file__).parents[2] / "server" / "palimpsest" / "assets" / "palimpsest-embedded.gguf"
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Answer:
    status: int
    kind: str
    text: str

    @property
    def data(self) -> Any:
        return json.loads(self.text)

    @property
    def frames(self) -> list[Any]:
        """Events of a stream, `[DONE]` as it stands."""
        lines = [line.removeprefix("data: ") for line in self.text.split("\n") if line]
        return [line if line == "[DONE]" else json.loads(line) for line in lines]


class OverSocket(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(str(self.path))


@dataclass(frozen=True)
class Client:
    """Speaks to one server; every request has a connection of its own."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    tls: ssl.SSLContext | None = None
    path: Path | None = None
    """The editors' socket, in place of the address."""

    def connect(self) -> http.client.HTTPConnection:
        if self.path is not None:
            return OverSocket(self.path)
        at = urlsplit(self.url)
        assert at.hostname is not None
        if self.tls is not None:
            return http.client.HTTPSConnection(at.hostname, at.port, timeout=TIMEOUT_S, context=self.tls)
        return http.client.HTTPConnection(at.hostname, at.port, timeout=TIMEOUT_S)

    def ask(self, path: str, body: Any = None, method: str = "", **headers: str) -> Answer:
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(self.connect()) as connection:
            verb = method or ("GET" if raw is None else "POST")
            connection.request(verb, path, raw, {"Content-Type": "application/json", **dict(self.headers), **named})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers.get("Content-Type", ""), answer.read().decode())

    def post(self, path: str, **body: Any) -> Answer:
        return self.ask(path, body)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


class HttpEngine:
    """`palimpsest engine --http …` run by hand, with folders of its own."""

    def __init__(self, model: Path, *arguments: str, host: str = "127.0.0.1", **environment: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pal-", dir="/tmp"))
        self.port = free_port()
        own = {"XDG_STATE_HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder)}
        command = [sys.executable, "-P", "-m", "palimpsest", "engine", "--model", str(model)]
        command += ["--socket", str(self.folder / "e.sock"), "--http", f"{host}:{self.port}", "--n-threads", "1"]
        command += ["--library", os.environ.get("PALIMPSEST_TESTED_LIBRARY", "")]
        self.popen = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | own | environment,
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def editors(self) -> Client:
        """Who comes through the editors' door."""
        return Client(self.url, path=self.folder / "e.sock")

    def ready(self, client: Client | None = None) -> HttpEngine:
        """Wait until its model is loaded."""
        client = client or Client(self.url)
        while True:
            assert self.popen.poll() is None, f"it ended: {self.popen.communicate()}"
            try:
                if client.ask("/health").status == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.05)

    def close(self) -> tuple[str, str]:
        """Stop it and wait; what it printed."""
        self.popen.terminate()
        said = self.popen.communicate(timeout=TIMEOUT_S)
        shutil.rmtree(self.folder)
        return said


class Serve(Protocol):
    def __call__(self, model: Path, *arguments: str) -> HttpEngine: ...


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """`serve(model, *arguments)`: an engine for whoever asks for one like it; each runs to the end of the session."""
    running: dict[tuple[Path | str, ...], HttpEngine] = {}

    def engine(model: Path, *arguments: str) -> HttpEngine:
        asked = (model, *arguments)
        if asked not in running:
            running[asked] = HttpEngine(model, "--n-ctx", "4096", *arguments).ready()
        return running[asked]

    yield engine
    for one in running.values():
        one.close()


@pytest.fixture(scope="session")
def engine(serve: Serve) -> HttpEngine:
    """The embedded model."""
    return serve(EMBEDDED)


@pytest.fixture(scope="session")
def ours(engine: HttpEngine) -> Client:
    return Client(engine.url)


@pytest.fixture(scope="session")
def real() -> Iterator[Client]:
    """The stock llama-server over the same model."""
    with started(EMBEDDED, {"n_ctx": 4096, "threads": 1, "batch": 1024}) as url:
        yield Client(url)


@pytest.fixture(scope="session")
def in_f32(serve: Serve) -> Iterator[tuple[Path, Client]]:
    """The embedded model and ours over it, both of them in f32 throughout.  Otherwise two builds of llama.cpp, with
    other kernels, round to other numbers: quantized weights by hundredths of a log-probability, flash attention on a
    CPU by some ten-thousandths."""
    with with_f32_weights(EMBEDDED) as (model, widened):
        assert widened
        f32 = serve(model, "--type-k", "f32", "--type-v", "f32", "--flash-attention", "off")
        yield model, Client(f32.url)


def stock_in_f32(model: Path, **options: int) -> AbstractContextManager[str]:
    """The stock llama-server, to be compared with that."""
    return started(model, {"threads": 1, "batch": 1024, "cache_type": 0, "flash_attention": 0, **options})


@pytest.fixture(scope="session")
def exact(in_f32: tuple[Path, Client]) -> Iterator[tuple[Client, Client]]:
    """The stock llama-server and ours over the same model in f32."""
    model, ours = in_f32
    with stock_in_f32(model, n_ctx=4096) as url:
        yield Client(url), ours


@pytest.fixture(scope="session")
def small_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this session's random-weight models are written."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def without_fim(serve: Serve, small_models: Path) -> Client:
    """An engine whose model cannot fill in the middle, and has a chat template of its own."""
    return Client(serve(written("plain", small_models)).url)


@pytest.fixture(scope="module", params=["suffix first", "isolated", "whole prompts"])
def layout(request: pytest.FixtureRequest, serve: Serve, small_models: Path) -> tuple[str, Client]:
    """Engines with the suffix first, with it isolated, and without cache editing."""
    model = EMBEDDED if request.param == "suffix first" else written("fim", small_models)
    whole = ["--mode", "whole-prompt"] if request.param == "whole prompts" else []
    return request.param, Client(serve(model, *whole).url)
