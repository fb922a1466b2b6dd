"""A trace against a stock llama-server, driven as llama.vim drives it.

In: a trace, the server's options.  Out: a `Cost` per request.  The server is a process of its own.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.replaying.cost import Cost
from bench.replaying.llama_vim import LlamaVim
from bench.replaying.peer_server import COMES_WITH
from bench.traces.buffers import Buffers
from bench.traces.format import Pause, Request, Trace
from palimpsest.errors import EngineUnavailable

TIMEOUT_S = 600.0
END_S = 10.0


def replay(
    trace: Trace, model: Path, options: Mapping[str, int], most_requests: int, on_request: Callable[[], None]
) -> list[Cost]:
    """`options` are `peer_server`'s.  Raises EngineUnavailable when there is no such server here."""
    with started(model, options) as url:
        return _costs(trace, url, most_requests, on_request)


@contextmanager
def started(model: Path, options: Mapping[str, int]) -> Iterator[str]:
    """The stock server as a child; its address."""
    command = [sys.executable, "-m", "bench.replaying.peer_server", str(model)]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            line = child.stdout.readline()
            if not line:
                raise EngineUnavailable("The stock llama-server does not start.", hint=COMES_WITH)
            yield json.loads(line)["url"]
        finally:
            child.stdin.close()
            try:
                child.wait(END_S)
            except subprocess.TimeoutExpired:
                child.kill()


def _costs(trace: Trace, url: str, most_requests: int, on_request: Callable[[], None]) -> list[Cost]:
    buffers = Buffers(trace.files)
    client = LlamaVim(buffers)
    address = urlsplit(url)
    assert address.hostname is not None
    costs: list[Cost] = []
    background, background_ms, acted = 0, 0.0, True
    with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=TIMEOUT_S)) as connection:
        for event in trace.events:
            client.leave(event)
            buffers.follow(event)
            acted |= not isinstance(event, Pause | Request)
            for warm_up in client.follow(event):
                timings, ms = _infill(connection, warm_up)
                if acted:
                    background, background_ms = background + timings["prompt_n"], background_ms + ms
                else:
                    costs[-1] = costs[-1].and_behind(timings["prompt_n"], ms)
            if isinstance(event, Request):
                costs.append(_cost(connection, client.request(), background, background_ms))
                background, background_ms, acted = 0, 0.0, False
                on_request()
            if most_requests and len(costs) >= most_requests:
                break
    return costs


def _cost(
    connection: http.client.HTTPConnection, body: dict[str, Any] | None, background: int, background_ms: float
) -> Cost:
    if body is None:
        return Cost(background, background, 0, 0.0, background_ms, 0, asked=False)
    timings, ms = _infill(connection, body)
    n, reused = timings["prompt_n"], timings["cache_n"]
    return Cost(background + n, background, reused, ms, background_ms, n + reused)


def _infill(connection: http.client.HTTPConnection, body: dict[str, Any]) -> tuple[dict[str, int], float]:
    """With `n_predict` as small as here, llama-server admits a few tokens more of chunks than its cells hold, and then
    refuses its own prompt: once more without the oldest chunk."""
    while True:
        start = time.perf_counter()
        connection.request("POST", "/infill", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data = json.loads(answer.read())
        ms = (time.perf_counter() - start) * 1000
        if answer.status == 200:
            return data["timings"], ms
        too_large = answer.status == 400 and data.get("error", {}).get("type") == "exceed_context_size_error"
        if not too_large or not body["input_extra"]:
            raise EngineUnavailable(f"llama-server answers {answer.status}: {data}")
        body = body | {"input_extra": body["input_extra"][1:]}
