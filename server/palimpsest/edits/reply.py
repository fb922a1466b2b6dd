"""Pure: what every edit format reads from a reply, and what of it holds for the documents.

Out: immutable data.  `check.py` makes edits of documents of edits of blocks, or refuses them.
"""

from dataclasses import dataclass

from palimpsest.types import DocumentChange, LineEdit, Refusal


@dataclass(frozen=True, slots=True)
class WrittenEdits:
    """One block's edits as a model wrote them.

    `edits` are in indexes of the block's lines as shown (`ShownBlock.lines`, 0-based, half-open), sorted; `check.py`
    refuses those that overlap.  `complete` is False if the reply was cut off inside it; `problem` says why its form
    cannot be read, worded for a person, or is empty.
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


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A reply's edits of documents, a change for each block that it edits, and what of it was refused."""

    changes: tuple[DocumentChange, ...] = ()
    refused: tuple[Refusal, ...] = ()
    summary: str = ""
