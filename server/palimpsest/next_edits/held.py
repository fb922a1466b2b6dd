"""Pure: an edit that was written for a text, for as long as what a person types is a part of it.

In: texts.  Out: what is left of the edit, and where; whether another one may take its place.

It holds as it does in Zed: while all that was changed since is that its range was replaced by a beginning of its text.
That is seen from the text alone, however an editor tells of its changes; so a character that was typed and taken back
changes nothing.
"""

from dataclasses import dataclass

from palimpsest.next_edits.formats.diffs import OffsetEdit
from palimpsest.text.alike import ends_alike


@dataclass(frozen=True, slots=True)
class HeldEdit:
    """`new` belongs in place of `old`, between `above` and `below`."""

    above: str
    old: str
    new: str
    below: str

    @classmethod
    def of(cls, text: str, edit: OffsetEdit) -> "HeldEdit":
        return cls(text[: edit.start], text[edit.start : edit.end], edit.text, text[edit.end :])

    @property
    def result(self) -> str:
        return f"{self.above}{self.new}{self.below}"

    def remaining(self, text: str) -> OffsetEdit | None:
        """What makes the result of a text; None where something else was changed: the edit is not true any more."""
        trimmed = self._trimmed
        if (middle := self._middle(text)) is not None:
            start, end = len(self.above), len(self.above) + len(middle)
            if middle == self.old:
                return OffsetEdit(start, end, self.new)
            # An end of what was there that is gone was no part of what is typed, unless all of it goes.
            is_typed = not self.old.startswith(middle) if middle else bool(trimmed.old)
            if is_typed and self.new.startswith(middle):
                return OffsetEdit(end, end, self.new[len(middle) :])
        middle = trimmed._middle(text)
        if middle is None or not trimmed.new.startswith(middle):
            return None
        end = len(trimmed.above) + len(middle)
        return OffsetEdit(end, end, trimmed.new[len(middle) :])

    @property
    def _trimmed(self) -> "HeldEdit":
        """Without what both texts begin and end with."""
        head, tail = ends_alike(self.old, self.new)
        old, new = self.old[head : len(self.old) - tail], self.new[head : len(self.new) - tail]
        return HeldEdit(self.above + self.old[:head], old, new, self.old[len(self.old) - tail :] + self.below)

    def _middle(self, text: str) -> str | None:
        size = len(text) - len(self.above) - len(self.below)
        if size < 0 or not (text.startswith(self.above) and text.endswith(self.below)):
            return None
        return text[len(self.above) : len(self.above) + size]


def extends(newer: OffsetEdit, held: OffsetEdit) -> bool:
    """Whether it says the same of a text and perhaps more: nothing that is shown goes away."""
    return newer.start == held.start and newer.end >= held.end and newer.text.startswith(held.text)
