"""Next edits that were offered, and what became of each.

In: places and where they begin, ids, the edits of documents.  Out: ids, and whether a place may be offered.  Owner of
the ids and of what was dismissed or accepted, which moves along with the text.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palimpsest.errors import InvalidArgument
from palimpsest.newest import Newest
from palimpsest.next_edits.changes import Change, Repeat, Site
from palimpsest.text.snapshot import InputEdit, Snapshot

KEPT = 256
MOST_PASSED = 2
"""A change is not offered any more if something else was edited so often instead, while it was offered."""
MOST_DISMISSED = 2
"""A change that was made is not offered for other places any more once so many of them were dismissed."""
Fate = Literal["open", "accepted", "dismissed"]
Point = tuple[int, int]
"""A row and a byte column, as tree-sitter counts."""


@dataclass(frozen=True, slots=True)
class Offered:
    """`about` is the change that the place follows, the words of what the model was asked, or the lines that it
    makes.  `is_gone`: what stood at the point is not there any more; whoever has it may still say what became of
    it."""

    id: str
    about: Change | str
    place: Site
    point: Point
    fate: Fate = "open"
    shown: bool = False
    is_gone: bool = False


class OfferedNextEdits:
    """The next edits that were offered, by id, and what became of each."""

    def __init__(self) -> None:
        self._by_id = Newest[str, Offered](KEPT)
        self._n = 0
        self._passed = Newest[Change, tuple[Snapshot, int, int]](KEPT)
        """By change that was offered: before which edits, how many places it had, and how often it was passed by."""
        self._dismissed = Counter[object]()
        """How often it was dismissed that these words become those, whatever stands beside them."""

    def get(self, identity: str) -> Offered:
        """Raises InvalidArgument for an id that was never given out, or too long ago."""
        offered = self._by_id.get(identity)
        if offered is None:
            raise InvalidArgument("id", f"there is no next edit {identity!r}.", hint="Ask for `palimpsest/nextEdit`.")
        return offered

    def give(self, about: Change | str, place: Site, point: Point) -> Offered:
        """The offer of this place: the one that was given out before, or a new one."""
        known = self._at(about, place, point)
        if known is None:
            self._n += 1
            known = Offered(f"n-{self._n}", about, place, point)
        known = self._by_id[known.id] = replace(known, place=place)
        return known

    def update(self, offered: Offered, place: Site, point: Point) -> Offered:
        """One that was given out, as it is after a part of it was typed."""
        known = replace(self._by_id.get(offered.id, offered), place=place, point=point, is_gone=False)
        self._by_id[known.id] = known
        return known

    def may_offer(self, about: Change | str, place: Site, point: Point) -> bool:
        known = self._at(about, place, point)
        if isinstance(about, Repeat) and self._dismissed[about.rule.old, about.rule.new] >= MOST_DISMISSED:
            return False
        return known is None or known.fate == "open"

    def is_passed(self, about: Change, places: int, burst: Snapshot) -> bool:
        """Whether a change that has so many places left was offered, and something else was done instead, too often.
        `burst`: the text before the newest edits."""
        was, left, n_passed = self._passed.get(about, (burst, places, 0))
        if was is not burst:
            n_passed = 0 if places < left else n_passed + 1
        self._passed[about] = burst, places, n_passed
        return n_passed >= MOST_PASSED

    def settle(self, identity: str, fate: Fate) -> bool:
        """Whether that is news.  Raises InvalidArgument for an unknown id."""
        offered = self.get(identity)
        self._by_id[identity] = replace(offered, fate=fate)
        is_new = offered.fate == "open"
        if is_new and fate == "dismissed" and isinstance(offered.about, Repeat):
            self._dismissed[offered.about.rule.old, offered.about.rule.new] += 1
        return is_new

    def show(self, identity: str) -> bool:
        """Whether that is news.  Raises InvalidArgument for an unknown id."""
        offered = self.get(identity)
        self._by_id[identity] = replace(offered, shown=True)
        return not offered.shown

    def is_shown(self, identity: str) -> bool:
        return identity in self._by_id and self._by_id[identity].shown

    def changed(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        """Move along with the text of a document."""
        for offered in [o for o in self._by_id.values() if o.place.uri == new.uri]:
            if offered.is_gone:
                continue
            point: Point | None = offered.point
            for edit in edits:
                point = None if point is None else _moved(point, edit)
            if point is None:
                point = _found_again(offered.point, old, new)
            self._by_id[offered.id] = replace(offered, point=point or offered.point, is_gone=point is None)

    def _at(self, about: Change | str, place: Site, point: Point) -> Offered | None:
        for offered in self._by_id.values():
            if (offered.place.uri, offered.point, offered.about) == (place.uri, point, about) and not offered.is_gone:
                return offered
        return None


def _moved(point: Point, edit: InputEdit) -> Point | None:
    """Where a point is after an edit; None where the edit took away what it stood at."""
    start, old_end, new_end = edit.start_point, edit.old_end_point, edit.new_end_point
    if point < start:
        return point
    if point == start and (old_end > start or new_end[0] == start[0]):
        return point  # what stands here was replaced, or got a beginning: it is still the place
    if point < old_end:
        return None
    row = point[0] + new_end[0] - old_end[0]
    return row, point[1] + new_end[1] - old_end[1] if point[0] == old_end[0] else point[1]


def _found_again(point: Point, old: Snapshot, new: Snapshot) -> Point | None:
    """After an edit of much at once (a formatter's, say): on the nearest line that reads the same."""
    text = old.lines[point[0]] if point[0] < old.line_count else ""
    rows = [row for row, line in enumerate(new.lines) if line == text] if text.strip() else []
    return (min(rows, key=lambda row: abs(row - point[0])), point[1]) if rows else None
