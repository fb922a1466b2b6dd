"""What both editors' figures have in common: the rows of keystrokes, summed up."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle, islice
from typing import Any

from bench.replaying.tally import percentile

LINES = (
    "if self.discount is not None and total > self.discount.minimum:",
    "for line in self.lines: log.debug(line.item.name, line.quantity)",
    "names = sorted({line.item.name for line in self.lines})",
    "while total < self.subtotal() and not self.is_empty():",
    "average = round(total / max(1, len(self.lines)), 2)",
    "return format_price(total) if total else None",
)
"""Typed behind `total = self.subtotal()` of the sample, one after the other, each on a fresh copy."""
PARTS = ("total", "server", "editor")
Row = Mapping[str, float]
MOST_LINES = 60
Measure = Callable[[int, str], dict[str, Any]]


def typed(enough: int, keystrokes: Callable[[str], Iterable[Row | None]]) -> dict[str, Any]:
    """Types LINES again and again until the engine was asked about `enough` keystrokes; sums up."""
    rows: list[Row] = []
    for line in islice(cycle(LINES), MOST_LINES):
        rows += [row for row in keystrokes(line) if row]
        if sum("server" in row for row in rows) >= enough:
            break
    return summed_up(rows)


def summed_up(rows: Sequence[Row]) -> dict[str, Any]:
    """`total` of each row in milliseconds; `server` where the engine was asked, and `editor` the rest of the total."""
    asked = [row for row in rows if "server" in row]
    shown = [row["total"] for row in rows if "server" not in row]
    return {
        "keystrokes": len(asked),
        "ms": {part: _spread([row[part] for row in asked]) for part in PARTS},
        "shown": len(shown),
        "shown_ms": _spread(shown),
    }


def _spread(values: list[float]) -> dict[str, float]:
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95)} if values else {}


def print_measured(measure: Measure) -> None:
    """As `python -m bench figures` runs a module: one line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keystrokes", type=int, default=100)
    parser.add_argument("--model", default="", help="a GGUF file; the one in use where none is named")
    parser.add_argument("--json", action="store_true", help="what is printed in any case")
    asked = parser.parse_args()
    print(json.dumps(measure(asked.keystrokes, asked.model)))
