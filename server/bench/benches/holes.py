"""`python -m bench holes FOLDER…`: holes in the files of folders, in any language, completed by the real server.

In: folders of source, a model, a seed.  Out: by kind of hole (`completing/places.py`), and for `all` of them, a row:

    {"n", "shown", "exact", "similarity",     how many, how many shown and right; the mean edit similarity of all
     "adds", "leaves",                        of those shown, with how many the file has more syntax errors than with
                                              the hole in it; and than it had
     "ms": {"p50", "p95"}, "tokens"}          milliseconds and generated tokens of one completion

and in `bounds`, for how sure it must be (`completion.confidence`), rows of those that it offered anything for:

    {"least", "shown",                        a bound, and the share that it lets through
     "right", "left"}                         of these, the share that is right; of what is right, the share of these

Of a line the first one that is offered is compared.  Each folder is a workspace; it is only read.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.completing import completions
from bench.completing.asking import Question, ask, bar
from bench.completing.scores import Offered, similarity
from bench.replaying.tally import percentile
from bench.shared.options import model_file, positive
from palimpsest.checking.holes import Hole, holes
from palimpsest.errors import InvalidArgument

NAME = "holes"
BOUNDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
HELP = "holes in the files of folders, in any language: what is shown, is right, and adds a syntax error"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="source files, each folder a workspace")
    parser.add_argument("--n", type=positive, default=10, metavar="N", help="holes of each kind in each folder (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of holes (0)")
    parser.add_argument("--asked", action="store_true", help="as one asks for a completion, not as while typing")
    parser.add_argument("--review", choices=("never", "asked"), default="asked", help="`completion.review` (asked)")
    parser.add_argument("--max-tokens", type=positive, default=64, metavar="N", help="of one completion (64)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    for folder in options.folders:
        if not folder.is_dir():
            raise InvalidArgument("FOLDER", f"{folder} is no folder.")
    settings, random = completions.settings(model_file(options), options.max_tokens), Random(options.seed)
    settings["completion"]["review"] = options.review
    asked = [(folder.resolve(), holes(folder.resolve(), options.n, random)) for folder in options.folders]
    found, answers, name = list[Hole](), list[Offered](), ""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        advance = bar(progress, "completions", sum(len(some) for _, some in asked))
        for root, some in asked:
            questions = [Question(hole.path, hole.prefix, hole.suffix) for hole in some]
            with tempfile.TemporaryDirectory(prefix="pal-") as place:
                own = Path(place).resolve()
                name, told = asyncio.run(ask(root, questions, settings, own, advance, invoked=options.asked))
            found, answers = [*found, *some], [*answers, *told]
    kinds = [*dict.fromkeys(hole.kind for hole in found), "all"]
    pairs = list(zip(found, answers, strict=True))
    return {
        "model": name,
        "folders": [folder.name for folder, _ in asked],
        "languages": sorted({hole.parsed.language.id for hole in found}),
        "seed": options.seed,
        "asked": options.asked,
        "review": options.review,
        "kinds": {kind: _row([pair for pair in pairs if kind in (pair[0].kind, "all")]) for kind in kinds},
        "bounds": _bounds(pairs),
    }


def show(result: dict[str, Any], console: Console) -> None:
    title = f"{result['model']}: holes in {', '.join(result['folders'])} ({', '.join(result['languages'])})"
    table = Table(title=title, title_justify="left")
    for column in ("hole", "n", "shown", "exact", "alike", "adds an error", "leaves one", "tokens", "ms"):
        table.add_column(column, justify="right" if table.columns else "left")
    for kind, row in result["kinds"].items():
        counts = (str(row[name]) for name in ("n", "shown", "exact"))
        rest = (str(row["adds"]), str(row["leaves"]), f"{row['tokens']:.0f}", f"{row['ms']['p50']:.0f}")
        table.add_row(kind, *counts, f"{row['similarity']:.2f}", *rest)
    console.print(table)
    if result["bounds"]:
        console.print(_bounds_table(result["bounds"]))


def _bounds_table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(title="how sure", title_justify="left")
    for column in ("at least", "shown", "right of these", "of what is right"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*(f"{row[name]:.2f}" for name in ("least", "shown", "right", "left")))
    return table


def _bounds(pairs: Sequence[tuple[Hole, Offered]]) -> list[dict[str, float]]:
    """None where nobody knows."""
    known = [
        (answer.confidence, _is_right(hole, answer))
        for hole, answer in pairs
        if answer.text and answer.confidence is not None
    ]
    n_right = sum(right for _, right in known)
    rows = list[dict[str, float]]()
    for least in BOUNDS if n_right else ():
        shown = [right for value, right in known if value >= least]
        if shown:
            right = sum(shown)
            rows.append(
                {"least": least, "shown": len(shown) / len(known), "right": right / len(shown), "left": right / n_right}
            )
    return [{name: round(value, 4) for name, value in row.items()} for row in rows]


def _said(hole: Hole, answer: Offered) -> str:
    return (answer.text.partition("\n")[0] if hole.kind == "line" else answer.text).rstrip()


def _is_right(hole: Hole, answer: Offered) -> bool:
    return _said(hole, answer) == hole.text.rstrip()


def _row(pairs: Sequence[tuple[Hole, Offered]]) -> dict[str, Any]:
    shown = [(hole, hole.n_errors(answer.text, answer.taken)) for hole, answer in pairs if answer.text.strip()]
    ms = [answer.ms for _, answer in pairs]
    return {
        "n": len(pairs),
        "shown": len(shown),
        "exact": sum(_is_right(hole, answer) for hole, answer in pairs),
        "similarity": round(sum(similarity(_said(*pair), pair[0].text.rstrip()) for pair in pairs) / len(pairs), 4),
        "adds": sum(n > hole.n_errors("") for hole, n in shown),
        "leaves": sum(n > 0 for _, n in shown),
        "ms": {"p50": percentile(ms, 0.5, 1), "p95": percentile(ms, 0.95, 1)},
        "tokens": round(sum(answer.generated for _, answer in pairs) / len(pairs), 1),
    }
