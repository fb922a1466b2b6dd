"""`python -m bench recall --repo DIR [--cut]`: names that the code at a cursor uses and blocks show.

In: a folder of code.  Out: `{"places", "languages": {id: {"places", "names", "shown", "recall", "tokens", "unused",
"missed": {kind: n}, "examples"}}, "names", "shown", "recall", "unused"}`.  `gathering/recall.py` says which names
count.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.gathering.indexing import indexed
from bench.gathering.recall import Recall, Recalled
from bench.shared.options import positive
from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.languages.registry import language_of

NAME = "recall"
HELP = "names that the code at a cursor uses, other files define, and blocks show"
NEEDS_MODEL = False
_MOST_EXAMPLES = 20


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", type=Path, required=True, metavar="DIR", help="a folder of code")
    parser.add_argument("--cut", action="store_true", help="with the function's rest taken out: the names in it alone")
    parser.add_argument("--n", type=positive, default=60, metavar="N", help="places (60)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which places (1)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    root = options.repo.resolve()
    with tempfile.TemporaryDirectory(prefix="pal-") as folder, indexed(root, Path(folder)) as (index, _):
        window = WindowWithoutEditor(root, Path(folder), index)
        try:
            files = window.gatherer.files((root,))
            names = index.seen_by(files)
            paths = [path for path in sorted(root.rglob("*")) if _is_code(path) and names.outline(path)]
            recall = Recall(window, files, names)
            found = asyncio.run(recall.measure(paths, options.n, options.seed, cut=options.cut))
        finally:
            window.chooser.close()
    return _result(found)


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title_justify="left")
    for column in ("", "places", "names", "shown", "recall", "unused tokens"):
        table.add_column(column, justify="right" if column else "left")
    for name, row in (*result["languages"].items(), ("all", result)):
        shares = (f"{row['recall']:.0%}", f"{row['unused']:.0%}")
        table.add_row(name, str(row["places"]), str(row["names"]), str(row["shown"]), *shares)
    console.print(table)
    for name, row in result["languages"].items():
        missed = ", ".join(f"{kind} {n}" for kind, n in row["missed"].items())
        console.print(f"{name}, missed: {missed or 'none'}", markup=False)
        for example in row["examples"]:
            console.print(f"  {example}", markup=False)


def _is_code(path: Path) -> bool:
    return language_of("", path.name).grammar is not None and path.is_file() and not path.is_symlink()


def _result(found: dict[str, Recalled]) -> dict[str, Any]:
    languages = {
        name: {
            **_shares([one]),
            "missed": dict(one.missed.most_common()),
            "examples": one.examples[:_MOST_EXAMPLES],
        }
        for name, one in sorted(found.items())
    }
    return {**_shares(list(found.values())), "languages": languages}


def _shares(some: list[Recalled]) -> dict[str, Any]:
    names, shown = sum(one.names for one in some), sum(one.shown for one in some)
    tokens, unused = sum(one.tokens for one in some), sum(one.unused for one in some)
    return {
        "places": sum(one.places for one in some),
        "names": names,
        "shown": shown,
        "recall": round(shown / max(names, 1), 4),
        "tokens": tokens,
        "unused": round(unused / max(tokens, 1), 4),
    }
