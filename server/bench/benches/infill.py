"""`python -m bench infill`: an editor client's recorded `/infill` requests, answered here and by a stock llama-server.

In: a GGUF file, a recording (JSON lines of {"t", "path", "request"}).  Out: one JSON object's worth, or a table of it:

    {"model", "trace", "kinds": {kind: {"requests", "ours": {"decoded", "most", "reused", "ms"}, "peer": {…} | null}},
     "total": {"requests", "ours", "peer", "ratio"}, "loss": {"requests", "tokens", "ours", "stock", "ratio"}}

`decoded` sums `timings.prompt_n`, of which `most` was the largest; `ratio` of the total is the peer's share of ours,
`loss` that of the text typed next, here and in llama-server's order of the prompt.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from bench.replaying.ours import own_folders
from bench.replaying.peer import started as stock_server
from bench.shared.options import model_file, positive
from palimpsest.errors import EngineDied, InvalidArgument

NAME = "infill"
HELP = "recorded requests of llama.vim's, answered here and by a stock llama-server"
WARM_UP, TYPED, CHUNKS, MOVED = "warm-up (background)", "typed", "typed, chunks changed", "cursor or file moved"
KINDS = (WARM_UP, MOVED, TYPED, CHUNKS)
SUMS = ("decoded", "reused", "ms")
START_S = 60.0
TIMEOUT_S = 600.0
Row = Mapping[str, Any]


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trace", type=Path, required=True, metavar="FILE", help="the recording, JSON lines")
    parser.add_argument("--peer", choices=("llama-server",), help="the stock server in the same run")
    parser.add_argument("--n-ctx", type=positive, default=16384, metavar="N", help="cells of both caches (16384)")
    parser.add_argument("--batch", type=positive, default=1024, metavar="N", help="the peer's batch (1024)")
    parser.add_argument("--cache-reuse", type=positive, default=256, metavar="N", help="the peer's n_cache_reuse (256)")
    parser.add_argument("--threads", type=positive, default=os.cpu_count() or 1, metavar="N", help="of both servers")
    parser.add_argument("--no-loss", action="store_true", help="leave out the loss of the text typed next")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    model, rows = model_file(options), recorded(options.trace)
    shared = {"n_ctx": options.n_ctx, "threads": options.threads}
    with our_server(model, options.n_ctx, options.threads) as url:
        ours = replayed(rows, url)
    peer = None
    if options.peer:
        with stock_server(model, {**shared, "batch": options.batch, "cache_reuse": options.cache_reuse}) as url:
            peer = replayed(rows, url)
    result = _result(rows, ours, peer)
    if not options.no_loss:
        from bench.measure.infill_loss import bodies, losses
        from palimpsest.config.settings import EngineSettings

        settings = EngineSettings(n_ctx=options.n_ctx, n_threads=options.threads, extra_bufts="off")
        result["loss"] = losses(model, settings, bodies(rows))
    return {"model": model.name, "trace": options.trace.name, **result}


def recorded(path: Path) -> list[Row]:
    """Raises InvalidArgument for a file that is no recording."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            rows = [json.loads(line) for line in file if line.strip()]
        rows = [row for row in rows if row["path"] == "/infill" and isinstance(row["request"], dict)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgument("--trace", f"{path} is no recording of requests: {error}") from None
    if not rows:
        raise InvalidArgument("--trace", f"{path} has no /infill request in it.")
    return rows


def kinds_of(rows: Sequence[Row]) -> list[str]:
    """What each request is, seen beside the one before it."""
    kinds, last = [], None
    for row in rows:
        body = row["request"]
        window = (body.get("input_prefix"), body.get("input_suffix"))
        chunks = [chunk.get("text") for chunk in body.get("input_extra", [])]
        if body.get("n_predict") == 0:
            kinds.append(WARM_UP)
            continue
        if last is None or last[0] != window:
            kinds.append(MOVED)
        else:
            kinds.append(TYPED if last[1] == chunks else CHUNKS)
        last = (window, chunks)
    return kinds


def replayed(rows: Sequence[Row], url: str) -> list[dict[str, float]]:
    """`{"decoded", "reused", "ms"}` of each request, one after the other."""
    address = urlsplit(url)
    assert address.hostname is not None
    costs = []
    with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=TIMEOUT_S)) as connection:
        for row in rows:
            body = {**row["request"], "stream": False, "response_fields": ["timings"]}
            began = time.perf_counter()
            connection.request("POST", row["path"], json.dumps(body), {"Content-Type": "application/json"})
            answer = json.load(connection.getresponse())
            ms = 1000 * (time.perf_counter() - began)
            if "timings" not in answer:
                raise EngineDied(f"{url} did not answer a recorded request: {json.dumps(answer)[:200]}")
            timings = answer["timings"]
            costs.append({"decoded": timings["prompt_n"], "reused": timings.get("cache_n", 0), "ms": ms})
    return costs


