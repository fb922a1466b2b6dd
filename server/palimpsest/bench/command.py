"""`palimpsest bench NAME`: measurements, each with `--json`.

In: arguments.  Out: a table, or one JSON object.  Measures what is there; judges nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from palimpsest.errors import PalimpsestError
from palimpsest.models.files import model_path
from palimpsest.settings import ModelSettings


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("palimpsest bench", description=__doc__.partition("\n")[0])
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    equivalence = names.add_parser(
        "equivalence", help="what editing the cache in place changes in the next token's logits, against a fresh build"
    )
    equivalence.add_argument("--operations", type=int, default=500, metavar="N", help="random block operations (500)")
    equivalence.add_argument("--seed", type=int, default=0, help="of the operations (0)")
    equivalence.add_argument("--model", metavar="PATH", default="", help="a GGUF file instead of the default one")
    equivalence.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    if options.operations < 1:
        parser.error(f"--operations wants 1 or more, got {options.operations}")
    try:
        return _equivalence(options)
    except ImportError as error:
        hint = "`palimpsest doctor` says how to get one."
        print(f"palimpsest bench: no engine here ({error.name} is not installed).  {hint}", file=sys.stderr)
    except PalimpsestError as error:
        print(f"palimpsest bench: {error}", file=sys.stderr)
    return 1


def _equivalence(options: argparse.Namespace) -> int:
    from palimpsest.kv.measure.measure import measure

    path = Path(options.model) if options.model else model_path(ModelSettings())
    result = measure(path, operations=options.operations, seed=options.seed)
    if options.json:
        print(json.dumps(result))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{result['model']}: next-token logits, edited cache against a fresh one", title_justify="left")
    for column in ("weights", "K and V", "flash attention", "largest difference", "for scale: another text in a block"):
        table.add_column(column)
    for row in [result, *result["others"]]:
        flash = "on" if row["flash_attention"] else "off"
        table.add_row(
            row["weights"], row["kv_type"], flash, f"{row['max_logit_difference']:.6f}", f"{row['scale']:.2f}"
        )
    Console().print(table)
    return 0
