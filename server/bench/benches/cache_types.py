"""`python -m bench cache-types`: what each type of K and V costs a token, and what it changes.

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

from bench.shared.options import model_file, positive

NAME = "cache-types"
MEASURES = ("largest", "mean", "other")
HELP = "what the types of K and V cost, and what they change in the next token's logits"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--positions", type=positive, default=128, metavar="N", help="tokens of the tail (128)")
    parser.add_argument("--shifts", type=positive, default=20, metavar="N", help="moves of all blocks (20)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from bench.measure.cache_types import measure as measured

    return measured(model_file(options), positions=options.positions, shifts=options.shifts)


def show(result: dict[str, Any], console: Console) -> None:
    console.print(
        f"{result['model']} ({result['weights']} weights): next-token logits at {result['positions']} positions behind "
        f"{result['context_tokens']} tokens, against those with f32"
    )
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for column in ("K, V", "flash", "bytes", *MEASURES, *(f"{name}*" for name in MEASURES)):
        table.add_column(column, no_wrap=True, justify="left" if column in ("K, V", "flash") else "right")
    for row in result["types"]:
        if "error" not in row:
            kind = [f"{row['type_k']}, {row['type_v']}", row["flash_attention"]]
            table.add_row(*kind, f"{row['bytes_per_token']:,}", *_figures(row), *_figures(row["after_shifts"]))
    console.print(table)
    console.print(
        "bytes: of one token.  largest, mean: difference of logits.  other: how often another token comes first.  "
        f"*: after {result['shifts']} moves of all blocks."
    )
    for row in result["types"]:
        if "error" in row:
            console.print(f"{row['type_k']}, {row['type_v']}: {row['error']}", soft_wrap=True)


def _figures(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["–"] * len(MEASURES)
    share = f"{100 * found['top_changed']:.1f}%"
    return [f"{found['max_difference']:.3f}", f"{found['mean_difference']:.4f}", share]
