"""Pure: finds a line similar to the edited one, to ask a model about it if syntax trees show nothing.

In: a document before and after an edit.  Out: a line and what to ask.  Does not know about models.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from palimpsest.next_edits.detect import Window, window
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scope_at

ALIKE = 0.8
"""Minimum similarity of two lines' words; below it they share little more than a language."""
MOST_ROWS = 2_000
"""This many lines on both sides of the edit are compared, the nearest."""
SHORTEST = 12
"""Minimum number of characters in a line that can be recognised."""


@dataclass(frozen=True, slots=True)
class RelatedLine:
    """`line` (0-based) is similar to the edited line before the edit; `instruction` says what the edit did."""

    line: int
    instruction: str


def related(before: Parsed, after: Parsed) -> RelatedLine | None:
    """The nearest line in another definition that is similar to the only edited line; None if there is none."""
    lines = window(before, after)
    if lines is None or len(lines[0]) != 1 or len(lines[1]) != 1:
        return None
    old, new = before.snapshot.lines[lines[0].start].strip(), after.snapshot.lines[lines[1].start].strip()
    if len(old) < SHORTEST or not new:
        return None
    place = _nearest(after, old, new, lines)
    if place is None:
        return None
    return RelatedLine(place, same_change(old, new))


def same_change(old: str, new: str) -> str:
    """What a model is asked to do where a similar line became another one."""
    return f"In another place `{old}` became `{new}`. Make the same change here."


def _nearest(after: Parsed, old: str, new: str, lines: Window) -> int | None:
    at = lines[1].start
    here = scope_at(after, at, 0)
    texts = after.snapshot.lines
    alike = dict[str, bool]()
    near = sorted((row for row in range(len(texts)) if row != at), key=lambda row: abs(row - at))
    for row in near[:MOST_ROWS]:
        text = texts[row].strip()
        if text not in alike:
            alike[text] = text != new and _is_alike(old, text)
        if not alike[text]:
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
