"""`python -m bench stale FOLDER…`: what it costs to keep the code at the cursor when blocks before it change.

In: folders of source, a model, a seed.  Out: a table or

    {"model", "workspaces", "seed",
     "ways": {way: row},             "exact": all decoded behind the present blocks; the others: the code at the cursor
                                     but for its last tokens decoded behind no block, behind others, the largest of
                                     which is another place's, or for a cursor some lines further down
     "contradictions": {way: row}}   the code was decoded behind blocks in which a name was another one
    row = {"nats", "right", "whole", for each token of what stood at the cursor; the model's first choice; places all
                                     of whose tokens are
           "names",                  nats for each token of names that neither the code before nor behind has
           "decoded", "places"}      tokens decoded of the tail
    row = {"now", "then", "likelier", "n"}   nats of the name that the blocks have and of the one they had

The places are holes of lines and of rests of lines in functions (`completing/holes.py`), the blocks those that the
server chooses there, the engine the real one.  The folders are only read.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.completing.asking import bar
from bench.completing.holes import holes
from bench.measure.stale import Place, Stale
from bench.shared.options import model_file, positive
from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.errors import InvalidArgument
from palimpsest.index.workspace_index import WorkspaceIndex
from palimpsest.prompt.blocks import FOOTER, HEADER, render_context, render_fim
from palimpsest.text.positions import well_formed

NAME = "stale"
HELP = "what a tail costs that was decoded behind other blocks: nats, tokens right, names that contradict"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="folders of source, each a workspace")
    parser.add_argument("--n", type=positive, default=2, metavar="N", help="places of each kind in a folder (2)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of places (0)")
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="of the engine (1)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    stale = Stale(model_file(options), HEADER, FOOTER, options.threads)
    n_workspaces, random = 0, Random(options.seed)
    try:
        with Progress(console=Console(stderr=True), transient=True) as progress:
            advance = bar(progress, NAME, len(options.folders))
            for folder in options.folders:
                places = _places(folder.resolve(), options.n, random)
                for place in places:
                    stale.add(place)
                n_workspaces += bool(places)
                advance()
    finally:
        stale.close()
    return {
        "model": stale.name,
        "workspaces": n_workspaces,
        "seed": options.seed,
        "ways": {way: row.row() for way, row in stale.ways.items()},
        "contradictions": {way: row.row() for way, row in stale.contradictions.items()},
    }


def _places(folder: Path, n: int, random: Random) -> list[Place]:
    """Each with the blocks chosen there, and with a block of another of them."""
    try:
        punched = [hole for hole in holes(folder, n, random) if hole.kind != "body"]
    except InvalidArgument:
        return []
    found = list[Place]()
    with tempfile.TemporaryDirectory(prefix="pal-") as cache:
        window = WindowWithoutEditor(folder, Path(cache), WorkspaceIndex())
        for hole in punched:
            parsed = window.reopen(window.open(hole.function.path), hole.filled(""))
            view = window.view(parsed, hole.start)
            blocks = window.chooser.choose(view, fresh=True)
            prefix, suffix = render_fim(view.editing)
            texts = {str(block.key): well_formed(render_context(block)) for block in blocks}
            found.append(Place(well_formed(prefix), well_formed(suffix), hole.text, texts, ""))
            window.close(parsed)
    largest = [max(place.blocks.values(), key=len) for place in found if place.blocks]
    return [
        replace(place, other=next((text for text in largest if text not in place.blocks.values()), ""))
        for place in found
    ]


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title=f"{result['model']}: {result['workspaces']} workspaces", title_justify="left")
    columns = ("", "nats a token", "tokens right", "places right", "nats, names of blocks", "decoded")
    for column in columns:
        table.add_column(column, justify="right" if column else "left")
    for way, row in result["ways"].items():
        whole = f"{row['whole']} of {row['places']}"
        table.add_row(
            way, f"{row['nats']:.3f}", f"{row['right']:.3f}", whole, f"{row['names']:.3f}", f"{row['decoded']:.0f}"
        )
    console.print(table)
    table = Table(title="A name that was another one in the blocks", title_justify="left")
    for column in ("", "nats, now", "nats, then", "now is likelier"):
        table.add_column(column, justify="right" if column else "left")
    for way, row in result["contradictions"].items():
        table.add_row(way, f"{row['now']:.2f}", f"{row['then']:.2f}", f"{row['likelier']} of {row['n']}")
    console.print(table)
