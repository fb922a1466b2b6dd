"""Neighbouring elements that may be swapped: arguments, operands, parts of a tuple.

In: a parse and lines.  Out: `Pair`s, in bytes.
"""

from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed


@dataclass(frozen=True, slots=True)
class Pair:
    """`head` is what is called, or the operator; `elements` are (start, end, text)."""

    head: str
    start: int
    end: int
    line: int
    elements: tuple[tuple[int, int, str], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(text for _, _, text in self.elements)


def pairs(parsed: Parsed, start_line: int | None = None, end_line: int = 0) -> list[Pair]:
    """The pairs with at least two elements that touch the lines `start..end`, or all of them; in document order."""
    found = []
    for captures in parsed.matches("pairs", start_line, end_line):
        pair = captures["pair"][0]
        if "elements" in captures:
            holder = captures["elements"][0]
            elements = [child for child in holder.named_children if "comment" not in child.type]
        else:
            elements = [captures["first"][0], captures["second"][0]]
        if len(elements) < 2 or pair.has_error:
            continue
        parts = tuple((e.start_byte, e.end_byte, parsed.text_of(e)) for e in elements)
        found.append(Pair(_head(parsed, pair, elements), pair.start_byte, pair.end_byte, pair.start_point.row, parts))
    return sorted(found, key=lambda pair: (pair.start, -pair.end))


def _head(parsed: Parsed, pair: Node, elements: list[Node]) -> str:
    """What the elements belong to, without the elements: `f` for a call, `-` for a difference, the kind of a tuple."""
    data = parsed.snapshot.utf8
    before = data[pair.start_byte : elements[0].start_byte]
    between = data[elements[0].end_byte : elements[1].start_byte]
    return " ".join([pair.type, *(before + b" " + between).decode("utf-8", "surrogatepass").split()])
