"""A conversation's document is brought up to date around what a person writes in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.transcript.reading import parse
from palimpsest.conversations.transcript.updating import line_edit, unnumbered, updated, with_front, without
from palimpsest.conversations.transcript.writing import WrittenTurn

BEGUN = "---\nid: c-1\n---\n\n## user\n\nhello\n"


def said(text: str) -> list[tuple[str, int | None, str]]:
    return [(turn.role, turn.id, turn.text) for turn in parse(text).turns]


def test_what_a_person_wrote_gets_its_number_and_the_reply_grows_behind_it() -> None:
    text = updated(BEGUN, [WrittenTurn("user", 1, "hello")])
    assert said(text) == [("user", 1, "hello")]
    for reply in ("", "a", "a\n```\n## user\n", "a\n```\n## user\n```\ndone"):
        text = updated(text, [WrittenTurn("assistant", 2, reply)])
        assert said(text) == [("user", 1, "hello"), ("assistant", 2, reply.strip("\n"))]
    text = updated(text, [], goes_on=True)
    assert said(text)[-1] == ("user", None, "")
    assert updated(text, [], goes_on=True) == text
    assert text.startswith("---\nid: c-1\n---\n\n## user <!-- turn 1 -->\n\nhello\n\n## assistant")


def test_a_first_turn_without_a_heading_gets_one_behind_the_front_matter() -> None:
    text = updated("---\nid: c-1\n---\n\nhello", [WrittenTurn("user", 1, "hello")])
    assert text == "---\nid: c-1\n---\n\n## user <!-- turn 1 -->\n\nhello\n\n"
    assert updated("hello", [WrittenTurn("user", 1, "hello")]) == "## user <!-- turn 1 -->\n\nhello\n\n"


def test_what_is_written_meanwhile_stays_behind_the_reply() -> None:
    text = updated(BEGUN, [WrittenTurn("user", 1, "hello"), WrittenTurn("assistant", 2, "hi")])
    text += "## user\n\nand mo"
    text = updated(text, [WrittenTurn("assistant", 2, "hi there")], goes_on=True)
    assert said(text) == [("user", 1, "hello"), ("assistant", 2, "hi there"), ("user", None, "and mo")]


def test_a_branch_is_what_a_person_would_have_written() -> None:
    text = updated(BEGUN, [WrittenTurn("user", 1, "hello"), WrittenTurn("assistant", 2, "hi")], goes_on=True)
    assert said(unnumbered(text, 0, 0)) == [("user", None, "hello")]


def test_the_front_matter_keeps_what_it_has() -> None:
    assert with_front("hi\n", {"id": "c-1"}) == "---\nid: c-1\n---\n\nhi\n"
    assert with_front("---\nmodel: m\nid: x\n---\n\nhi", {"id": "c-1"}) == "---\nmodel: m\nid: c-1\n---\n\nhi"


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_the_edit_leads_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    change = line_edit(before, "\n".join(after))
    now = list(before)
    if change is not None:
        now[change.start : change.end] = change.lines
    assert now == "\n".join(after).split("\n")


def test_a_reply_that_is_not_finished_says_why_and_can_be_taken_out() -> None:
    cut = WrittenTurn("assistant", 2, "hal", unfinished="The engine\n## user\nended.")
    text = updated(BEGUN, [WrittenTurn("user", 1, "hello"), cut], goes_on=True)
    assert "\n\nNot finished: The engine ## user ended.\n" in text
    assert said(text) == [("user", 1, "hello"), ("assistant", 2, "hal"), ("user", None, "")]
    unfinished = parse(text).turn(2)
    assert unfinished is not None
    assert said(without(text, unfinished)) == [("user", 1, "hello"), ("user", None, "")]
