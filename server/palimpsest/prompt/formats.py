"""What a model is told of an edit format (`edits/formats/` has one in each file); all examples make the same edit.

The word "diff" is used for the format udiff alone: it leads small models to write unified hunks (docs/formats.md).
"""

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
    """`rules`: what to write; `answer`: the content of a suggestion that changes the example.  `numbered`: the model
    sees the editing block's lines with their numbers (`L<n>`)."""

    rules: str
    answer: str
    numbered: bool = False

    @property
    def shown(self) -> str:
        """How code is shown."""
        return _NUMBERED if self.numbered else _PLAIN

    @property
    def example(self) -> str:
        lines = _EXAMPLE.split("\n")
        return "\n".join(f"L{n} {line}" for n, line in enumerate(lines, 1)) if self.numbered else _EXAMPLE
