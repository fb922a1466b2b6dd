"""Pure: the lines that a model rewrites, held still while the cursor moves in them.

In: a cursor's line, the window that a format would choose there, edits.  Out: the window to ask for.  Owner of it.

Each other line that is shown is read by the engine again, and with Zed's formats all that is behind it.  So a window
stays where it is, growing and shrinking with its text, until the cursor comes near one of its ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest.text.snapshot import InputEdit, Snapshot

NEAR = 3
"""Lines from an end that is not the document's own, or a quarter of a small window."""
GROWN = 1.5
"""A window is not held any more that is so many times as long as it was, or was so many times as long as it is."""


@dataclass(frozen=True, slots=True)
class _Held:
    """The lines of a text; `n_lines`: how long the window was when it was chosen."""

    of: Snapshot
    window: range
    around: range
    n_lines: int


class HeldWindow:
    """The window of one format, in the document that was asked about last."""

    def __init__(self) -> None:
        self._held: _Held | None = None

    def at(self, snapshot: Snapshot, line: int, made: tuple[range, range]) -> tuple[range, range]:
        """What is rewritten and what is seen with the cursor in a line; `made` is what the format chooses there."""
        held = self._held
        if held is None or held.of is not snapshot or not _is_good(held, line, snapshot.line_count):
            held = self._held = _Held(snapshot, *made, len(made[0]))
        return held.window, held.around

    def changed(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        """It moves with the text; an edit across one of its ends gives it up, as another text of the document does."""
        held = self._held
        if held is None or held.of.uri != old.uri:
            return
        window: range | None = held.window if held.of is old else None
        around: range | None = held.around
        for edit in edits:
            window, around = (None if lines is None else _moved(lines, edit) for lines in (window, around))
        self._held = None if window is None or around is None else replace(held, of=new, window=window, around=around)


def _is_good(held: _Held, line: int, n_lines: int) -> bool:
    window, near = held.window, min(NEAR, len(held.window) // 4)
    above = window.start == 0 or line - window.start >= near
    below = window.stop >= n_lines or window.stop - 1 - line >= near
    return line in window and above and below and 1 / GROWN <= len(window) / held.n_lines <= GROWN


def _moved(lines: range, edit: InputEdit) -> range | None:
    first, last = edit.start_point[0], edit.old_end_point[0]
    shift = edit.new_end_point[0] - last
    if first >= lines.stop:
        return lines
    if last < lines.start or (last == lines.start > first and edit.old_end_point[1] == edit.new_end_point[1] == 0):
        return range(lines.start + shift, lines.stop + shift)
    return range(lines.start, lines.stop + shift) if first >= lines.start and last < lines.stop else None
