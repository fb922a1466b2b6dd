"""`python -m bench context`: what gathering context costs, apart from decoding it.

In: a model, sizes.  Out: `{"keystroke_ms": {"p50", "p95"}, "cursor_ms": {"p50", "p95"}, "index": {"files_per_s",
"peak_mb", "restart_s"}, "walk": {"blocks", "decoded_twice"}}`.

    keystroke_ms  a character typed in a long file: its text, tree and scopes, the editing block, and that the choice
                  of blocks stays
    cursor_ms     another place of the cursor: the same but the text, and a new choice from all sources, with an index
    index         a generated workspace in eight languages, indexed by the index's own process on one core; and how long
                  the index that is there takes to be asked again, from the start of another process
    walk          the cursor goes to every function of a file of 2,000 lines, with a pause at each: the blocks chosen,
                  and how many of them the engine decoded more than once, with whatever text

`--language` is that of the long files.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.gathering.indexing import Building, indexed
from bench.gathering.long_file import long_file
from bench.gathering.long_styles import LANGUAGES
from bench.gathering.many_files import many_files
from bench.gathering.timing import keystrokes, places
from bench.gathering.walk import Walked, walk
from bench.replaying.tally import percentile
from bench.shared.options import model_file, positive
from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.config.settings import ModelSettings, Settings
from palimpsest.providers.base.target import Target
from palimpsest.providers.supervisor import Supervisor
from palimpsest.window.requests import Requests

NAME = "context"
HELP = "milliseconds of scopes and blocks, files a second of the index, blocks decoded twice in a walk"

START_S = 300.0
FOLDERS_ASKED = 20


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=positive, default=10_000, metavar="N", help="of the workspace (10,000)")
    parser.add_argument("--lines", type=positive, default=10_000, metavar="N", help="of the long file (10,000)")
    parser.add_argument("--walked", type=positive, default=2_000, metavar="N", help="lines walked through (2,000)")
    parser.add_argument("--language", choices=LANGUAGES, default="python", help="of the long files (python)")
    parser.add_argument("--times", type=positive, default=400, metavar="N", help="keystrokes, and places (400)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    return asyncio.run(_measured(model_file(options), options))


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title_justify="left")
    for column in ("", "p50", "p95"):
        table.add_column(column, justify="right" if column else "left")
    for name, label in (("keystroke_ms", "a keystroke, ms"), ("cursor_ms", "another place, ms")):
        table.add_row(label, *(f"{result[name][part]:.1f}" for part in ("p50", "p95")))
    console.print(table)
    index, walked = result["index"], result["walk"]
    console.print(
        f"The index takes {index['files_per_s']:,.0f} files a second and {index['peak_mb']:.0f} MB, and can be asked "
        f"{index['restart_s']:.2f} s after a restart. "
        f"Of {walked['blocks']} blocks of a walk, {walked['decoded_twice']} were decoded more than once."
    )


async def _measured(model: Path, options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        base = Path(folder).resolve()
        root, cache = base / "work", base / "cache"
        root.mkdir()
        many_files(root, options.files)
        long = long_file(root, options.lines, options.language)
        walked = long_file(root, options.walked, options.language, "walked")
        with indexed(root, cache) as (index, building):
            window = WindowWithoutEditor(root, cache, index)
            try:
                typed = await keystrokes(window, long, options.times, LANGUAGES[options.language].typed)
                asked = await places(window, [long, walked, *_some(root)], options.times)
                blocks = await _walked(window, walked, model)
            finally:
                window.chooser.close()
        with indexed(root, cache) as (_, again):
            restart_s = again.usable_s
    return _result(typed, asked, building, restart_s, blocks)


def _some(root: Path) -> list[Path]:
    """Files of the workspace, of each language."""
    return sorted(path for path in root.glob("area*/*") if path.is_file())[:FOLDERS_ASKED]


async def _walked(window: WindowWithoutEditor, path: Path, model: Path) -> Walked:
    settings = Settings(model=ModelSettings(path=str(model)))
    supervisor = Supervisor(Target(model, settings.engine))
    workspace = f"bench-context-{os.getpid()}"
    supervisor.start()
    try:
        engine = await supervisor.ready(START_S)
        info = await engine.model()
        window.chooser.fits(info.n_ctx)
        walked = await walk(window, path, engine, Requests(workspace, settings))
        await engine.close_workspace(workspace)
    finally:
        await supervisor.aclose()
    return walked


def _result(
    typed: Sequence[float], asked: Sequence[float], building: Building, restart_s: float, walked: Walked
) -> dict[str, Any]:
    return {
        "keystroke_ms": _percentiles(typed),
        "cursor_ms": _percentiles(asked),
        "index": {
            "files_per_s": round(building.files / max(building.seconds, 1e-9), 1),
            "peak_mb": round(building.peak_mb, 1),
            "restart_s": round(restart_s, 2),
        },
        "walk": {"blocks": len(walked.decoded), "decoded_twice": len(walked.decoded_twice)},
    }


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {"p50": percentile(values, 0.5, 2), "p95": percentile(values, 0.95, 2)}
