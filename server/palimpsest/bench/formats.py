"""`palimpsest bench formats`: real functions damaged in known ways, and what a model's replies in each format mend.

In: folders of source (those of the standard library unless others are named), a model, a seed.  Out: a table or

    {"model", "n", "seed", "told", "sources",          told: the model got instructions, as one with a chat template does
     "formats": {name: row}, "free": {name: row}}      under the format's grammar, and without any
    row = {"well_formed", "applied", "repaired",       shares of replies, as `repairing/asking.py` defines them
           "tokens", "ms",                             generated in a reply, from the request to the answer (means)
           "unchanged", "parses", "cut",               further shares
           "kinds": {kind: {"n", "well_formed", "applied", "repaired"}}}

Greedy replies, one for each function and format; the blocks are those that the product chooses.  The embedded model's
training read the standard library (undamaged and damaged): another workspace tells more of it.
"""

from __future__ import annotations

import argparse
import asyncio
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from palimpsest.bench.options import model_file, positive
from palimpsest.bench.repairing.asking import ask
from palimpsest.bench.repairing.cases import cases
from palimpsest.bench.repairing.rates import row
from palimpsest.errors import InvalidArgument
from palimpsest.settings import Settings, merged
from palimpsest.suggest.formats import FORMATS

NAME = "formats"
HELP = "damaged functions mended in each edit format: well-formed, applied, repaired, tokens, time"

LONG_MS = 600_000
"""What is measured is what a model can do, not what it can do in time."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workspaces", type=Path, nargs="*", metavar="WORKSPACE", help="folders of source (the standard library)"
    )
    parser.add_argument("--n", type=positive, default=24, metavar="N", help="damaged functions (24)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of functions and damage (0)")
    names = ",".join(FORMATS)
    parser.add_argument("--formats", type=_formats, default=list(FORMATS), metavar="A,B", help=f"some of {names}")
    parser.add_argument("--no-grammar", action="store_true", help="replies without a grammar only")
    parser.add_argument("--max-tokens", type=positive, default=400, metavar="N", help="of one reply (400)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    roots = [folder.resolve() for folder in options.workspaces] or [Path(sysconfig.get_path("stdlib"))]
    for folder in roots:
        if not folder.is_dir():
            raise InvalidArgument("WORKSPACE", f"{folder} is no folder.")
    found = cases(roots, options.n, Random(options.seed))
    grammars = (False,) if options.no_grammar else (True, False)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("replies", total=len(found) * len(options.formats) * len(grammars))
        settings = _settings(model_file(options), options.max_tokens)
        advance = lambda: progress.advance(task)  # noqa: E731
        asked = asyncio.run(ask(roots, found, settings, options.formats, grammars, advance))
    bound = {name: row(outcomes) for name, outcomes in asked.bound.items()}
    free = {name: row(outcomes) for name, outcomes in asked.free.items()}
    facts = {
        "model": asked.model,
        "n": len(found),
        "seed": options.seed,
        "max_tokens": options.max_tokens,
        "told": asked.told,
        "sources": [folder.name for folder in roots] if options.workspaces else ["the standard library"],
    }
    return {**facts, "formats": free} if options.no_grammar else {**facts, "formats": bound, "free": free}


def show(result: dict[str, Any], console: Console) -> None:
    told = "told the format" if result["told"] else "not told the format"
    title = f"{result['model']} ({told}): {result['n']} damaged functions of {', '.join(result['sources'])}"
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("format")
    table.add_column("grammar")
    for column in ("well-formed", "applied", "repaired", "parses", "unchanged", "cut", "tokens", "ms"):
        table.add_column(column, justify="right")
    for name in result["formats"]:
        for rows, grammar in _both(result):
            of = rows[name]
            rates = [f"{of[key]:.2f}" for key in ("well_formed", "applied", "repaired", "parses", "unchanged", "cut")]
            table.add_row(name, grammar, *rates, f"{of['tokens']:.0f}", f"{of['ms']:.0f}")
    console.print(table)
    kinds = next(iter(result["formats"].values()))["kinds"]
    damage = Table(title="repaired, by kind of damage", title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    damage.add_column("format")
    for kind, of_kind in kinds.items():
        damage.add_column(f"{kind} ({of_kind['n']})", justify="right")
    for name, of in result["formats"].items():
        damage.add_row(name, *(f"{of_kind['repaired']:.2f}" for of_kind in of["kinds"].values()))
    console.print(damage)


def _both(result: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    if "free" in result:
        return [(result["formats"], "yes"), (result["free"], "no")]
    return [(result["formats"], "no")]


def _settings(model: Path, max_tokens: int) -> Settings:
    given = {"model": {"path": str(model)}, "suggestion": {"max_tokens": max_tokens, "time_ms": LONG_MS}}
    return merged([given])[0]


def _formats(text: str) -> Sequence[str]:
    """An argparse type."""
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in FORMATS]:
        raise argparse.ArgumentTypeError(f"there is no format {unknown[0]!r}, but {', '.join(FORMATS)}")
    return list(dict.fromkeys(names))
