"""What a model does with its blocks, as an SVG picture: a panel for each measure, a group of bars for each kind.

In: rows as `scores.rows` makes them.  Out: SVG text, no font or script from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

BAR, GAP, BETWEEN = 19, 14, 30
LEFT, TOP, HEAD, HEIGHT, FOOT = 44, 62, 34, 140, 34
COLUMNS = 3
COLOURS = {"all": "#1f77b4", "none": "#b3bac4", "other": "#d9622b"}
LEGEND = {"all": "the blocks chosen for the cursor", "none": "no blocks", "other": "another file's blocks"}
TEXT = 'font-family="sans-serif" font-size="12" fill="#24292f"'
SMALL = TEXT.replace("12", "8")
STEPS = 4

Row = Mapping[str, Any]
MEASURES: Mapping[str, Callable[[Row], float | None]] = {
    "exact match": lambda row: row["exact"],
    "edit similarity": lambda row: row["similarity"],
    "valid syntax": lambda row: row["valid"],
    "names only blocks have": lambda row: row["names"]["rate"],
    "tests passed": lambda row: row.get("passed"),
}


def svg(title: str, kinds: Mapping[str, Mapping[str, Row]]) -> str:
    """`kinds`: by kind of hole and mode a row; a measure that no row has gets no panel."""
    rows = [row for modes in kinds.values() for row in modes.values()]
    panels = [name for name, of in MEASURES.items() if any(of(row) is not None for row in rows)]
    n_modes = max(len(modes) for modes in kinds.values())
    inner = len(kinds) * (BAR * n_modes + GAP) + GAP
    n_columns, n_rows = min(COLUMNS, len(panels)), -(-len(panels) // COLUMNS)
    width = LEFT + n_columns * (inner + BETWEEN)
    height = TOP + n_rows * (HEAD + HEIGHT + FOOT)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="24" {TEXT} font-weight="bold">{escape(title)}</text>',
        *_legend(next(iter(kinds.values()))),
    ]
    for i, name in enumerate(panels):
        down, across = divmod(i, COLUMNS)
        panel = _Panel(LEFT + across * (inner + BETWEEN), TOP + HEAD + down * (HEAD + HEIGHT + FOOT), inner)
        parts += panel.drawn(name, kinds)
    return "\n".join([*parts, "</svg>\n"])


def _legend(modes: Mapping[str, Row]) -> Iterator[str]:
    x = LEFT
    for mode in modes:
        yield f'<rect x="{x}" y="40" width="12" height="12" fill="{COLOURS[mode]}"/>'
        yield f'<text x="{x + 18}" y="50" {TEXT}>{LEGEND[mode]}</text>'
        x += 40 + 7 * len(LEGEND[mode])


@dataclass(frozen=True, slots=True)
class _Panel:
    """Its upper left corner and its width."""

    left: int
    top: int
    width: int

    def drawn(self, name: str, kinds: Mapping[str, Mapping[str, Row]]) -> Iterator[str]:
        left, right = self.left, self.left + self.width
        yield f'<text x="{(left + right) / 2}" y="{self.top - 16}" {TEXT} text-anchor="middle">{escape(name)}</text>'
        for step in range(STEPS + 1):
            y = self.y(step / STEPS)
            yield f'<line x1="{left}" y1="{y}" x2="{right}" y2="{y}" stroke="#d0d7de"/>'
            if left == LEFT:
                yield f'<text x="{left - 6}" y="{y + 4}" {TEXT} text-anchor="end">{step / STEPS:.2g}</text>'
        x = left + GAP
        for kind, modes in kinds.items():
            middle = x + BAR * len(modes) / 2
            yield f'<text x="{middle}" y="{self.y(0) + 17}" {TEXT} text-anchor="middle">{escape(kind)}</text>'
            for mode, row in modes.items():
                yield self.bar(x, MEASURES[name](row), COLOURS[mode])
                x += BAR
            x += GAP

    def bar(self, x: int, value: float | None, colour: str) -> str:
        y, label = self.y(value or 0), "–" if value is None else "1" if value == 1 else f"{value:.2f}".removeprefix("0")
        bar = f'<rect x="{x + 1}" y="{y:.1f}" width="{BAR - 2}" height="{self.y(0) - y:.1f}" fill="{colour}"/>'
        return f'{bar}<text x="{x + BAR / 2}" y="{y - 3:.1f}" {SMALL} text-anchor="middle">{label}</text>'

    def y(self, share: float) -> float:
        return self.top + HEIGHT * (1 - share)
