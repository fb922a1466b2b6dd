"""Tables of figures in Markdown pages, between marker comments.

    <!-- figures: names -->
    *2026-11-22, commit `02828c0`; 2 cores; embedded model. `python -m bench names FOLDER --n 100`*

    | … |
    <!-- end figures -->

In: a page's text.  Out: its regions, or the page with one of them replaced.  Knows no measurement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_REGION = re.compile(r"<!-- figures: ([\w-]+) -->\n(.*?)<!-- end figures -->", re.DOTALL)


def regions(page: str) -> dict[str, str]:
    """What stands between each pair of markers, by name."""
    return {match[1]: match[2] for match in _REGION.finditer(page)}


def replaced(page: str, name: str, body: str) -> str:
    """The page with a region's content replaced.  Raises KeyError where the page has no such region."""
    if name not in regions(page):
        raise KeyError(name)
    text = f"<!-- figures: {name} -->\n{body.strip()}\n<!-- end figures -->"
    return _REGION.sub(lambda match: text if match[1] == name else match[0], page)


def with_rows(page: str, name: str, rows: Mapping[str, Sequence[str]]) -> str:
    """The page with some rows of a region's table replaced, found by their first cell; the others stay."""
    lines = regions(page)[name].splitlines()
    first = [line.strip("| ").partition(" | ")[0] for line in lines]
    for label, cells in rows.items():
        lines[first.index(label)] = row(label, *cells)
    return replaced(page, name, "\n".join(lines))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([row(*header), "|" + "---|" * len(header), *(row(*cells) for cells in rows)])


def row(*cells: str) -> str:
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"
