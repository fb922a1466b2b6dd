"""The edits of a person, as models for next edits are told of them."""

from __future__ import annotations

from palimpsest.context.activity.edits import Edits, EditTexts
from palimpsest.context.activity.origins import Origin
from palimpsest.next_edits.bursts import Burst, Bursts
from palimpsest.next_edits.events import KEPT, EditEvent, events
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

LINES = [f"line {n}" for n in range(60)]
TOKEN = "ghp_" + "A1b2C3d4" * 5


class Person:
    """Edits a document, as the window hears it."""

    def __init__(self, uri: str = "file:///a.py", edits: Edits | None = None) -> None:
        self.edits, self._bursts, self._at = edits or Edits(), Bursts(), 0.0
        self.now = Snapshot(uri, 1, "python", "\n".join(LINES))

    def put(self, line: int, text: str, *, origin: Origin = "typed", wait: float = 0.1, taken: int = 0) -> Person:
        """At the beginning of a line, in place of so many characters."""
        self._at += wait
        old, where = self.now, Range(Position(line, 0), Position(line, taken))
        self.now, edits = old.changed([ContentChange(where, text)], old.version + 1)
        self._bursts.changed(old, self.now, edits, origin, self._at)
        return self._noted()

    def accepted(self) -> Person:
        self._bursts.accepted(self.now.uri)
        return self._noted()

    def leaves(self) -> Person:
        self._bursts.end()
        return self._noted()

    def _noted(self) -> Person:
        for burst in self._bursts.ended:
            self.edits.add(texts(burst), burst.first, burst.last)
        self._bursts.drop(self._bursts.ended)
        self.edits.open = None if self._bursts.open is None else texts(self._bursts.open)
        return self

    def told(self) -> list[tuple[str, bool, list[str]]]:
        """Origin, whether it may go on, and what was added and removed."""
        return [(it.origin, it.is_open, changed(it)) for it in events(self.edits, lambda _: True)]


def texts(burst: Burst) -> EditTexts:
    return EditTexts(burst.before, burst.steps, burst.paused)


def changed(event: EditEvent) -> list[str]:
    return [line for line in event.diff.splitlines() if line[:1] in "+-"]


def test_what_is_being_typed_is_one_open_event_with_the_text_before() -> None:
    person = Person().put(20, "a").put(20, "b").put(21, "c")
    before = "\n".join(LINES)
    (event,) = events(person.edits, lambda _: True)
    assert (event.before.text, event.after) == (before, person.now)
    assert person.told() == [("typed", True, ["-line 20", "-line 21", "+baline 20", "+cline 21"])]
    assert event.diff.startswith("@@ -18,8 +18,8 @@\n line 17\n line 18\n line 19\n-line 20\n")


def test_edits_near_one_another_are_one_event_and_others_are_not() -> None:
    person = Person().put(10, "a").leaves().put(18, "b").leaves().put(30, "c")
    assert [lines for _, _, lines in person.told()] == [
        ["-line 10", "+aline 10", "-line 18", "+bline 18"],
        ["-line 30", "+cline 30"],
    ]
    assert [is_open for _, is_open, _ in person.told()] == [False, True]


def test_an_edit_elsewhere_in_between_separates_two() -> None:
    person = Person().put(10, "a").put(40, "b").put(10, "c").leaves()
    assert [len(lines) for _, _, lines in person.told()] == [2, 2, 2]
    assert not any(is_open for _, is_open, _ in person.told())


def test_the_newest_is_split_at_its_last_pause() -> None:
    person = Person().put(20, "a").put(20, "b", wait=1.5).put(20, "c")
    assert person.told() == [
        ("typed", False, ["-line 20", "+aline 20"]),
        ("typed", True, ["-aline 20", "+cbaline 20"]),
    ]
    assert person.put(20, "d", wait=2.0).told() == [
        ("typed", False, ["-line 20", "+cbaline 20"]),
        ("typed", True, ["-cbaline 20", "+dcbaline 20"]),
    ]
    assert person.put(50, "far").told()[0] == ("typed", False, ["-line 20", "+dcbaline 20"])


def test_what_was_accepted_and_pasted_are_events_of_their_own() -> None:
    person = Person().put(20, "a").put(20, "bcd").accepted().put(20, "e").put(20, "x\n" * 9, origin="pasted")
    assert [(origin, is_open) for origin, is_open, _ in person.told()] == [
        ("typed", False),
        ("accepted", False),
        ("typed", False),
        ("pasted", True),
    ]
    assert person.told()[1][2] == ["-aline 20", "+bcdaline 20"]
    one, other = (event.change("a.py") for event in events(person.edits, lambda _: True)[1:3])
    assert (one.accepted, one.is_open, other.accepted) == (True, False, False)


def test_what_is_taken_back_leaves_nothing() -> None:
    assert Person().put(20, "a").put(20, "", taken=1, origin="undone").told() == []


def test_what_a_formatter_did_is_no_event() -> None:
    person = Person().put(20, "a").put(20, "  ", origin="formatted").put(20, "b")
    assert [lines for _, _, lines in person.told()] == [["-line 20", "+aline 20"], ["-  aline 20", "+b  aline 20"]]


def test_no_more_than_are_kept_and_none_that_is_long() -> None:
    person = Person()
    for n in range(KEPT + 4):
        person.put(5 if n % 2 else 50, "x")
    assert len(person.told()) == KEPT
    assert person.put(25, "x" * 7000).told()[-1][1] is False
    assert len(person.told()) == KEPT


def test_nothing_of_documents_that_a_model_may_not_see() -> None:
    edits = Edits()
    Person("file:///secret.py", edits).put(20, "a").leaves()
    person = Person("file:///a.py", edits).put(20, "b")
    assert [event.after.uri for event in events(edits, lambda _: True)] == ["file:///secret.py", "file:///a.py"]
    shown = events(edits, lambda snapshot: "secret" not in snapshot.uri)
    assert [event.after.uri for event in shown] == [person.now.uri]


def test_nothing_of_a_secret_while_it_is_there_or_was() -> None:
    person = Person().put(20, f'key = "{TOKEN}"  # ')
    assert person.told() == []
    assert person.put(20, "key = read()", taken=len(person.now.lines[20]), origin="pasted").told() == []


def test_a_window_as_it_was_before() -> None:
    before, after = (
        Snapshot("file:///a.txt", n, "", text) for n, text in enumerate(("zero\none\ntwo\n", "zero\nONE\ntwo\n"))
    )
    assert EditEvent(before, after).original(range(3)) == "zero\none\ntwo", "Zed's own example"
    after = Snapshot("file:///a.txt", 2, "", "zero\none\nnew\nmore\ntwo\n")
    event = EditEvent(before, after)
    assert event.original(range(1, 5)) == "one\ntwo"
    assert event.original(range(5)) == "zero\none\ntwo"
    assert event.original(range(2, 4)) == ""
    assert event.original(range(4, 5)) == "two"
    assert EditEvent(after, before).original(range(1, 3)) == "one\nnew\nmore\ntwo"
