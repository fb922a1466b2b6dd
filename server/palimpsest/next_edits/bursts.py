"""Bursts of edits: the text before and after a few changes that belong together.

In: what the editor says of documents and the cursor, how changes came about and when.  Out: pairs of snapshots, before
and after.  Owner of the snapshots before.

A burst begins with a document's first change and goes on while changes stay near the lines edited so far.  It ends
when something else is edited, the cursor goes elsewhere, the document is saved or closed, or a next edit is accepted.
Bursts that ended are kept for a while, so that their next edits are still found after the cursor has left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest.context.activity.origins import Origin, OriginStep
from palimpsest.text.snapshot import InputEdit, Snapshot

NEAR = 6
"""Lines between an edit and the next one of the same burst: a signature over several lines, not another function."""
KEPT = 16
PAUSE_S = 1.0
MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class Burst:
    """A document before and after; `first..last` are the lines edited, in those of `after`, both included.

    `steps` are the ways in which it came about, one after the other, and `paused` is what it was at the last pause.
    `newest` is the line of the newest edit.
    """

    before: Snapshot
    after: Snapshot
    first: int
    last: int
    steps: tuple[OriginStep, ...] = ()
    paused: Snapshot | None = None
    newest: int = 0

    @property
    def is_accepted(self) -> bool:
        """Whether all of it had been proposed."""
        return bool(self.steps) and all(step.origin == "accepted" for step in self.steps)


class Bursts:
    """Collects changes to bursts, with the snapshots before them."""

    def __init__(self) -> None:
        self.open: Burst | None = None
        """The burst that may still go on."""
        self.ended: tuple[Burst, ...] = ()
        """The newest last."""
        self._earlier: tuple[OriginStep, ...] = ()
        """Of the open burst, before its newest change."""
        self._at = 0.0

    def changed(
        self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit], origin: Origin = "typed", at: float = 0.0
    ) -> None:
        """`at`: when, in seconds."""
        is_pause, self._at = at - self._at >= PAUSE_S, at
        self._earlier = ()
        for edit in edits:
            first, last = edit.start_point[0], edit.new_end_point[0]
            burst = self.open
            if burst is not None and not self._goes_on(burst, new.uri, edit):
                self.end()
                burst = None
            if burst is None:
                self.open = Burst(old, new, first, last, (OriginStep(origin, new),), newest=first)
                continue
            at = first
            shift = edit.new_end_point[0] - edit.old_end_point[0]
            end = burst.last + shift if burst.last >= edit.old_end_point[0] else burst.last
            first, last = min(burst.first, first), max(end, last)
            if burst.after is new:  # another edit of the same change
                self.open = replace(burst, first=first, last=last, newest=at)
                continue
            self._earlier = burst.steps
            steps = _stepped(burst.steps, OriginStep(origin, new))
            paused = old if is_pause else burst.paused
            self.open = Burst(burst.before, new, first, last, steps, paused, at)

    def accepted(self, uri: str) -> None:
        """The newest change is one that had been proposed."""
        burst = self.open
        if burst is not None and burst.after.uri == uri:
            steps = (*self._earlier, OriginStep("accepted", burst.after))
            self.open = replace(burst, steps=steps)

    def cursor_at(self, uri: str, line: int) -> None:
        burst = self.open
        if burst is not None and not (burst.after.uri == uri and _is_near(burst, line, line)):
            self.end()

    def end(self, uri: str | None = None) -> None:
        """End the burst, if it is one of this document, or whichever it is."""
        burst = self.open
        if burst is None or (uri is not None and burst.after.uri != uri):
            return
        self.open = None
        if burst.before.text != burst.after.text:
            every = (*self.ended, burst)
            if len(every) > KEPT:  # what a person began goes last: what follows from it is accepted place by place
                oldest = next((one for one in every[:-1] if one.is_accepted), every[0])
                every = tuple(one for one in every if one is not oldest)
            self.ended = every

    def forget(self, uri: str) -> None:
        """The document is closed."""
        if self.open is not None and self.open.after.uri == uri:
            self.open = None
        self.ended = tuple(burst for burst in self.ended if burst.after.uri != uri)

    def drop(self, bursts: Sequence[Burst]) -> None:
        """Of those that ended, these are not worth following."""
        self.ended = tuple(burst for burst in self.ended if burst not in bursts)

    def _goes_on(self, burst: Burst, uri: str, edit: InputEdit) -> bool:
        return burst.after.uri == uri and _is_near(burst, edit.start_point[0], edit.old_end_point[0])


def _is_near(burst: Burst, first: int, last: int) -> bool:
    return burst.first - NEAR <= last and first <= burst.last + NEAR


def _stepped(steps: tuple[OriginStep, ...], new: OriginStep) -> tuple[OriginStep, ...]:
    """What is taken back was done in the same way."""
    if steps and new.origin in (steps[-1].origin, "undone"):
        return (*steps[:-1], replace(new, origin=steps[-1].origin))
    return (*steps, new) if len(steps) < MOST_STEPS else (*steps[1:], new)
