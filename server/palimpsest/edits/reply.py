"""Pure: what every edit format reads from a reply: edits of a block as it was shown.

Out: immutable data.  `check.py` decides whether the edits can be applied to a document.
"""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.types import LineEdit


@dataclass(frozen=True, slots=True)
class WrittenEdits:
    """One block's edits as a model wrote them.

    `edits` are in indexes of the block's lines as shown (`ShownBlock.lines`, 0-based, half-open), sorted and without
    overlap.  `complete` is False if the reply was cut off inside it; `problem` says why its form cannot be read, worded
    for a person, or is empty.
    """

    name: str
    edits: tuple[LineEdit, ...] = ()
    complete: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EditReply:
    """A whole reply: the blocks it edits, in order, and its summary on one line."""

    written: tuple[WrittenEdits, ...] = ()
    summary: str = ""
