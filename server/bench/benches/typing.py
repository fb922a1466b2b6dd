"""`python -m bench typing REPO…`: hunks that commits added, typed letter by letter in their parent's tree.

In: git repositories, a model, a seed.  Out: for each way of typing, by language and for `all`, a row:

    {"hunks", "keys",          how many were typed, and the keys that take it without any help
     "saved",                  of these, the share that nobody had to press
     "shown", "right",         ghosts that were new on screen; of these, the share that is what comes next, to its end
     "wrong",                  characters shown that are not what comes next, for each key that was pressed
     "flicker",                times that a ghost which agreed with what is typed gave way to another one, for each key
     "p50", "p95"}             milliseconds from a key to its answer

and `calibration`: of what was shown with a probability in each tenth, the share that was right.  Untimed, each key's
answer is awaited, and a ghost is taken at once where all of it is what comes next.  With `--timed` there is a key each
120 ms, and what has been right on screen for 240 ms is taken, also lines and words of it alone.  With `--reaction 2` an
untimed ghost is taken after two more keys: what `--timed` saves where each answer comes before the next key.  With
`--peer` a stock llama-server is asked as llama.vim asks, on the same hunks, and once more with the same lines in the
order that the model was trained in, where that is suffix first.  Repositories are only read.  With
`--learn`, how sure a completion of this model is said to be follows what was seen here, on this machine
(`completions/outcomes.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.completing.asking import bar
from bench.completing.completions import START_S
from bench.replaying import peer
from bench.replaying.ours import own_folders
from bench.shared.options import model_file, positive
from bench.typing.hunks import Added, drawn, unpacked
from bench.typing.person import Typed, calibration, summary
from bench.typing.plot import svg
from bench.typing.screen import OurScreen, PeerScreen
from bench.typing.typist import hurriedly, patiently
from palimpsest.calibration import bin_of
from palimpsest.completions.outcomes import place_of
from palimpsest.config.settings import CONFIDENCES
from palimpsest.lsp.client.driver import Driver
from palimpsest.models.families import Family, of_server
from palimpsest.system import folders
from palimpsest.window.statistics import FILE, Statistics

logger = logging.getLogger(__name__)
NAME = "typing"
HELP = "hunks of commits typed letter by letter: keys saved, ghosts right, wrong characters shown"
PEER = "llama-server"
SUFFIX_FIRST = "llama-server, suffix first"
"""Beside llama.vim's own requests, where the model was trained in that order, which `/infill` cannot be told."""
LONG_MS = 600_000


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repos", type=Path, nargs="+", metavar="REPO", help="git repositories, with their history")
    parser.add_argument("--n", type=positive, default=12, metavar="N", help="hunks of each repository (12)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of commits (0)")
    parser.add_argument("--until", metavar="COMMIT", default="HEAD", help="the newest of them (HEAD)")
    parser.add_argument(
        "--confidence", choices=CONFIDENCES, nargs="+", default=["balanced"], help="`completion.confidence` (balanced)"
    )
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--timed", action="store_true", help="a key each 120 ms, instead of waiting for each answer")
    pace.add_argument(
        "--reaction",
        type=partial(positive, least=0),
        default=0,
        metavar="KEYS",
        help="untimed: keys typed before a ghost is taken (0)",
    )
    parser.add_argument("--peer", action="store_true", help="llama.vim on a stock llama-server as well")
    parser.add_argument(
        "--learn", action="store_true", help="write to this machine's statistics how often what was shown came true"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="an SVG of keys saved against wrong characters")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    hunks = [one for repo in options.repos for one in drawn(repo.resolve(), options.n, options.seed, options.until)]
    model, ways, name = model_file(options), dict[str, list[Typed]](), ""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for confidence in options.confidence:
            advance = bar(progress, confidence, len(hunks))
            settings = _settings(model, confidence, timed=options.timed)
            typist = hurriedly if options.timed else partial(patiently, reaction=options.reaction)
            name, ways[confidence] = asyncio.run(_typed(hunks, settings, advance, typist))
        ours = list(ways.values())
        if options.peer:
            family = of_server(model.name)
            for way, asked in {PEER: None, SUFFIX_FIRST: family}.items():
                if way == PEER or (family is not None and family.layout == "spm"):
                    advance = bar(progress, way, len(hunks))
                    with peer.started(model, {}) as url:
                        ways[way] = [asyncio.run(_typed_in_vim(url, asked, one, advance)) for one in hunks]
    result = {
        "model": name,
        "repos": [repo.resolve().name for repo in options.repos],
        "seed": options.seed,
        "timed": options.timed,
        "reaction": options.reaction,
        "ways": {way: {"languages": _rows(found), "calibration": calibration(found)} for way, found in ways.items()},
        "hunks": [
            {"commit": one.commit, "file": one.file, **{way: _kept(found[i]) for way, found in ways.items()}}
            for i, one in enumerate(hunks)
        ],
    }
    if options.learn:
        _learn(name, [one for typed in ours for one in typed])
    if options.picture:
        options.picture.write_text(svg(result), encoding="utf-8")
    return result


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title=f"{result['model']}: typed in {', '.join(result['repos'])}", title_justify="left")
    for column in ("", "", "hunks", "keys saved", "ghosts", "right", "wrong a key", "flicker", "ms", "p95"):
        table.add_column(column, justify="right" if len(table.columns) > 1 else "left")
    for way, found in result["ways"].items():
        for language, row in found["languages"].items():
            shares = (f"{row[key]:.3f}" for key in ("right", "wrong", "flicker"))
            times = (f"{row[key]:.0f}" for key in ("p50", "p95"))
            table.add_row(way, language, str(row["hunks"]), f"{row['saved']:.3f}", str(row["shown"]), *shares, *times)
    console.print(table)
    for way, found in result["ways"].items():
        if found["calibration"]:
            bins = (f"{row['said']:.2f} → {row['right']:.2f} ({row['n']:.0f})" for row in found["calibration"])
            console.print(f"{way}: said and right: {', '.join(bins)}")


