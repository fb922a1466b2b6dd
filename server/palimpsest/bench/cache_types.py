"""`palimpsest bench cache-types`: what each type of K and V costs a token, and what it changes.

In: a GGUF file, how many positions.  Out: one JSON object's worth, or a table of it:

    {"model", "weights", "context_tokens", "positions", "shifts", "types": [
        {"type_k", "type_v", "flash_attention", "bytes_per_token", "max_difference", "mean_difference", "top_changed",
         "after_shifts": {"max_difference", "mean_difference", "top_changed"} | null}
        | {"type_k", "type_v", "flash_attention", "error"}]}

Differences are of next-token logits from those with f32 for both, `top_changed` is the share of positions where
another token comes first.
"""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.table import Table

from palimpsest.bench.options import model_file, positive

NAME = "cache-types"
HELP = "what the types of K and V cost, and what they change in the next token's logits"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--positions", type=positive, default=200, metavar="N", help="tokens of the tail (200)")
    parser.add_argument("--shifts", type=positive, default=20, metavar="N", help="moves of all blocks (20)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from palimpsest.kv.measure.cache_types import measure as measured

    return measured(model_file(options), positions=options.positions, shifts=options.shifts)


def show(result: dict[str, Any], console: Console) -> None:
    title = f"{result['model']} ({result['weights']} weights): logits at {result['positions']} positions behind "
    table = Table(title=title + f"{result['context_tokens']} tokens, against f32", title_justify="left")
    moved = f"after {result['shifts']} moves"
    for column in ("K", "V", "flash attention", "bytes a token", "largest", "mean", "other token", moved, "", ""):
        table.add_column(column)
    for row in result["types"]:
        kind = [row["type_k"], row["type_v"], row["flash_attention"]]
        if "error" in row:
            table.add_row(*kind, row["error"])
        else:
            table.add_row(*kind, f"{row['bytes_per_token']:,}", *_figures(row), *_figures(row["after_shifts"]))
    console.print(table)


def _figures(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["–"] * 3
    return [f"{found['max_difference']:.3f}", f"{found['mean_difference']:.4f}", f"{100 * found['top_changed']:.1f}%"]
