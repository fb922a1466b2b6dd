"""Pure: the statistics as a page of text, in columns that no editor wraps.

In: what `Statistics.report` tells.  Out: text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HEAD = ("shown", "accepted", "a line", "a word", "rejected", "characters")
"""A word of one completion can be accepted and then the rest: parts are counted each by itself, and not added up."""
NAME_WIDTH = 12
PARTLY = "The file with the rest is in use or cannot be read: only what this window counted lately is here."


def page(report: Mapping[str, Any]) -> str:
    lines = [f"Palimpsest: statistics since {report['since']}" if report["since"] else "Palimpsest: statistics", ""]
    off = "Nothing is counted: the setting palimpsest.statistics.enabled is off."
    lines += ["Counted on this machine, and sent nowhere." if report["enabled"] else off, ""]
    if not report["complete"]:
        lines[-1:] = [PARTLY, ""]
    if not report["since"]:
        return "\n".join([*lines, "Nothing was shown yet.", ""])
    lines += _table(("", *HEAD), [_row("all", report)])
    for title in ("kind", "language", "day"):
        sums = report[f"by_{title}"]
        lines += ["", *_table((title, *HEAD), [_row(name, sums[name]) for name in sums])]
    waited = [(kind, str(it["n"]), f"{it['p50']} ms", f"{it['p95']} ms") for kind, it in report["latency"].items()]
    if waited:
        lines += ["", *_table(("waited for", "times", "half within", "19 of 20 within"), waited)]
    sure = [(f"{it['said']:.3f}", f"{it['shown']:.0f}", f"{it['right']:.0f}") for it in report.get("calibration", ())]
    if sure:
        lines += ["", *_table(("completions said to be", "shown", "came true"), sure)]
    return "\n".join([*lines, ""])


def _row(name: str, sums: Mapping[str, Any]) -> tuple[str, ...]:
    parts = (sums["accepted"].get(part, 0) for part in ("all", "line", "word"))
    return (name, *map(str, (sums["shown"], *parts, sums["rejected"], sums["characters"])))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first column to the left, the others to the right."""
    first, *others = (max(map(len, column)) for column in zip(head, *rows, strict=True))
    for name, *cells in (head, *rows):
        numbers = (cell.rjust(width) for cell, width in zip(cells, others, strict=True))
        yield "  ".join([name.ljust(max(NAME_WIDTH, first)), *numbers])
