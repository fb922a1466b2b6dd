"""Here documents: text that begins on the line after its mark and ends with a line of its own.

In: lines, the pattern of a mark.  Out: the lines of each text, statements that include theirs.  Shared by the languages
that have them.
"""

import re
from collections.abc import Callable, Iterator, Sequence

_LONGEST = 400
"""Maximum number of lines; a longer text has an end that is never written."""

Statements = Callable[[Sequence[str], int, int], Iterator[range]]


def bodies(lines: Sequence[str], start: int, end: int, mark: re.Pattern[str]) -> list[range]:
    """The lines of each here document that begins in `start..end`, its last line included.  The group `word` of a mark
    is what ends the text."""
    found, number = list[range](), start
    while number < end:
        number += 1
        for match in mark.finditer(lines[number - 1]):
            last = range(number, min(end, number + _LONGEST))
            stop = next((n for n in last if lines[n].strip().rstrip(";,)") == match["word"]), None)
            if stop is not None:
                found.append(range(number, stop + 1))
                number = stop + 1
    return found


def statements(lines: Sequence[str], start: int, end: int, mark: re.Pattern[str], plain: Statements) -> Iterator[range]:
    """The statements that `plain` finds, where a here document belongs to the statement before it."""
    texts = bodies(lines, start, end, mark)
    if not texts:
        yield from plain(lines, start, end)
        return
    blanked = list(lines)
    for text in texts:
        blanked[text.start : text.stop] = [""] * len(text)
    pending: range | None = None
    for statement in plain(blanked, start, end):
        if pending is not None:
            yield pending
        stop = max((text.stop for text in texts if statement.start < text.start <= statement.stop), default=0)
        while any(text.start == stop for text in texts):
            stop = next(text.stop for text in texts if text.start == stop)
        pending = range(statement.start, max(statement.stop, stop))
    if pending is not None:
        yield pending
