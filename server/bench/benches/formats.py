"""`python -m bench formats`: real functions damaged in known ways, and what a model's replies in each format mend.

In: folders of source (those of the standard library unless others are named), a model, a seed.  Out: a table or

    {"model", "n", "seed", "told", "sources",          told: the model got instructions, as with a chat template
     "formats": {name: row}, "free": {name: row}}      under the format's grammar, and without any
    row = {"well_formed", "applied", "repaired",       shares of replies, as `repairing/rates.py` defines them
           "tokens", "ms",                             generated in a reply, from the request to the answer (means)
           "unchanged", "parses", "cut",               further shares
           "kinds": {kind: {"n", "well_formed", "applied", "repaired"}}}

Greedy replies, one for each function and format; the blocks are those that the product chooses.  The embedded model's
training read the standard library (undamaged and damaged): another workspace tells more of it.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.repairing.cases import cases
from bench.repairing.rates import row
from bench.repairing.replies import ReplyRun, ask
from bench.shared.options import BATCH, model_file, positive
from bench.shared.source import standard_library
from palimpsest.config.layers import merged
from palimpsest.config.settings import Settings
from palimpsest.edits.formats import FORMATS
from palimpsest.errors import InvalidArgument

NAME = "formats"
HELP = "damaged functions mended in each edit format: well-formed, applied, repaired, tokens, time"

LONG_MS = 600_000
"""What is measured is what a model can do, not what it can do in time."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workspaces", type=Path, nargs="*", metavar="WORKSPACE", help="folders of source (the standard library)"
    )
    parser.add_argument("--n", type=positive, default=12, metavar="N", help="damaged functions (12)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of functions and damage (0)")
    names = ",".join(FORMATS)
    parser.add_argument("--formats", type=_formats, default=list(FORMATS), metavar="A,B", help=f"some of {names}")
    parser.add_argument("--no-grammar", action="store_true", help="replies without a grammar only")
    parser.add_argument("--max-tokens", type=positive, default=400, metavar="N", help="of one reply (400)")
    parser.add_argument("--n-ctx", type=positive, default=0, metavar="N", help="cells of the cache (the server's own)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    folders = [folder.resolve() for folder in options.workspaces]
    for folder in folders:
        if not folder.is_dir():
            raise InvalidArgument("WORKSPACE", f"{folder} is no folder.")
    with tempfile.TemporaryDirectory(prefix="pal-") as place:
        asked, n = _asked(folders or [standard_library(Path(place).resolve())], options)
    bound = {name: row(outcomes) for name, outcomes in asked.bound.items()}
    free = {name: row(outcomes) for name, outcomes in asked.free.items()}
    facts = {
        "model": asked.model,
        "n": n,
        "seed": options.seed,
        "max_tokens": options.max_tokens,
        "told": asked.told,
        "sources": [folder.name for folder in folders] or ["the standard library"],
    }
    return {**facts, "formats": free} if options.no_grammar else {**facts, "formats": bound, "free": free}


def _asked(roots: Sequence[Path], options: argparse.Namespace) -> tuple[ReplyRun, int]:
    """And how many functions there were."""
    found = cases(roots, options.n, Random(options.seed))
    grammars = (False,) if options.no_grammar else (True, False)
    settings = _settings(options)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("replies", total=len(found) * len(options.formats) * len(grammars))
        advance = partial(progress.advance, task)
        return asyncio.run(ask(roots, found, settings, options.formats, grammars, advance)), len(found)


def show(result: dict[str, Any], console: Console) -> None:
    told = "told the format" if result["told"] else "not told the format"
    title = f"{result['model']} ({told}): {result['n']} damaged functions of {', '.join(result['sources'])}"
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("format")
    table.add_column("grammar")
    for column in ("formed", "applied", "repaired", "same", "cut", "tokens", "ms"):
        table.add_column(column, justify="right")
    for name in result["formats"]:
        for rows, grammar in _both(result):
            of = rows[name]
            rates = [f"{of[key]:.2f}" for key in ("well_formed", "applied", "repaired", "unchanged", "cut")]
            table.add_row(name, grammar, *rates, f"{of['tokens']:.0f}", f"{of['ms']:.0f}")
    console.print(table)
    console.print("formed: well-formed; same: it changes nothing; cut: at the token limit; ms: until it is there.")
    table = Table(title="Repaired, by kind of damage", title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("damage")
    for name in result["formats"]:
        table.add_column(name, justify="right")
    kinds = {name: of["kinds"] for name, of in result["formats"].items()}
    for kind, first in next(iter(kinds.values())).items():
        repaired = [f"{of_kind[kind]['repaired']:.2f}" for of_kind in kinds.values()]
        table.add_row(f"{kind} ({first['n']})", *repaired)
    console.print(table)


def _both(result: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    if "free" in result:
        return [(result["formats"], "yes"), (result["free"], "no")]
    return [(result["formats"], "no")]


def _settings(options: argparse.Namespace) -> Settings:
    """The product's own but for its limits; the engine leaves soon behind this run."""
    given = {
        "model": {"path": str(model_file(options))},
        "engine": {"n_ctx": options.n_ctx, "idle_exit_s": 10, "n_batch": BATCH},
        "suggestion": {"max_tokens": options.max_tokens, "time_ms": LONG_MS},
    }
    return merged([given])[0]


def _formats(text: str) -> Sequence[str]:
    """An argparse type."""
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in FORMATS]:
        raise argparse.ArgumentTypeError(f"there is no format {unknown[0]!r}, but {', '.join(FORMATS)}")
    return list(dict.fromkeys(names))