@contextmanager
def our_server(model: Path, n_ctx: int, threads: int) -> Iterator[str]:
    """An engine of this bench's own with llama-server's protocol; its address.  Raises EngineDied."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        command = [sys.executable, "-P", "-m", "palimpsest", "engine", "--model", str(model), "--http", str(port)]
        command += ["--socket", f"{folder}/engine.sock", "--n-ctx", str(n_ctx), "--n-threads", str(threads)]
        environment = {**os.environ, **own_folders(Path(folder))}
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            try:
                _await_health(child, port)
                yield f"http://127.0.0.1:{port}"
            finally:
                child.terminate()
                child.communicate()


def _await_health(child: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and child.poll() is None:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            try:
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
        time.sleep(0.1)
    said = child.communicate()[1].decode(errors="replace") if child.poll() is not None else "it loads for too long"
    raise EngineDied(f"The engine does not serve: {said.strip()[-300:]}")


def _result(rows: Sequence[Row], ours: list[dict[str, float]], peer: list[dict[str, float]] | None) -> dict[str, Any]:
    kinds = kinds_of(rows)
    table = {}
    for kind in KINDS:
        at = [i for i, found in enumerate(kinds) if found == kind]
        if at:
            sides = {"ours": _summed(ours, at), "peer": _summed(peer, at) if peer else None}
            table[kind] = {"requests": len(at), **sides}
    every = range(len(kinds))
    total = {"requests": len(kinds), "ours": _summed(ours, every), "peer": _summed(peer, every) if peer else None}
    ratio = total["peer"]["decoded"] / max(1, total["ours"]["decoded"]) if peer else None  # type: ignore[index]
    return {"kinds": table, "total": {**total, "ratio": ratio}}


def _summed(costs: list[dict[str, float]], at: Sequence[int]) -> dict[str, float]:
    sums = {name: sum(costs[i][name] for i in at) for name in SUMS}
    return {**sums, "most": max(costs[i]["decoded"] for i in at)}


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title=f"{result['trace']} with {result['model']}: prompt tokens decoded", title_justify="left")
    for column in ("requests of a kind", "", "ours", "most", "ms", "llama-server", "most", "ms"):
        table.add_column(column, justify="left" if column == "requests of a kind" else "right")
    for kind, row in [*result["kinds"].items(), ("all", result["total"])]:
        table.add_row(kind, str(row["requests"]), *_figures(row["ours"]), *_figures(row["peer"]))
    console.print(table)
    if loss := result.get("loss"):
        console.print(
            f"loss of the text typed next ({loss['tokens']} tokens of {loss['requests']} requests): "
            f"{loss['ours']:.3f}, in llama-server's order {loss['stock']:.3f}"
        )


def _figures(found: Mapping[str, float] | None) -> list[str]:
    if found is None:
        return ["–"] * 3
    return [f"{found['decoded']:,.0f}", f"{found['most']:,.0f}", f"{found['ms']:,.0f}"]
