"""Completions that the code around them admits: what would add a syntax error is mended or left out.

In: a document, a cursor, texts for it.  Out: those that add no error, those that leave the fewest first.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.assist.shared.services import Services
from palimpsest.completion.inline import closed
from palimpsest.languages.embedded import parsed_at
from palimpsest.syntax.indentation import misplaced, unfinished
from palimpsest.syntax.parse import Parsed
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

LARGEST = 100_000
"""Characters of a document: a larger one takes too long to be parsed once more for each text."""


def fitting(services: Services, snapshot: Snapshot, position: Position, texts: Sequence[str]) -> tuple[str, ...]:
    """The order of texts that leave as many errors as each other stays.  A whole line may be what was missing: it is
    left out where it leaves the lines around it at a wrong indent.  So are several lines that leave a bracket open, and
    that the tree likes no better with it closed."""
    before = parsed_at(services.parser.hurried(snapshot), position)
    if before.root is None or not before.language.is_checked or len(snapshot.text) > LARGEST:
        return tuple(texts)
    allowed, found = _faults(before, position, position), list[tuple[int, str]]()
    fills = not snapshot.lines[position.line].strip()

    def judged(text: str) -> tuple[int, str]:
        """How many faults it leaves, and the text; more than are allowed where it is not to be shown."""
        new, edits = snapshot.changed([ContentChange(Range(position, position), text)], snapshot.version)
        end = new.position(snapshot.offset(position) + len(text))
        after = parsed_at(services.parser.imagined(snapshot, new, edits), position)
        if after.root is None:
            return allowed, text
        n = _faults(after, position, end)
        return n + (fills and n == allowed and misplaced(after, *_near(position, end)) > 0), text

    for text in texts:
        best, *other = sorted(map(judged, dict.fromkeys([closed(text, before.language), text])), key=lambda one: one[0])
        untold = bool(other) and other[0][0] == best[0] and "\n" in text
        if best[0] <= allowed and not untold:
            found.append(best)
    return tuple(dict.fromkeys(text for _, text in sorted(found, key=lambda one: one[0])))


def _faults(parsed: Parsed, start: Position, end: Position) -> int:
    """Errors of the tree, and near the lines statements that stand at a wrong indent or are not finished."""
    near = _near(start, end)
    return parsed.n_errors + misplaced(parsed, *near) + unfinished(parsed, *near)


def _near(start: Position, end: Position) -> tuple[int, int]:
    return max(0, start.line - 1), end.line + 2
