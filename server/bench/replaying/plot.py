"""Tokens decoded over a session, as an SVG picture.

In: lines of cumulative counts.  Out: SVG text, no font or script from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 820, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 48, 46
COLOURS = ("#1f77b4", "#6b7280", "#d9622b", "#e0a458", "#2a9d5c")
LABEL_GAP = 17
TEXT = 'font-family="sans-serif" font-size="13" fill="#24292f"'


def svg(title: str, lines: Mapping[str, Sequence[int]]) -> str:
    """One line per name, of the sums of its values so far."""
    sums = {name: [0, *accumulate(values)] for name, values in lines.items()}
    n = max(len(values) for values in sums.values()) - 1
    top = nice(max(values[-1] for values in sums.values()))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="26" {TEXT} font-weight="bold">{escape(title)}</text>',
    ]
    for i in range(5):
        value = top * i // 4
        y = _y(value, top)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#d0d7de"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" {TEXT} text-anchor="end">{value:,}</text>')
    for share in (0, 0.5, 1):
        x = _x(n * share, n)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 22}" {TEXT} text-anchor="middle">{round(n * share)}</text>')
    parts.append(f'<text x="{_x(n / 2, n):.1f}" y="{HEIGHT - 5}" {TEXT} text-anchor="middle">requests</text>')
    heights = _apart({name: _y(values[-1], top) for name, values in sums.items()})
    for (name, values), colour in zip(sums.items(), COLOURS * len(sums), strict=False):
        points = " ".join(f"{_x(i, n):.1f},{_y(value, top):.1f}" for i, value in enumerate(values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = f"{name} {values[-1]:,}"
        text = TEXT.replace("#24292f", colour)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{heights[name] + 4:.1f}" {text}>{escape(label)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def nice(value: int) -> int:
    """The next number that four equal, round steps lead to."""
    scale = 1
    while 40 * scale < value:
        scale *= 10
    steps = (scale, scale * 3 // 2, scale * 2, scale * 5 // 2, scale * 3, scale * 4, scale * 5, scale * 15 // 2)
    return 4 * next((step for step in steps if 4 * step >= value), 10 * scale)


def _x(i: float, n: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * i / max(1, n)


def _y(value: float, top: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Labels that do not stand on one another."""
    placed: dict[str, float] = {}
    lowest = float("inf")
    for name, y in sorted(heights.items(), key=lambda item: -item[1]):
        lowest = min(y, lowest - LABEL_GAP)
        placed[name] = lowest
    return placed
