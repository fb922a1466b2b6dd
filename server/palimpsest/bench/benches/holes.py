"""`palimpsest bench holes FOLDER…`: holes in the files of folders, in any language, completed by the real server.

In: folders of source, a model, a seed.  Out: by kind of hole (`completing/places.py`), and for `all` of them, a row:

    {"n", "shown", "exact", "similarity",     how many, how many shown and right; the mean edit similarity of all
     "adds", "leaves",                        of those shown, with how many the file has more syntax errors than with
                                              the hole in it; and than it had
     "ms": {"p50", "p95"}, "tokens"}          milliseconds and generated tokens of one completion

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

from palimpsest.bench.completing import completions
from palimpsest.bench.completing.asking import Question, ask, bar
from palimpsest.bench.completing.places import Hole, holes
from palimpsest.bench.completing.scores import Offered, similarity
from palimpsest.bench.replaying.tally import percentile
from palimpsest.bench.shared.options import model_file, positive
from palimpsest.errors import InvalidArgument

NAME = "holes"
HELP = "holes in the files of folders, in any language: what is shown, is right, and adds a syntax error"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="source files, each folder a workspace")
    parser.add_argument("--n", type=positive, default=10, metavar="N", help="holes of each kind in each folder (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of holes (0)")
    parser.add_argument("--asked", action="store_true", help="as one asks for a completion, not as while typing")
    parser.add_argument("--max-tokens", type=positive, default=64, metavar="N", help="of one completion (64)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    for folder in options.folders:
        if not folder.is_dir():
            raise InvalidArgument("FOLDER", f"{folder} is no folder.")
    settings, random = completions.settings(model_file(options), options.max_tokens), Random(options.seed)
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
        "kinds": {kind: _row([pair for pair in pairs if kind in (pair[0].kind, "all")]) for kind in kinds},
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


def _row(pairs: Sequence[tuple[Hole, Offered]]) -> dict[str, Any]:
    said = [answer.text.partition("\n")[0] if hole.kind == "line" else answer.text for hole, answer in pairs]
    wanted = [hole.text.rstrip() for hole, _ in pairs]
    shown = [(hole, hole.n_errors(answer.text, answer.taken)) for hole, answer in pairs if answer.text.strip()]
    ms = [answer.ms for _, answer in pairs]
    both = [(one.rstrip(), text) for one, text in zip(said, wanted, strict=True)]
    return {
        "n": len(pairs),
        "shown": len(shown),
        "exact": sum(one == text for one, text in both),
        "similarity": round(sum(similarity(one, text) for one, text in both) / len(both), 4),
        "adds": sum(n > hole.n_errors("") for hole, n in shown),
        "leaves": sum(n > 0 for _, n in shown),
        "ms": {"p50": percentile(ms, 0.5, 1), "p95": percentile(ms, 0.95, 1)},
        "tokens": round(sum(answer.generated for _, answer in pairs) / len(pairs), 1),
    }
