"""`python -m bench layouts`: where the text after the cursor goes in the prompt, and what that gives and costs.

In: a GGUF file, a folder of Python source, sample sizes.  Out: for each layout the model has, with token healing and
without, a table or one JSON object:

    {"model", "family", "in_place", "default",         what the model is, and the layout it gets by itself
     "text", "seed", "samples": {"middles", "words", "lines"},
     "layouts": {layout: {"healed": row, "as_is": row}}}
    row = {"loss",                                    nats for each token of what stood at the cursor
           "words",                                   share of words with the cursor inside completed right
           "keystroke": {"agreeing": c, "other": c}}  tokens decoded for a character typed that the answer on screen
    c = {"n", "decoded", "most"}                      began with, or not: how many, the mean, the most

Behind the header stand no blocks: this is about the tail.  The source is this package's own unless `--text` names
another: the embedded model's training read the standard library, and not this.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.shared.held_out import cases, own_source
from bench.shared.options import model_file, positive
from palimpsest.errors import InvalidArgument
from palimpsest.prompt.blocks import FOOTER, HEADER

NAME = "layouts"
HELP = "FIM layouts side by side: loss, words completed, tokens decoded for a keystroke"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", metavar="DIR", default="", help="Python source to complete (this package's own)")
    parser.add_argument("--middles", type=positive, default=60, metavar="N", help="cursors for the loss (60)")
    parser.add_argument("--words", type=positive, default=80, metavar="N", help="cursors inside words (80)")
    parser.add_argument("--lines", type=positive, default=6, metavar="N", help="lines that are typed (6)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of cursors (0)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from bench.measure.layouts import Texts
    from bench.measure.layouts import measure as measured

    folder = Path(options.text) if options.text else own_source()
    if not folder.is_dir():
        raise InvalidArgument("--text", f"{folder} is no folder.")
    found = cases(folder, options.seed, middles=options.middles, words=options.words, lines=options.lines)
    result = measured(model_file(options), Texts(HEADER, FOOTER, found.middles, found.words, found.lines))
    layouts = result.pop("layouts")
    samples = {"middles": len(found.middles), "words": len(found.words), "lines": len(found.lines)}
    text = str(folder) if options.text else "this package's own source"
    return {**result, "text": text, "seed": options.seed, "samples": samples, "layouts": layouts}


def show(result: dict[str, Any], console: Console) -> None:
    samples = result["samples"]
    mode = "edited in place" if result["in_place"] else "whole prompts"
    title = (
        f"{result['model']} ({result['family']}, {mode}), layout by itself: {result['default']}\n"
        f"{samples['middles']} middles, {samples['words']} words, {samples['lines']} lines of {result['text']}"
    )
    table = Table(title=title, title_justify="left")
    for column in ("layout", "healing", "loss", "words right", "decoded, agreeing", "decoded, not", "most"):
        table.add_column(column, justify="left" if column in ("layout", "healing") else "right")
    for layout, rows in result["layouts"].items():
        for name, row in rows.items():
            agreeing, other = row["keystroke"]["agreeing"], row["keystroke"]["other"]
            table.add_row(
                layout,
                "on" if name == "healed" else "off",
                f"{row['loss']:.3f}",
                f"{row['words']:.2f}",
                f"{agreeing['decoded']:.1f} ({agreeing['n']})",
                f"{other['decoded']:.1f} ({other['n']})",
                str(max(agreeing["most"], other["most"])),
            )
    console.print(table)
