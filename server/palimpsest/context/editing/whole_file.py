"""Where a long editing block of data or prose is cut: between members, rules, sections, statements, elements.

In: a parse, the cursor's line, a budget in characters.  Out: the pieces of the whole file, and the first lines of what
is around the cursor.  Only what is near the cursor is examined, since no more than a budget of it is ever shown.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from palimpsest.syntax.parse import Parsed

_NEAR = 1.5
"""Budgets before and behind the cursor that are examined."""
_LONG = 1 / 3
"""Share of the budget up to which a part is shown or cut as a whole."""
_MOST_AROUND = 4
"""At most this many of the parts around the cursor are shown, the innermost ones."""


def pieces(parsed: Parsed, cursor: int, budget: int) -> Iterator[tuple[int, ...]]:
    """All lines of the file, or of the part of it in this language, in groups that are shown or cut together."""
    every = parsed.lines
    near = _near(parsed, cursor, int(_NEAR * budget))
    marks = {every.start, near.start, near.stop, every.stop}
    marks.update(mark for mark in _marks(parsed, near, int(budget * _LONG)) if mark in near)
    lines, groups = parsed.snapshot.lines, list[range]()
    for start, end in pairwise(sorted(marks)):
        if groups and not any(lines[number].strip() for number in range(start, end)):
            start = groups.pop().start  # blank lines belong to what is above
        groups.append(range(start, end))
    yield from map(tuple, groups)


def around(parsed: Parsed, cursor: int) -> list[int]:
    """The first line of each part around the cursor's line, outermost first."""
    parts = (part for part in _parts(parsed, range(cursor, cursor + 1)) if part.start < cursor < part.stop)
    return sorted({part.start for part in parts})[-_MOST_AROUND:]


def _near(parsed: Parsed, cursor: int, most: int) -> range:
    lines = parsed.snapshot.lines
    start, end, room = cursor, cursor + 1, most
    while start > parsed.lines.start and room > 0:
        start -= 1
        room -= len(lines[start]) + 1
    room = most
    while end < parsed.lines.stop and room > 0:
        room -= len(lines[end]) + 1
        end += 1
    return range(start, end)


def _marks(parsed: Parsed, near: range, most: int) -> Iterator[int]:
    """The lines where a piece begins: a part, and those in it if it is longer than so many characters."""
    lines = parsed.snapshot.lines
    opened = [(range(len(lines)), True)]
    for part in _parts(parsed, near):
        while not (opened[-1][0].start <= part.start and part.stop <= opened[-1][0].stop):
            opened.pop()
        if opened[-1][1]:
            yield from (part.start, part.stop)
            opened.append((part, _is_long(lines, part, near, most)))


def _is_long(lines: Sequence[str], part: range, near: range, most: int) -> bool:
    if part.start < near.start or part.stop > near.stop:
        return True
    return sum(map(len, lines[part.start : part.stop])) + len(part) > most


def _parts(parsed: Parsed, lines: range) -> list[range]:
    """The lines of the parts that touch some lines, outer ones before their inner ones."""
    nodes = parsed.captures("pieces", lines.start, lines.stop).get("piece", ())
    ends = ((node.start_point.row, node.end_point.row + (node.end_point.column > 0)) for node in nodes)
    return [range(start, end) for start, end in sorted(set(ends), key=lambda part: (part[0], -part[1])) if start < end]
