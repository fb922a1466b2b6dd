"""Keys saved against wrong characters, as an SVG picture: a point for each way, joined as the bound moves.

In: a result of `bench typing`.  Out: SVG text, no font or script from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from bench.completing.plot import COLOURS, SMALL, TEXT

WIDTH, HEIGHT, LEFT, TOP, FOOT = 560, 320, 60, 50, 50
STEPS = 4


def svg(result: Mapping[str, Any]) -> str:
    rows = {way: found["languages"]["all"] for way, found in result["ways"].items()}
    most_wrong = max([0.1, *(row["wrong"] for row in rows.values())]) * 1.15
    most_saved = max([0.1, *(row["saved"] for row in rows.values())]) * 1.15

    def at(row: Mapping[str, float]) -> tuple[float, float]:
        x = LEFT + row["wrong"] / most_wrong * (WIDTH - LEFT - 110)
        return x, HEIGHT - FOOT - max(0.0, row["saved"]) / most_saved * (HEIGHT - TOP - FOOT)

    title = f"{result['model']}: keys saved against wrong characters shown for each key"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="16" y="24" {TEXT} font-weight="bold">{escape(title)}</text>',
    ]
    for step in range(STEPS + 1):
        saved, wrong = most_saved * step / STEPS, most_wrong * step / STEPS
        x, y = at({"saved": saved, "wrong": wrong})
        parts += [
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 110}" y2="{y:.1f}" stroke="#d0d7de"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" {TEXT} text-anchor="end">{saved:.2f}</text>',
            f'<text x="{x:.1f}" y="{HEIGHT - FOOT + 18}" {TEXT} text-anchor="middle">{wrong:.2f}</text>',
        ]
    ours = [at(row) for way, row in rows.items() if not way.startswith("llama-server")]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in sorted(ours))
    parts.append(f'<polyline points="{joined}" fill="none" stroke="{COLOURS["all"]}"/>')
    for way, row in rows.items():
        x, y = at(row)
        colour = COLOURS["other"] if way.startswith("llama-server") else COLOURS["all"]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" {SMALL.replace("8", "11")}>{escape(way)}</text>')
    bottom = f'<text x="{(WIDTH - 50) / 2}" y="{HEIGHT - 12}" {TEXT} text-anchor="middle">wrong characters a key</text>'
    return "\n".join([*parts, bottom, "</svg>\n"])
