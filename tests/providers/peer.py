"""The real llama-server, as a process of a test's own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx2

from palimpsest.wire import FimTail, GenerateRequest, Message, Sampling, SyncRequest, WantedBlock, text_hash

HEADER, FOOTER = "<workspace>\n", "</workspace>\n"


class Peer:
    """Answers once made; `port` stays the same over `restart`."""

    def __init__(self, model: Path, *options: str, n_ctx: int = 4096) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._command = [sys.executable, "-m", "bench.replaying.peer_server", str(model)]
        self._command += ["--port", str(self.port), "--n-ctx", str(n_ctx), "--threads", "1", "--n-gpu-layers", "0"]
        self._command += options
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["url"]

    def kill(self) -> None:
        """As a machine that loses its power; idempotent."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            with self._process:
                pass
        self._process = None

    def hold(self) -> None:
        """It does nothing any more, and says nothing."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def ask(self, path: str, key: str = "") -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx2.get(self.url + path, headers=headers, trust_env=False).raise_for_status()

    def tokens_of(self, messages: Sequence[Message]) -> int:
        """Of a conversation as the server writes it, without what every prompt begins with."""
        chat = [{"role": message.role, "content": message.content} for message in messages]
        prompt = httpx2.post(f"{self.url}/apply-template", json={"messages": chat}).raise_for_status().json()["prompt"]
        asked = {"content": prompt, "add_special": False, "parse_special": True}
        return len(httpx2.post(f"{self.url}/tokenize", json=asked).raise_for_status().json()["tokens"])

    def working(self) -> bool:
        return any(slot["is_processing"] for slot in self.ask("/slots").json())

    def generated(self) -> int:
        """Tokens, since it started."""
        return self._counted("tokens_predicted_total")

    def prompted(self) -> int:
        """Tokens of prompts decoded, since it started."""
        return self._counted("prompt_tokens_total")

    def _counted(self, name: str) -> int:
        lines = self.ask("/metrics").text.splitlines()
        return int(float(next(line for line in lines if line.startswith(f"llamacpp:{name} ")).split()[1]))


async def killed_at(peer: Peer, items: AsyncIterator[object], n: int) -> None:
    """Read on until the server is killed after `n` pieces, and beyond."""
    seen = 0
    async for _ in items:
        seen += 1
        if seen == n:
            peer.kill()


def block(name: str, n: int = 12, of: str = "int") -> WantedBlock:
    lines = "\n".join(f"def {name}_{i}(first: {of}, second: str) -> bool: ..." for i in range(n))
    text = f'<context type="package" name="{name}" editable="false">\n{lines}\n</context>\n'
    return WantedBlock(f"package:{name}", text, text_hash(text))


def wanted(*blocks: WantedBlock, workspace: str = "test") -> SyncRequest:
    return SyncRequest(workspace, HEADER, FOOTER, list(blocks))


PREFIX = '<editing type="function" file="cart.py" name="total">\ndef total(self):\n    total = 0\n    '
SUFFIX = "\n    return total\n</editing>\n"


def completion(typed: str, sync: SyncRequest | None = None, **more: Any) -> GenerateRequest:
    tail = FimTail(PREFIX + typed, SUFFIX, layout="psm")
    fields: dict[str, Any] = {"max_tokens": 8, "stop": ["\n"], "sampling": Sampling(seed=0), **more}
    return GenerateRequest("test", fim=tail, sync=sync, **fields)
