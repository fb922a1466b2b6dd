"""Completions that the code around them admits: what would add a syntax error is mended or left out.

In: a document, a cursor, texts for it.  Out: those that add no error, those that leave the fewest first.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.assist.shared.services import Services
from palimpsest.completion.inline import closed
from palimpsest.languages.embedded import parsed_at
from palimpsest.syntax.indentation import misplaced
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.tokens import errors_between
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot


def fitting(services: Services, snapshot: Snapshot, position: Position, texts: Sequence[str]) -> tuple[str, ...]:
    """The order of texts that leave as many errors as each other stays.  A whole line may be what was missing: it is
    left out where it leaves the errors around it as they are."""
    before = parsed_at(services.parser.hurried(snapshot), position)
    if before.root is None or not before.language.is_checked:
        return tuple(texts)
    allowed, found = _faults(before, position, position), list[tuple[int, str]]()
    fills = not snapshot.lines[position.line].strip()
    for text in texts:
        for written in dict.fromkeys([text, closed(text, before.language)]):
            new, edits = snapshot.changed([ContentChange(Range(position, position), written)], snapshot.version)
            end = new.position(snapshot.offset(position) + len(written))
            after = parsed_at(services.parser.imagined(snapshot, new, edits), position)
            n = _faults(after, position, end)
            still = fills and n == allowed and _faults_near(after, position, end)
            if after.root is None or (n <= allowed and not still):
                found.append((n, written))
                break
    return tuple(dict.fromkeys(text for _, text in sorted(found, key=lambda one: one[0])))


def _faults(parsed: Parsed, start: Position, end: Position) -> int:
    """Errors of the tree, and statements near the lines that stand at a wrong indent."""
    return parsed.n_errors + misplaced(parsed, *_near(start, end))


def _faults_near(parsed: Parsed, start: Position, end: Position) -> int:
    return errors_between(parsed, *_near(start, end)) + misplaced(parsed, *_near(start, end))


def _near(start: Position, end: Position) -> tuple[int, int]:
    return max(0, start.line - 1), end.line + 2
