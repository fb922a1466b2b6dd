"""The last edits, as small diffs, and the one that may still go on.

In: a document before and after some changes that belong together.  Out: what was removed and added, and the texts
between.  Pure.

An edit that holds what looks like a secret, or a part of one, is not kept: it may be in the lines that were removed,
which the document no longer has.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from palimpsest.context.activity.origins import OriginStep
from palimpsest.text import tokens
from palimpsest.text.snapshot import InputEdit, Snapshot

KEPT = 16
MOST_LINES = 24
"""Lines removed and added; what changes more is no small edit."""
LONGEST_LINE = 400
_AROUND = 1
"""Lines shown before and behind a change."""


@dataclass(frozen=True, slots=True)
class EditTexts:
    """An edit's: the document before it, and behind each of its steps.  `paused` is what it was at the last pause."""

    before: Snapshot
    steps: tuple[OriginStep, ...]
    paused: Snapshot | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """`number` counts a document's edits; `line` is where it is now, and `diff` has its lines with `-`, `+` and a space
    before them."""

    uri: str
    number: int
    line: int
    diff: tuple[str, ...]
    texts: EditTexts


@dataclass(slots=True)
class Edits:
    """Owner of the edits.  `open` has the texts of one that may still go on."""

    open: EditTexts | None = None
    _edits: list[Edit] = field(default_factory=list)
    _counted: dict[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Edit]:
        """The newest first."""
        return reversed(tuple(self._edits))

    def add(self, texts: EditTexts, first: int, last: int) -> None:
        """Changes that are in the lines `first..last` of the last of the texts, both included.  One that takes the
        newest back leaves neither."""
        before, after = texts.before, texts.steps[-1].after
        lines = diff(before, after, first, last)
        if not lines or shows_secret(lines) or is_secret(before, after):
            return
        newest = self._edits[-1] if self._edits else None
        if newest is not None and newest.uri == after.uri and _undone(newest.diff, lines):
            self._edits.pop()
            return
        number = self._counted[after.uri] = self._counted.get(after.uri, 0) + 1
        self._edits = [*self._edits, Edit(after.uri, number, first, lines, texts)][-KEPT:]

    def changed(self, uri: str, edits: Sequence[InputEdit]) -> None:
        """Edits above move the places of those below."""
        for edit in edits:
            shift = edit.new_end_point[0] - edit.old_end_point[0]
            if shift:
                self._edits = [
                    replace(it, line=it.line + shift) if it.uri == uri and it.line >= edit.old_end_point[0] else it
                    for it in self._edits
                ]


def diff(before: Snapshot, after: Snapshot, first: int, last: int) -> tuple[str, ...]:
    """The changes between two versions, of which all are in the lines `first..last` of the later one; empty if there
    are none, or too many for a small edit."""
    grown = after.line_count - before.line_count
    start = max(0, first - _AROUND)
    old = before.lines[start : max(start, last + 1 - grown + _AROUND)]
    new = after.lines[start : last + 1 + _AROUND]
    if max(len(old), len(new)) > 4 * MOST_LINES or any(len(line) > LONGEST_LINE for line in (*old, *new)):
        return ()
    lines, n_changed = list[str](), 0
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        lines += ["..."] if lines else []
        for kind, a, b, c, d in group:
            if kind == "equal":
                lines += [f" {line}" for line in old[a:b]]
                continue
            lines += [*(f"-{line}" for line in old[a:b]), *(f"+{line}" for line in new[c:d])]
            n_changed += b - a + d - c
    return tuple(lines) if 0 < n_changed <= MOST_LINES else ()


def _undone(one: Sequence[str], other: Sequence[str]) -> bool:
    def removed_and_added(lines: Sequence[str]) -> tuple[list[str], list[str]]:
        return [it[1:] for it in lines if it[0] == "-"], [it[1:] for it in lines if it[0] == "+"]

    removed, added = removed_and_added(one)
    return removed_and_added(other) == (added, removed)


def is_secret(before: Snapshot, after: Snapshot) -> bool:
    return bool(tokens.found(before.text) or tokens.found(after.text))


def shows_secret(lines: Iterable[str]) -> bool:
    """Whether a diff, whose lines have a mark before them, shows one or a part of one."""
    text = "\n".join(line[1:] for line in lines)
    return bool(tokens.found(text, parts=True)) or tokens.masked_block(text) != text
