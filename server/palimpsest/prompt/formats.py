"""The instructions for each edit format, with an example; all examples make the same edit.

Out: text.  The word "diff" is used for the format udiff alone: it leads small models to write unified
hunks (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_NUMBERED = """\
Each of its lines begins with its number and one \
space: "L1 ", "L2 " and so on. In a <context> block the lines count from 1. A line without a number stands for code \
left out and cannot be changed."""
_PLAIN = """\
A line "..." in it may stand for code left out: such a line stays where it is."""
_EXAMPLE = """\
def area(width, height):
    print(width)
    return width + height"""


@dataclass(frozen=True, slots=True)
class FormatText:
    """`shown`: how code is shown; `rules`: what to write; `example`: code; `answer`: the content of a suggestion that
    changes it."""

    shown: str
    rules: str
    example: str
    answer: str


TEXTS: Mapping[str, FormatText] = {
    "ln-diff": FormatText(
        _NUMBERED,
        """\
- Write only the lines that change, each with its number as shown, from small to large.
- "L4 text" makes line 4 read "text". "L4+ text" adds a line after line 4. "L4-" removes line 4.
- Keep every space of the indentation. Numbers always mean the lines as shown, not as they are after your changes.""",
        "\n".join(f"L{n} {line}" for n, line in enumerate(_EXAMPLE.split("\n"), 1)),
        "L2-\nL3     return width * height",
    ),
    "whole": FormatText(
        _PLAIN,
        """\
- Write the whole block again as it shall be, also the lines that stay.
- Keep every space of the indentation, and every line "..." that stands for code left out.""",
        _EXAMPLE,
        "def area(width, height):\n    return width * height",
    ),
    "search-replace": FormatText(
        _PLAIN,
        """\
- Write <<<<<<< SEARCH, lines that are there now, =======, what they become, and >>>>>>> REPLACE.
- Copy the lines to search exactly, with every space of the indentation, and as many as stand nowhere else. Keep them \
few: the lines that change, and one or two around them.
- A suggestion may have several such parts.""",
        _EXAMPLE,
        "<<<<<<< SEARCH\n    print(width)\n    return width + height\n=======\n    return width * height\n"
        ">>>>>>> REPLACE",
    ),
    "udiff": FormatText(
        _PLAIN,
        """\
- Write a unified diff without file names. Begin each hunk with "@@ @@"; no line numbers are needed.
- A line that stays begins with one more space, a line to remove with "-", a line to add with "+".
- Copy the lines that stay and those to remove exactly, and as many as stand nowhere else.""",
        _EXAMPLE,
        "@@ @@\n def area(width, height):\n-    print(width)\n-    return width + height\n+    return width * height",
    ),
    "ast": FormatText(
        _PLAIN,
        """\
- Name a function or class by what is around it: "function area", "class Cart", "function Cart.add".
- <replace node="function Cart.add">, its code as it shall be, </replace> changes one. In the same way \
<insert-before node="…"> and <insert-after node="…"> put code beside it.
- <delete node="function Cart.add"/> removes it; <rename node="function Cart.add" to="append"/> renames it and its \
uses in the block.
- Where code stands in no function or class, <replace node="file"> writes the whole block again.
- Keep every space of the indentation, and every line "..." that stands for code left out.""",
        _EXAMPLE,
        '<replace node="function area">\ndef area(width, height):\n    return width * height\n</replace>',
    ),
}
NUMBERED: frozenset[str] = frozenset(name for name, text in TEXTS.items() if text.shown is _NUMBERED)
"""The formats whose code is shown with line numbers."""
