"""`python -m bench equivalence`: an edited cache against a fresh one, in the next token's logits.

In: a GGUF file, how many operations.  Out: one JSON object's worth, or a table of it.
"""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.shared.options import model_file, positive

NAME = "equivalence"
HELP = "what editing the cache in place changes in the next token's logits, against a fresh build"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--operations", type=positive, default=500, metavar="N", help="random block operations (500)")
    parser.add_argument("--seed", type=int, default=0, help="of the operations (0)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from bench.measure.measure import measure as measured

    return measured(model_file(options), operations=options.operations, seed=options.seed)


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title=f"{result['model']}: next-token logits, edited cache against a fresh one", title_justify="left")
    for column in ("weights", "K and V", "flash attention", "largest difference", "for scale: another text in a block"):
        table.add_column(column)
    for row in [result, *result["others"]]:
        flash = "on" if row["flash_attention"] else "off"
        scale = "–" if row["scale"] is None else f"{row['scale']:.2f}"
        table.add_row(row["weights"], row["kv_type"], flash, f"{row['max_logit_difference']:.6f}", scale)
    console.print(table)
