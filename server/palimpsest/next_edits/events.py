"""Pure: what the person changed lately, as models for next edits are told of it.

In: the edits that are kept.  Out: events, the oldest first, each a document before and after.

Edits that follow one another near by and came about in one way are one event, as they are for Zed, whose models know no
others.  The newest, while it may still go on, is two if there was a pause in it.  What a formatter did is none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from palimpsest.context.activity.edits import Edits, EditTexts, is_secret, shows_secret
from palimpsest.context.activity.origins import Origin
from palimpsest.next_edits.formats.diffs import unified
from palimpsest.next_edits.formats.format import PastChange
from palimpsest.text.alike import ends_alike
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Snapshot

NEAR = 8
"""Lines between two edits of one event."""
KEPT = 10
MOST_BYTES = 6144
"""An event's diff has at most this many bytes; what is longer says little of what comes next."""


@dataclass(frozen=True)
class EditEvent:
    """`is_open`: it may still go on."""

    before: Snapshot
    after: Snapshot
    origin: Origin = "typed"
    is_open: bool = False

    @cached_property
    def diff(self) -> str:
        return unified(self.before.lines, self.after.lines)

    @cached_property
    def lines(self) -> tuple[range, range]:
        """Those that differ, before and after."""
        old, new = self.before.lines, self.after.lines
        head, tail = ends_alike(old, new)
        return range(head, len(old) - tail), range(head, len(new) - tail)

    def rows_before(self, rows: range) -> range:
        """Where these lines of the document were before."""
        old, new = self.lines
        start, stop = (
            line if line <= new.start else line - new.stop + old.stop if line >= new.stop else min(line, old.stop)
            for line in (rows.start, rows.stop)
        )
        return range(start, stop)

    def original(self, window: range) -> str:
        """What these lines of the document were before, without the last line's end."""
        rows = self.rows_before(window)
        return "\n".join(self.before.lines[rows.start : rows.stop])

    def change(self, path: str) -> PastChange:
        return PastChange(path, self.diff, self.origin == "accepted", self.is_open)


def events(edits: Edits, may_show: Callable[[Snapshot], bool]) -> tuple[EditEvent, ...]:
    """`may_show`: whether a model may see something of a document as it is now."""
    texts, goes_on = [edit.texts for edit in reversed(tuple(edits))], edits.open
    if goes_on is not None and not is_secret(goes_on.before, goes_on.steps[-1].after):  # of the others it is known
        texts.append(goes_on)
    joined = list[EditEvent]()
    for event in (event for one in texts for event in _steps(one)):
        if joined and _goes_on(joined[-1], event):
            joined[-1] = replace(joined[-1], after=event.after)
        else:
            joined.append(event)
    if goes_on is not None and joined and joined[-1].after is goes_on.steps[-1].after:
        joined[-1:] = _split(joined[-1], goes_on.paused)
    return tuple(event for event in joined if is_told(event) and may_show(event.after))[-KEPT:]


def earlier(past: Sequence[EditEvent], now: Snapshot, rows: range) -> Iterator[tuple[str, ...]]:
    """What these lines of a document were before each of its events, the last time first."""
    for event in reversed([event for event in past if event.after.uri == now.uri]):
        if event.after.text != now.text:  # something that no model is told of came between
            rows = EditEvent(event.after, now).rows_before(rows)
        rows, now = event.rows_before(rows), event.before
        yield now.lines[rows.start : rows.stop]


def _steps(texts: EditTexts) -> Iterator[EditEvent]:
    before = texts.before
    for step in texts.steps:
        yield EditEvent(before, step.after, "typed" if step.origin == "undone" else step.origin)
        before = step.after


def _goes_on(event: EditEvent, newer: EditEvent) -> bool:
    if event.origin != newer.origin or event.after.uri != newer.before.uri or event.after.text != newer.before.text:
        return False
    (_, one), (other, _) = event.lines, newer.lines
    return max(one.start - other.stop, other.start - one.stop) <= NEAR


def _split(event: EditEvent, paused: Snapshot | None) -> list[EditEvent]:
    if paused is None or not event.before.version < paused.version < event.after.version:
        return [replace(event, is_open=True)]
    return [replace(event, after=paused), replace(event, before=paused, is_open=True)]


def is_told(event: EditEvent) -> bool:
    """Not what is large, shows a secret or was done by a formatter."""
    is_small = bool(event.diff) and len(utf8(event.diff)) <= MOST_BYTES
    return is_small and event.origin != "formatted" and not shows_secret(event.diff.split("\n"))
