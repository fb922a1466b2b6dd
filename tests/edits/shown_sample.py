"""Blocks as they are shown."""

from __future__ import annotations

from palimpsest.edits.shown import ShownBlock
from palimpsest.types import ShownLine


def shown_block(
    *texts: str | None, name: str = "editing", editable: bool = True, first: int = 0, version: int = 1
) -> ShownBlock:
    """A block of consecutive document lines from `first` on; None is a line that stands for code left out, of three
    document lines."""
    lines, number, place = list[ShownLine](), 0, first
    for text in texts:
        if text is None:
            lines.append(ShownLine("    ...", None, None))
            place += 3
        else:
            number += 1
            lines.append(ShownLine(text, number, place))
            place += 1
    return ShownBlock(name, editable, "file:///a.py", version, tuple(lines))
