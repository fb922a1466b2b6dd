"""`python -m bench rest`: what a window and its engine cost while nobody does anything.

In: a model, how many files the workspace has, for how long.  Out: for each process its seconds of processor time in
that time, and its memory at the end (`uss_mb`: what would be free without it; `rss_mb`: with what it shares, such as a
model's file); the same of a stock llama-server with the same model and cells.

The window has one document open, its workspace is indexed, and a completion was asked before the clock starts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from bench.gathering.many_files import many_files
from bench.replaying import peer
from bench.replaying.ours import START_S, own_folders
from bench.shared.options import model_file, positive
from palimpsest.lsp.client.driver import Driver, Position

NAME = "rest"
HELP = "processor time and memory of a window and an engine that nobody uses"

N_CTX, BATCH = 8192, 512
QUIET_S, MOST_S = 5.0, 600.0
"""Without any processor time until it counts as quiet; the longest wait for it."""
Times = dict[int, float]


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=positive, default=10_000, metavar="N", help="of the workspace (10,000)")
    parser.add_argument("--seconds", type=positive, default=600, metavar="N", help="for which is counted (600)")
    parser.add_argument("--peer", choices=("llama-server", "none"), default="llama-server")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    return asyncio.run(_measured(model_file(options), options))


def show(result: dict[str, Any], console: Console) -> None:
    title = f"{result['seconds']} s at rest, {result['files']:,} files, {result['model']}"
    table = Table(title=title, title_justify="left")
    for column in ("", "processor time, s", "memory, MB", "of its own, MB"):
        table.add_column(column, justify="right" if column else "left")
    for name, row in result["processes"].items():
        table.add_row(name, f"{row['cpu_s']:.2f}", f"{row['rss_mb']:,}", f"{row['uss_mb']:,}")
    console.print(table)


async def _measured(model: Path, options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        root = Path(folder).resolve() / "workspace"
        many_files(root, options.files)
        variables, driver = own_folders(Path(folder)), Driver()
        settings = {"model": {"path": str(model)}, "engine": {"n_ctx": N_CTX}}
        await driver.start(root, settings, variables)
        try:
            await driver.ready(START_S)
            file = next(path for path in sorted(root.rglob("*.py")))
            uri = driver.open(file, file.read_text(encoding="utf-8"))
            await driver.complete(uri, Position(12, 0))
            await _quiet(variables["XDG_RUNTIME_DIR"])
            ours = dict(_processes(variables["XDG_RUNTIME_DIR"]))
            found = await _at_rest(ours, options.seconds)
        finally:
            await driver.stop()
    if options.peer != "none":
        with peer.started(model, {"n_ctx": N_CTX, "batch": BATCH}):
            child = psutil.Process().children()[-1]
            await asyncio.sleep(QUIET_S)
            found |= await _at_rest({"llama-server": child}, options.seconds)
    return {"model": model.name, "files": options.files, "seconds": options.seconds, "processes": found}


def _processes(runtime: str) -> Iterator[tuple[str, psutil.Process]]:
    """Those that have these folders: the window's, the engine's, what they started."""
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("XDG_RUNTIME_DIR") == runtime:
                words = process.cmdline()
                name = next((word for word in words[1:] if word in ("serve", "engine")), "index")
                yield f"palimpsest {name}", process
        except psutil.Error:
            continue


def _times(runtime: str) -> Times:
    return {process.pid: _cpu(process) for _, process in _processes(runtime)}


def _cpu(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


async def _quiet(runtime: str) -> None:
    """Until the index is written and nothing has been done for a while."""
    for _ in range(int(MOST_S / QUIET_S)):
        before = _times(runtime)
        await asyncio.sleep(QUIET_S)
        now = _times(runtime)
        if before.keys() == now.keys() and sum(now.values()) - sum(before.values()) < 0.02 * QUIET_S:
            return


async def _at_rest(processes: dict[str, psutil.Process], seconds: int) -> dict[str, dict[str, float]]:
    before = {name: _cpu(process) for name, process in processes.items()}
    await asyncio.sleep(seconds)
    found = {}
    for name, process in processes.items():
        memory = process.memory_full_info()
        found[name] = {
            "cpu_s": round(_cpu(process) - before[name], 2),
            "rss_mb": round(memory.rss / 1e6),
            "uss_mb": round(memory.uss / 1e6),
        }
    return found
