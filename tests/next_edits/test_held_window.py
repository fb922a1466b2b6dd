"""The window that a model rewrites stays where it is while the cursor moves in it."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.held_window import NEAR, HeldWindow
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

LINES = [f"line {n}" for n in range(100)]


class Place:
    """A document with a window of a format that takes ten lines above and below the cursor."""

    def __init__(self, text: str = "\n".join(LINES)) -> None:
        self.now, self.held = Snapshot("file:///a.py", 1, "python", text), HeldWindow()

    def at(self, line: int) -> range:
        made = FORMATS["sweep"].window(self.now.lines, line, ())
        window, around = self.held.at(self.now, line, made)
        assert around == window
        return window

    def put(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        change = ContentChange(Range(Position(*start), Position(*end)), text)
        old = self.now
        self.now, edits = old.changed([change], old.version + 1)
        self.held.changed(old, self.now, edits)


def test_it_stays_until_the_cursor_comes_near_an_end() -> None:
    place = Place()
    assert place.at(50) == range(40, 61)
    for line in (49, 40 + NEAR, 60 - NEAR, 52):
        assert place.at(line) == range(40, 61)
    assert place.at(60 - NEAR + 1) == range(48, 69)
    assert place.at(48 + NEAR - 1) == range(40, 61)
    assert place.at(90) == range(80, 100)


def test_the_ends_of_the_document_are_never_near() -> None:
    place = Place()
    assert place.at(8) == range(19)
    assert place.at(0) == range(19)
    assert place.at(92) == range(82, 100)
    assert place.at(99) == range(82, 100)


def test_it_grows_and_moves_with_its_text() -> None:
    place = Place()
    place.at(50)
    place.put((50, 0), (50, 0), "new\nlines\n")
    assert place.at(52) == range(40, 63)
    place.put((51, 0), (52, 0), "")
    assert place.at(51) == range(40, 62)
    place.put((10, 0), (12, 0), "")
    assert place.at(49) == range(38, 60)
    place.put((80, 0), (80, 0), "far\nbelow\n")
    assert place.at(49) == range(38, 60)
    place.put((38, 0), (38, 0), "first of it\n")
    assert place.at(49) == range(38, 61)
    place.put((37, 0), (38, 0), "")
    assert place.at(48) == range(37, 60)


def test_an_edit_across_an_end_gives_it_up() -> None:
    place = Place()
    place.at(50)
    place.put((38, 3), (45, 2), "")
    assert place.at(43) == range(33, 54)
    place.put((50, 0), (56, 0), "")
    assert place.at(45) == range(35, 56)


def test_the_same_document_opened_with_another_text_has_a_window_of_its_own() -> None:
    place = Place()
    assert place.at(5) == range(16)
    place.now = Snapshot(place.now.uri, 1, "python", "\n".join(LINES[:4]))
    assert place.at(2) == range(4)
    place.put((2, 0), (2, 0), "new\n")
    assert place.at(2) == range(5)
    place.now = Snapshot(place.now.uri, 1, "python", "one\ntwo")
    place.put((0, 0), (0, 0), "new\n")
    assert place.at(1) == range(3)


def test_what_has_grown_much_or_little_is_left_is_chosen_anew() -> None:
    place = Place()
    place.at(50)
    place.put((50, 0), (50, 0), "more\n" * 30)
    assert place.at(60) == range(50, 71)
    place.put((52, 0), (68, 0), "")
    assert len(place.at(55 - NEAR)) == 21


def test_another_document_has_another_window() -> None:
    place = Place()
    place.at(50)
    other = Snapshot("file:///b.py", 1, "python", place.now.text)
    assert place.held.at(other, 52, (range(42, 63), range(42, 63)))[0] == range(42, 63)
    place.held.changed(place.now, replace(place.now, version=2), ())
    assert place.held.at(other, 50, (range(40, 61), range(40, 61)))[0] == range(42, 63)


def test_what_is_seen_around_it_is_held_too() -> None:
    held, snapshot = HeldWindow(), Snapshot("file:///a.py", 1, "python", "\n".join(LINES))
    held.at(snapshot, 50, (range(40, 61), range(30, 71)))
    assert held.at(snapshot, 52, (range(42, 63), range(32, 73))) == (range(40, 61), range(30, 71))
    now, edits = snapshot.changed([ContentChange(Range(Position(35, 0), Position(35, 0)), "new\n")], 2)
    held.changed(snapshot, now, edits)
    assert held.at(now, 52, (range(42, 63), range(32, 73))) == (range(41, 62), range(30, 72))
