"""Pure: the cache as a page: a grid each cell of which stands for some positions, sums, and every span.

In: what `palimpsest.cache.map` answers, and the last request for text.  Out: a page.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Any

from palimpsest.text.amounts import amount
from palimpsest.window.page import Chunk, Page

HEIGHT = 8
WIDTHS = (9, 24)
OWN = {"header": "header", "footer": "header", "tail": "editing"}
"""Spans that no block has, by their state."""
LABELS = {"editing": "the code at the cursor"}
AGAIN = {
    "tails": "of the code at the cursor and conversations: blocks before them changed, or the cursor was elsewhere",
    "blocks": "of blocks: they had made way for others, or stand behind a line of theirs that changed",
    "headers": "of the header: each new block is decoded behind a copy of it",
}
"""Why tokens are decoded that the model was shown before."""


def page(cache: Mapping[str, Any], last: Mapping[str, float], width: int) -> Page:
    made = Page("Cache")
    cells = grid(cache["spans"], cache["n_ctx"], width * HEIGHT)
    for at in range(0, len(cells), width):
        made.row(*_runs(cells[at : at + width]))
    made.row()
    for row in _legend(cache["spans"], width):
        made.row(*row)
    made.row()
    _sums(made, cache, last)
    made.row()
    for span in cache["spans"]:
        where = f"{span['start']:>6}–{span['end']:<6} "
        made.row((where, "dim"), (f"{kind_of(span):<14}", kind_of(span)), f" {span['name']}")
    return made


def kind_of(span: Mapping[str, Any]) -> str:
    return OWN.get(span["state"]) or span["type"] or "other"


def grid(spans: Sequence[Mapping[str, Any]], n_ctx: int, n_cells: int) -> list[str]:
    """What each cell mostly shows: a kind, or "" where it is free."""
    kinds, most, each = [""] * n_cells, [0.0] * n_cells, max(1, n_ctx) / n_cells
    for span in spans:
        for cell in range(int(span["start"] / each), min(n_cells, ceil(span["end"] / each))):
            share = min(span["end"], (cell + 1) * each) - max(span["start"], cell * each)
            if share > most[cell]:
                most[cell], kinds[cell] = share, kind_of(span)
    return kinds


def _runs(cells: Sequence[str]) -> Iterator[Chunk]:
    for kind, run in groupby(cells):
        length = len(list(run))
        yield ("█" * length, kind) if kind else ("·" * length, "free")


def _legend(spans: Sequence[Mapping[str, Any]], width: int) -> Iterator[list[str | Chunk]]:
    """Rows that are no longer than the map is wide."""
    row, length = list[str | Chunk](), 0
    labels = {kind: LABELS.get(kind, kind) for kind in map(kind_of, spans)}
    for sign, kind, label in (*(("█ ", kind, label) for kind, label in labels.items()), ("· ", "free", "free")):
        if row and length + len(sign) + len(label) > width:
            yield row
            row, length = [], 0
        row += [(sign, kind), f"{label}  "]
        length += len(sign) + len(label) + 2
    yield row


def _sums(made: Page, cache: Mapping[str, Any], last: Mapping[str, float]) -> None:
    stats, holes, stored = cache["stats"], cache["free"], cache["stored"]
    free = f"{sum(end - start for start, end in holes)} free in {amount(len(holes), 'hole')}"
    used, most = cache["used"], cache["n_ctx"]
    made.bar("used", used, most, f"{used} of {most} positions, {free}", "used", widths=WIDTHS)
    reused, decoded = stats["reused"], stats["decoded"]
    made.bar("reused", reused, reused + decoded, f"{reused} reused, {decoded} decoded", "ready", widths=WIDTHS)
    reused, decoded = last["reused"], last["decoded"]
    if reused + decoded:
        text = f"{reused} reused, {decoded} decoded, {last['ms']:.0f} ms"
        made.bar("last", reused, reused + decoded, text, "ready", widths=WIDTHS)
    again, decoded = cache["again"], cache["engine"].get("decoded", 0)
    if n_again := sum(again.values()):
        made.bar("again", n_again, decoded, f"{n_again} of {decoded} decoded twice", "busy", widths=WIDTHS)
    for part, why in AGAIN.items():
        if again[part]:
            made.row((f"          {again[part]} {why}", "dim"))
    stored_text = f"{amount(stored['blocks'], 'block')}, {stored['bytes'] / 2**20:.1f} MiB in host memory"
    made.row((f"stored    {stored_text}", "stored"))
    made.row((f"restored {stats['restored']}, moved {stats['moved']}, evicted {stats['evicted']}", "dim"))
