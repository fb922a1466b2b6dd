"""`python -m bench replay`: a recorded editing session through this server, and through a stock llama-server.

In: a trace, a model.  Out: tokens decoded and reused and milliseconds to the first token per kind of event, for both
sides, with the floor; a plot.  Both sides have the same model file, cells, threads and micro-batch, and answer with
one token; one runs after the other.  Background work of both is counted: ours as the engine counts every token that it
decodes, the peer's as its answers say (`prompt_n`), warm-ups included.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import os
import platform
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.replaying import ours, pages, peer, plot, tally
from bench.replaying.cost import Cost
from bench.replaying.kinds import Classifier, Measured, View
from bench.shared.options import model_file, positive
from bench.traces.format import Trace, read

NAME = "replay"
HELP = "an editing session through this server and through a stock llama-server: tokens decoded, time"

COMMITTED = ("hopping", "history", "typing")
PAGE = 16
"""Tokens, as vLLM has them by default."""
MOST_TEXTS = 4096
"""Texts of a session whose tokens are remembered."""
CACHE_REUSE = (256, 64)
"""llama.vim's documentation starts the server with the first; a smaller one also reuses shorter pieces."""


def add(parser: argparse.ArgumentParser) -> None:
    traces = ", ".join(COMMITTED)
    parser.add_argument("--trace", default=COMMITTED[0], metavar="FILE", help=f"or one of {traces} ({COMMITTED[0]})")
    parser.add_argument("--peer", choices=("llama-server", "none"), default="llama-server")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write an SVG of the tokens decoded")
    parser.add_argument("--requests", type=int, default=0, metavar="N", help="only the first N of the session (all)")
    parser.add_argument("--n-ctx", type=positive, default=8192, metavar="N", help="cells of both caches (8192)")
    parser.add_argument("--batch", type=positive, default=1024, metavar="N", help="micro-batch of both (1024)")
    numbers = " ".join(map(str, CACHE_REUSE))
    parser.add_argument(
        "--cache-reuse",
        type=positive,
        nargs="+",
        default=list(CACHE_REUSE),
        metavar="N",
        help=f"the peer's n_cache_reuse, one run for each ({numbers})",
    )
    parser.add_argument("--threads", type=positive, default=os.cpu_count() or 1, metavar="N", help="of both")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    model = model_file(options)
    trace = committed(options.trace) if options.trace in COMMITTED else read(Path(options.trace))
    n = min(trace.n_requests, options.requests or trace.n_requests)
    peers: dict[str, list[Cost]] = {}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        advance = _bar(progress, "ours", n)
        played, info = asyncio.run(ours.replay(trace, _settings(model, options), options.requests, advance))
        same = {"n_ctx": options.n_ctx, "batch": options.batch, "threads": options.threads}
        for reuse in options.cache_reuse if options.peer != "none" else ():
            name = f"n_cache_reuse {reuse}"
            advance = _bar(progress, f"llama-server, {name}", n)
            peers[name] = peer.replay(trace, model, {**same, "cache_reuse": reuse}, options.requests, advance)
    measured, in_pages = _measured(model, played.views)
    result = {
        **tally.tallied(measured, played.costs, peers),
        "pages": in_pages,
        "trace": {"name": trace.name, "made": trace.made, "requests": len(played.costs)},
        "model": {key: info[key] for key in ("name", "n_params", "in_place", "backend")},
        "settings": {"n_ctx": options.n_ctx, "batch": options.batch, "threads": options.threads},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    if options.plot:
        lines = {"ours": [cost.decoded for cost in played.costs], "floor": [m.floor for m in measured]}
        lines |= {
            name.replace("n_cache_reuse", "llama-server"): [cost.decoded for cost in costs]
            for name, costs in peers.items()
        }
        title = f"Tokens decoded: {trace.name}, {info['name']}"
        options.plot.write_text(plot.svg(title, lines), encoding="utf-8")
    return result


def show(result: dict[str, Any], console: Console) -> None:
    model, total = result["model"], result["total"]
    title = f"{result['trace']['name']} ({result['trace']['made']}), {model['name']}"
    table = Table(title=title, title_justify="left")
    table.add_column("event")
    names = ("ours", "peer") if total["peer"] else ("ours",)
    for column in ("requests", "floor", *names, *(f"{name}, ms p50 / p95" for name in names)):
        table.add_column(column, justify="right")
    for kind, row in result["events"].items():
        sides = [row[name] for name in names]
        decoded = [f"{side['decoded']:,}" for side in sides]
        times = [f"{side['ms_p50']:.0f} / {side['ms_p95']:.0f}" for side in sides]
        table.add_row(kind, str(row["requests"]), f"{row['floor']:,}", *decoded, *times)
    sides = [total[name] for name in names]
    decoded = [f"{side['decoded']:,}" for side in sides]
    times = [f"{(side['ms'] + side['background_ms']) / 1000:.1f} s in all" for side in sides]
    table.add_section()
    table.add_row("all", str(total["requests"]), f"{total['floor']:,}", *decoded, *times)
    console.print(table)
    console.print(_excess(result))
    prompts = [f"{side['prompt_p50']:,.0f}" for side in sides]
    console.print(f"Tokens the model saw, median: {' and '.join(prompts)}.")
    for name, side in total["peers"].items():
        console.print(f"llama-server, {name}: {side['decoded']:,} decoded, {side['background']:,} of them in warm-ups.")
    kept = ", ".join(f"{way} {n:,}" for way, n in result["pages"].items())
    console.print(f"Tokens that a server with pages of {PAGE} tokens would decode, without answers: {kept}.")
    if total["ratio"]:
        console.print(f"Ours : peer = {total['ratio']['decoded']:.3f} tokens, {total['ratio']['ms']:.3f} time.")


def _excess(result: dict[str, Any]) -> Table:
    """What we decoded beyond the floor, by event and by what it was."""
    total = result["total"]
    title = f"beyond the floor: {total['ours']['decoded'] / max(1, total['floor']):.2f} times as many tokens"
    table = Table(title=title, title_justify="left")
    table.add_column("event")
    for column in ("excess", "code at the cursor", "blocks", "headers", "answers"):
        table.add_column(column, justify="right", no_wrap=True)
    rows = sorted(result["events"].items(), key=lambda item: -item[1]["excess"]["all"])
    for kind, row in (*rows, ("all", total)):
        if row is total:
            table.add_section()
        counts = [row["excess"][part] for part in ("all", "tails", "blocks", "headers", "answers")]
        table.add_row(kind, *(f"{count:,}" for count in counts))
    return table


def _bar(progress: Progress, name: str, total: int) -> Callable[[], None]:
    task = progress.add_task(name, total=total)
    return lambda: progress.advance(task)


def committed(name: str) -> Trace:
    """One of COMMITTED, made from this repository's own history."""
    with as_file(files("bench") / "traces" / f"{name}.jsonl.xz") as path:
        return read(path)


def _settings(model: Path, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "model": {"path": str(model)},
        "engine": {"n_ctx": options.n_ctx, "n_batch": options.batch, "n_threads": options.threads},
        # Every keystroke asks the engine, and for no more: the cache is measured, not what goes round it.
        "completion": {"max_tokens": 1, "max_suffix": 1_000_000, "cached": 0, "ahead": False},
    }


def _measured(model: Path, views: list[View]) -> tuple[list[Measured], dict[pages.Way, int]]:
    """And what a server would decode that keeps pages of KV."""
    from palimpsest.engine.llama.native import Model

    loaded = Model(model, n_gpu_layers=0, extra_bufts=False)
    try:
        tokenize = functools.lru_cache(MOST_TEXTS)(loaded.tokenize)
        classifier = Classifier(tokenize)
        return [classifier.follow(view) for view in views], pages.decoded(views, tokenize, PAGE)
    finally:
        loaded.close()
