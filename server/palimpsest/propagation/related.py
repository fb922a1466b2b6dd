"""Finds a line like the edited one, for a model to be asked about where trees tell nothing.

In: a document before and after an edit.  Out: a line and what to ask.  Knows no model.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from palimpsest.propagation.detect import Window, window
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scope_at

ALIKE = 0.8
"""Of two lines' words; below, they have little more than a language in common."""
SHORTEST = 12
"""Characters of a line that says enough to be recognised."""


@dataclass(frozen=True, slots=True)
class Related:
    """`line` (0-based) is like the edited line as it was; `instruction` says what was done there."""

    line: int
    instruction: str


def related(before: Parsed, after: Parsed) -> Related | None:
    """The nearest line, in another definition, that is like the one line that was edited; None where there is none."""
    lines = window(before, after)
    if lines is None or len(lines[0]) != 1 or len(lines[1]) != 1:
        return None
    old, new = before.snapshot.lines[lines[0].start].strip(), after.snapshot.lines[lines[1].start].strip()
    if len(old) < SHORTEST or not new:
        return None
    place = _nearest(after, old, new, lines)
    if place is None:
        return None
    return Related(place, f"In another place `{old}` became `{new}`. Make the same change here.")


def _nearest(after: Parsed, old: str, new: str, lines: Window) -> int | None:
    at = lines[1].start
    here = scope_at(after, at, 0)
    texts = after.snapshot.lines
    for row in sorted((row for row in range(len(texts)) if row != at), key=lambda row: abs(row - at)):
        text = texts[row].strip()
        if text == new or not _is_alike(old, text):
            continue
        scope = scope_at(after, row, 0)
        if scope.kind == "function" and scope != here:
            return row
    return None


def _is_alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) * 2 < max(len(one), len(other)):
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
