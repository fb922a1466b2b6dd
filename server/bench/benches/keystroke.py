"""`python -m bench keystroke`: from `didChange` on the wire to the ghost text on the wire, split into its parts.

In: a model, how many keystrokes.  Out: milliseconds of each part, p50 and p95.  One character at a time is typed into a
method of a file of about 1,000 lines, with some 15 blocks in context; the real server and engine answer.  The clock
starts as the change's bytes are written, the request for a completion right behind them, and stops as the answer's
bytes have been read: the measuring client's own work is outside.

    parse      the text's change, and its tree
    blocks     scope, editing block, the choice of blocks, the request
    plan       the engine: from wanted blocks to none or some steps, and carrying them out; laying the tail out
    decode     the engine: llama.cpp
    sample     the engine: choosing tokens
    transfer   the rest: JSON, pipes and the socket, waiting for the engine's thread, trimming

`ours` is all but decode and sample.  Keystrokes that the completion on screen answers need no engine: they are
counted apart (`shown`, `shown_ms`).
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.replaying.ours import START_S, own_folders
from bench.replaying.tally import percentile
from bench.shared.large_file import CURSOR, TYPED, workspace
from bench.shared.options import model_file, positive
from palimpsest.config.settings import CONFIDENCES
from palimpsest.lsp.client.driver import Driver, Position

NAME = "keystroke"
HELP = "milliseconds from a typed character to its ghost text, part by part"

PARTS = ("parse", "blocks", "plan", "transfer", "decode", "sample", "ours", "total")
MAX_TOKENS = 8
BUDGET = 2048
"""For some 15 blocks, whatever the model's context would be given."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keystrokes", type=positive, default=200, metavar="N", help="answered by the engine (200)")
    parser.add_argument("--confidence", choices=CONFIDENCES, default="all", help="`completion.confidence` (all)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    return asyncio.run(_measured(model_file(options), options.keystrokes, options.confidence))


def show(result: dict[str, Any], console: Console) -> None:
    facts = result["file"]
    title = (
        f"{result['keystrokes']} keystrokes, {facts['lines']} lines, {facts['blocks']} blocks, {result['model']}: ms"
    )
    table = Table(title=title, title_justify="left")
    for column in ("", "p50", "p95"):
        table.add_column(column, justify="right" if column else "left")
    for part in PARTS:
        if part == "ours":
            table.add_section()
        table.add_row(part, *(f"{result['ms'][part][name]:.2f}" for name in ("p50", "p95")))
    console.print(table)
    shown = result["shown_ms"]
    console.print(
        f"{result['shown']} more were answered from the completion on screen, in {shown['p50']:.2f} ms (p50) and "
        f"{shown['p95']:.2f} ms (p95). {result['decoded']} tokens were decoded for each of the others."
    )


async def _measured(model: Path, keystrokes: int, confidence: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        root = Path(folder).resolve() / "shop"
        path = workspace(root)
        driver = Driver()
        settings = {
            "model": {"path": str(model)},
            # Nothing prepared or kept: what is wanted is what asking costs.
            "completion": {"max_tokens": MAX_TOKENS, "confidence": confidence, "cached": 0, "ahead": False},
            "context": {"budget": BUDGET},
        }
        await driver.start(root, settings, own_folders(Path(folder)))
        try:
            await driver.ready(START_S)
            info = await driver.command("palimpsest.model.info")
            uri = driver.open(path)
            await driver.indexed(uri)
            start = driver.at(uri, CURSOR)
            shown = await driver.settled(uri, start)
            timed = [found async for found in _typed(driver, uri, start, keystrokes)]
        finally:
            await driver.stop()
    answered = [ms for ms in timed if "parse" in ms]
    shown_ms = [ms["total"] for ms in timed if "parse" not in ms]
    return {
        "ms": {part: _percentiles([ms[part] for ms in answered]) for part in PARTS},
        "keystrokes": len(answered),
        "shown": len(shown_ms),
        "shown_ms": _percentiles(shown_ms),
        "decoded": round(sum(ms["decoded"] for ms in answered) / len(answered), 1),
        "file": {"lines": driver.texts[uri].count("\n") + 1, "blocks": len(shown["blocks"])},
        "model": info["name"],
    }


async def _typed(driver: Driver, uri: str, start: Position, n: int) -> AsyncIterator[dict[str, float]]:
    """For each keystroke its parts, only the total for one that did not need the engine; until `n` did."""
    position, left = start, n
    before = await driver.command("palimpsest.cache.map")
    for character in _characters():
        if character == "\n":
            position = driver.replace(uri, start, position, "")  # the next line takes the last one's place
            continue
        position, seconds = await driver.keystroke(uri, position, character)
        total = 1000 * seconds
        found = await driver.command("palimpsest.cache.map")
        decoded = found["engine"]["decoded"] - before["engine"]["decoded"]
        asked = found["ms"] != before["ms"]
        before = found
        yield {**_parts(found["ms"], total), "decoded": decoded} if asked else {"total": total}
        left -= asked
        if left <= 0:
            return


def _characters() -> Iterator[str]:
    while True:
        for line in TYPED:
            yield from f"\n{line}"


def _parts(ms: Mapping[str, float], total: float) -> dict[str, float]:
    sync = ms.get("engine.sync", 0.0)
    synced = ms.get("sync.decode", 0.0)
    decode = ms.get("engine.prefill", 0.0) + ms.get("engine.decode", 0.0) + synced
    sample = ms.get("engine.sample", 0.0)
    inside = ms.get("engine.total", 0.0) - ms.get("engine.queue", 0.0)
    told = sync - synced + decode + sample
    parts = {
        "parse": ms.get("parse", 0.0),
        "blocks": ms.get("blocks", 0.0),
        "plan": max(0.0, sync - synced) + max(0.0, inside - told),
        "decode": decode,
        "sample": sample,
        "total": total,
    }
    parts["ours"] = total - decode - sample
    parts["transfer"] = parts["ours"] - parts["parse"] - parts["blocks"] - parts["plan"]
    return parts


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {"p50": percentile(values, 0.5, 2), "p95": percentile(values, 0.95, 2)}