def _learn(model: str, typed: Sequence[Typed]) -> None:
    counts = dict[str, tuple[float, float]]()
    for bin, right in ((bin_of(sure), right) for one in typed for *_, sure, right in one.ghosts if sure is not None):
        n, n_right = counts.get(bin, (0.0, 0.0))
        counts[bin] = n + 1, n_right + right
    statistics = Statistics(folders.state() / FILE)
    statistics.learn(place_of(model), counts)
    statistics.close()


def _rows(typed: Sequence[Typed]) -> dict[str, dict[str, float]]:
    languages = sorted({one.language for one in typed})
    rows = {language: summary([one for one in typed if one.language == language]) for language in languages}
    return {**rows, "all": summary(typed)}


def _kept(typed: Typed) -> dict[str, Any]:
    found = asdict(typed)
    return {key: found[key] for key in ("plain", "pressed", "shown", "right", "wrong", "changed", "ghosts")}


def _settings(model: Path, confidence: str, *, timed: bool) -> dict[str, Any]:
    """The product's own; untimed, without limits of time, so that a busy machine changes nothing."""
    completion: dict[str, Any] = {"confidence": confidence, "enabled": True, "calibrate": False}
    if not timed:
        completion |= {"time_ms": LONG_MS, "first_ms": LONG_MS, "sync_ms": 0, "ahead": False, "review": "asked"}
    return {"model": {"path": str(model)}, "engine": {"idle_exit_s": 10}, "completion": completion}


async def _typed(
    hunks: Sequence[Added],
    settings: dict[str, Any],
    advance: Callable[[], None],
    typist: Callable[[OurScreen, str, str], Awaitable[Typed]],
) -> tuple[str, list[Typed]]:
    """One engine for all, a window for each."""
    name, found = "", list[Typed]()
    with tempfile.TemporaryDirectory(prefix="pal-") as place:
        variables = own_folders(Path(place).resolve())
        for one in hunks:
            with tempfile.TemporaryDirectory(prefix="pal-") as folder:
                root = Path(folder).resolve() / one.repo.name
                root.mkdir()
                unpacked(one, root)
                driver = Driver()
                await driver.start(root, settings, variables)
                try:
                    await driver.ready(START_S)
                    info = await driver.command("palimpsest.model.info")
                    if not info["fim"]["layout"]:
                        logger.warning("%s has no tokens for filling in the middle: only names come.", info["name"])
                    name = info["name"]
                    screen = await OurScreen.opened(driver, root / one.file, one.before, one.after)
                    found.append(await typist(screen, one.text, one.language))
                except JsonRpcInvalidParams as error:  # what holds a secret is shown to no model
                    logger.warning("%s is not typed: %s", one.file, error)
                    found.append(Typed(one.language))
                finally:
                    await driver.stop()
            advance()
    return name, found


async def _typed_in_vim(url: str, family: Family | None, one: Added, advance: Callable[[], None]) -> Typed:
    screen = PeerScreen.opened(url, family, one.file, one.before, one.after)
    typed = await patiently(screen, one.text, one.language)
    advance()
    return typed
