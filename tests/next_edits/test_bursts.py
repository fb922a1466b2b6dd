"""When a burst of edits begins and ends, and how dismissed places move along."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.context.activity.origins import Origin
from palimpsest.errors import InvalidArgument
from palimpsest.next_edits.bursts import KEPT, MOST_STEPS, NEAR, Bursts
from palimpsest.next_edits.changes import Site
from palimpsest.next_edits.offered import OfferedNextEdits
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

TEXT = "\n".join(f"line {n}" for n in range(60)) + "\n"


def snapshot(text: str = TEXT) -> Snapshot:
    return Snapshot("file:///a.py", 1, "python", text)


def typed(
    bursts: Bursts, old: Snapshot, line: int, text: str = "x", *, origin: Origin = "typed", at: float = 0.0
) -> Snapshot:
    place = Position(line, 0)
    new, edits = old.changed([ContentChange(Range(place, place), text)], old.version + 1)
    bursts.changed(old, new, edits, origin, at)
    return new


def test_a_burst_has_the_text_before_its_first_edit() -> None:
    bursts, start = Bursts(), snapshot()
    now = typed(bursts, typed(bursts, start, 20), 22)
    assert bursts.open is not None
    assert (bursts.open.before, bursts.open.after) == (start, now)
    assert not bursts.ended


def test_an_edit_elsewhere_begins_another_one() -> None:
    bursts, start = Bursts(), snapshot()
    middle = typed(bursts, start, 5)
    now = typed(bursts, middle, 5 + NEAR + 1)
    assert [(burst.before, burst.after) for burst in bursts.ended] == [(start, middle)]
    assert bursts.open is not None
    assert (bursts.open.before, bursts.open.after) == (middle, now)


def test_lines_that_come_in_belong_to_the_burst() -> None:
    bursts = Bursts()
    now = typed(bursts, snapshot(), 5, "new\n" * 10)
    typed(bursts, now, 5 + 10 + NEAR)
    assert not bursts.ended


def test_the_cursor_elsewhere_a_save_and_another_document_end_it() -> None:
    for end in (
        lambda bursts: bursts.cursor_at("file:///a.py", 40),
        lambda bursts: bursts.cursor_at("file:///b.py", 5),
        lambda bursts: bursts.end("file:///a.py"),
        lambda bursts: typed(bursts, Snapshot("file:///b.py", 1, "python", TEXT), 5),
    ):
        bursts = Bursts()
        typed(bursts, snapshot(), 5)
        bursts.cursor_at("file:///a.py", 6)
        bursts.end("file:///b.py")
        assert not bursts.ended
        end(bursts)
        assert len(bursts.ended) == 1


def test_what_came_to_nothing_is_not_kept_and_the_rest_is_bounded() -> None:
    bursts, start = Bursts(), snapshot()
    new = typed(bursts, start, 5)
    back, edits = new.changed([ContentChange(Range(Position(5, 0), Position(5, 1)), "")], 3)
    bursts.changed(new, back, edits)
    bursts.end()
    assert not bursts.ended
    now = start
    for n in range(KEPT + 5):
        now = typed(bursts, now, 5 if n % 2 else 50)
    assert len(bursts.ended) == KEPT


def offered(offers: OfferedNextEdits, line: int) -> str:
    place = Site("file:///a.py", 0, 1, "l", "x", "rename", "")
    return offers.give("why", place, (line, 0)).id


@given(
    st.lists(st.tuples(st.integers(0, 59), st.integers(0, 3), st.sampled_from(["", "a", "a\n", "a\nb\n"])), max_size=6)
)
def test_a_dismissed_place_stays_dismissed_wherever_its_line_goes(edits: list[tuple[int, int, str]]) -> None:
    offers, now, mark = OfferedNextEdits(), snapshot(), "line 30"
    offers.settle(offered(offers, 30), "dismissed")
    for line, n_lines, text in edits:
        if line >= now.line_count or line <= now.lines.index(mark) < line + max(n_lines, 1):
            continue
        where = Range(Position(line, 0), Position(line + n_lines, 0))
        new, made = now.changed([ContentChange(where, text if text.endswith("\n") or not n_lines else text + "\n")], 2)
        if mark not in new.lines:
            continue
        offers.changed(now, new, made)
        now = new
    place = Site("file:///a.py", 0, 1, "l", "x", "rename", "")
    assert not offers.may_offer("why", place, (now.lines.index(mark), 0))
    assert offers.may_offer("why", place, (now.lines.index(mark) + 1, 0))


def test_a_place_is_offered_by_one_id_and_settled_once() -> None:
    offers = OfferedNextEdits()
    identity = offered(offers, 3)
    assert offered(offers, 3) == identity
    assert offered(offers, 4) != identity
    assert offers.show(identity)
    assert not offers.show(identity)
    assert offers.settle(identity, "accepted")
    assert not offers.settle(identity, "accepted")
    with pytest.raises(InvalidArgument, match="id"):
        offers.get("n-99")


def steps(bursts: Bursts) -> list[tuple[str, int]]:
    """How the open burst came about, with the version behind each step."""
    assert bursts.open is not None
    return [(step.origin, step.after.version) for step in bursts.open.steps]


def test_a_burst_knows_in_which_ways_it_came_about() -> None:
    bursts, now = Bursts(), snapshot()
    origins: list[Origin] = ["typed", "typed", "pasted", "undone", "typed"]
    for origin in origins:
        now = typed(bursts, now, 20, origin=origin)
    assert steps(bursts) == [("typed", 3), ("pasted", 5), ("typed", 6)]
    for n in range(MOST_STEPS):
        now = typed(bursts, now, 20, origin="typed" if n % 2 else "pasted")
    assert len(steps(bursts)) == MOST_STEPS
    assert steps(bursts)[-1] == ("typed", now.version)


def test_what_was_accepted_is_a_step_of_its_own() -> None:
    bursts, now = Bursts(), snapshot()
    for _ in range(2):
        now = typed(bursts, now, 20)
    bursts.accepted("file:///other.py")
    assert steps(bursts) == [("typed", 3)]
    bursts.accepted(now.uri)
    assert steps(bursts) == [("typed", 2), ("accepted", 3)]
    now = typed(bursts, now, 20)
    assert steps(bursts) == [("typed", 2), ("accepted", 3), ("typed", 4)]
    now = typed(bursts, now, 50)
    bursts.accepted(now.uri)
    assert steps(bursts) == [("accepted", 5)]
    bursts.end()
    bursts.accepted(now.uri)
    assert [step.origin for burst in bursts.ended for step in burst.steps] == ["typed", "accepted", "typed", "accepted"]


def test_a_burst_knows_its_last_pause() -> None:
    bursts, now = Bursts(), snapshot()
    for at in (10.0, 10.5, 12.0, 12.1, 14.0, 14.2):
        now = typed(bursts, now, 20, at=at)
    assert bursts.open is not None
    assert bursts.open.paused is not None
    assert bursts.open.paused.version == 5
    now = typed(bursts, now, 50, at=20.0)
    assert bursts.open.paused is None
