"""What languages of data and prose have in common.

Out: a base class.  Their editing blocks are parts of the whole file, cut between what the section
`pieces` finds; nothing in them is a name that code uses.
"""

from collections.abc import Iterator, Sequence

from tree_sitter import Node, Point, Range

from palimpsest.languages.base import Base
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Embedded


class Data(Base):
    whole_file = True
    import_hint: str | tuple[str, ...] = ()
    omitted_body = ""

    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """Each line that is not blank."""
        return (range(number, number + 1) for number in range(start, end) if lines[number].strip())

    def is_whole(self, line: str) -> bool:
        return True


def embedded(parsed: Parsed, language: str, ranges: Sequence[Range], text: Node) -> Embedded | None:
    """What is embedded where `text` is, with its lines: those that have nothing else.  None if there is no such line,
    and the code shares its only one with what is around it."""
    start, end = text.start_point.row, text.end_point.row
    lines = parsed.snapshot.lines
    if start == end:
        return Embedded(language, tuple(ranges), range(start, end + 1)) if parsed.text_of(text).strip() else None
    before, behind = _code_points(parsed, text.start_point), _code_points(parsed, text.end_point)
    start += not lines[start][before:].strip()
    end += bool(lines[end][:behind].strip())
    return Embedded(language, tuple(ranges), range(start, end)) if start < end else None


def _code_points(parsed: Parsed, point: Point) -> int:
    return parsed.snapshot.at_point(point.row, point.column).column
