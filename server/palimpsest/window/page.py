"""Pure: a page of text some pieces of which are of a kind, by which an editor colours them.

In: rows of pieces.  Out: lines, and where which kind is in them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palimpsest.visible import visible

Chunk = tuple[str, str]
"""A text and its kind, which is "" for plain text."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Columns of a line."""

    line: int
    start: int
    end: int
    kind: str


@dataclass(slots=True)
class Page:
    """`links`: the blocks that lines are about."""

    title: str
    lines: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    links: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def row(self, *chunks: str | Chunk) -> None:
        line = ""
        for chunk in chunks:
            text, kind = (chunk, "") if isinstance(chunk, str) else chunk
            start, line = len(line), line + visible(" ".join(text.splitlines()))
            if kind and len(line) > start:
                self.marks.append(Mark(len(self.lines), start, len(line), kind))
        self.lines.append(line)

    def bar(
        self, name: str, used: float, most: float, text: str, kind: str, rest: str = "free", *, widths: tuple[int, int]
    ) -> None:
        """A row with a bar of two kinds; `widths` of the name and of the bar."""
        whole = bar(used, most, widths[1])
        n = whole.count("█")
        self.row(name.ljust(widths[0]), (whole[:n], kind), (whole[n:], rest), (f" {text}", "dim"))


def bar(used: float, most: float, width: int) -> str:
    """Full where it is over its budget."""
    n = round(width * min(1.0, max(0.0, used / most))) if most else 0
    return "█" * n + "░" * (width - n)
