"""How each change of a document came about, as far as the change itself tells: an editor does not say it.

In: changes.  Out: whether it was typed, pasted, made by a formatter, or took something back.  Pure; owner of what the
last texts of each document were, as hashes.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.text.alike import ends_alike
from palimpsest.text.snapshot import InputEdit, Snapshot

Origin = Literal["typed", "pasted", "formatted", "undone", "accepted"]
"""`undone`: an earlier text is there again, by undo or redo.  `accepted` is what a model had proposed."""
PASTED_CHARS, PASTED_LINES = 200, 8
"""Put in at once; who types, or takes one completion, puts in less."""
KEPT = 64
"""Texts of a document that may come back."""
_LAYOUT = re.compile(r"[\s,;'\"`()]+")
"""What formatters put and take."""


@dataclass(frozen=True, slots=True)
class OriginStep:
    """Changes that came about in one way, and the document behind them."""

    origin: Origin
    after: Snapshot


class Origins:
    """Owner of the earlier texts; `newest` is how the last change of each document came about."""

    def __init__(self) -> None:
        self.newest: dict[str, Origin] = {}
        self._earlier: dict[str, deque[tuple[int, int]]] = {}

    def of(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Origin:
        self.newest[new.uri] = origin = self._of(old, new, edits)
        return origin

    def accepted(self, uri: str) -> None:
        """The newest change of a document is one that had been proposed."""
        self.newest[uri] = "accepted"

    def had(self, uri: str, text: str) -> bool:
        """Whether a document was this text a few changes ago."""
        return _mark(text) in self._earlier.get(uri, ())

    def _of(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Origin:
        earlier = self._earlier.setdefault(new.uri, deque(maxlen=KEPT))
        is_back = _mark(new.text) in earlier and not _is_a_key(edits)
        earlier.append(_mark(old.text))
        if is_back:
            return "undone"
        if _is_layout(old, new):
            return "formatted"
        return "pasted" if any(_is_pasted(edit) for edit in edits) else "typed"

    def forget(self, uri: str) -> None:
        """The document is closed."""
        self._earlier.pop(uri, None)
        self.newest.pop(uri, None)


def _mark(text: str) -> tuple[int, int]:
    return len(text), hash(text)


def _is_a_key(edits: Sequence[InputEdit]) -> bool:
    """One character put or taken: who takes back a slip of the finger types on."""
    sizes = [(edit.old_end_byte - edit.start_byte, edit.new_end_byte - edit.start_byte) for edit in edits]
    return len(sizes) == 1 and sum(sizes[0]) <= 1


def _is_pasted(edit: InputEdit) -> bool:
    lines = edit.new_end_point[0] - edit.start_point[0]
    return edit.new_end_byte - edit.start_byte >= PASTED_CHARS or lines >= PASTED_LINES


def _is_layout(old: Snapshot, new: Snapshot) -> bool:
    """Whether several lines that say something differ, and only in what formatters change; one line a person breaks."""
    head, tail = ends_alike(old.lines, new.lines)
    gone, put = (lines[head : len(lines) - tail] for lines in (old.lines, new.lines))
    if min(sum(bool(line.strip()) for line in lines) for lines in (gone, put)) < 2:
        return False
    one, other = (_LAYOUT.sub("", "\n".join(lines)) for lines in (gone, put))
    return one == other
