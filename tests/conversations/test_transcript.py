"""A conversation's document: what is written is read as the same turns, whatever is said in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.transcript.reading import parse
from palimpsest.conversations.transcript.writing import (
    BESIDE,
    WrittenCall,
    WrittenTurn,
    escaped,
    lines_of,
    unescaped,
    written,
)

PIECES = st.lists(
    st.sampled_from(
        [
            "## user",
            "## assistant <!-- turn 3 -->",
            "\\## user",
            "```",
            "~~~~",
            "text",
            "",
            "---",
            BESIDE,
            "## other",
            "  ",
        ]
    ),
    max_size=12,
).map("\n".join)
TEXTS = st.one_of(PIECES, st.text(max_size=60))


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXTS, st.booleans()), max_size=5))
def test_what_is_written_is_read_as_the_same_turns(turns: list[tuple[str, str, bool]]) -> None:
    calls = [WrittenCall("read_fd", {"fd": "<fd-1>"}, "ok", "```\n## user\n" + BESIDE)]
    documents = [DocumentReference("[[a]]", "a.md", summary="about a"), DocumentReference("[[b]]", None)]
    every = [
        WrittenTurn(role, number, text, calls if more else (), documents if more else (), 2 if more else 0)
        for number, (role, text, more) in enumerate(turns, 1)
    ]
    text = written({"id": "c-1234abcd", "model": "m"}, every)
    read = parse(text)
    assert (read.id, read.front.get("model")) == ("c-1234abcd", "m")
    assert [(turn.role, turn.id) for turn in read.turns] == [(turn.role, turn.id) for turn in every]
    for turn, was in zip(read.turns, every, strict=True):
        assert _trimmed(turn.text) == _trimmed(lines_of(was.text))


def _trimmed(text: str) -> list[str]:
    """Without lines of blanks at either end, which a document does not keep."""
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return lines


@given(TEXTS)
def test_escaping_is_undone(text: str) -> None:
    assert unescaped(escaped(text)) == text


def test_a_turn_that_a_person_writes_has_no_number_and_stands_outside_of_fences() -> None:
    said = "hi\n```\n## user\n\n## assistant <!-- turn 2 -->\n\nx\n\n## user\n\nmore\n"
    text = f"---\nid: c-1\n---\n\n## user <!-- turn 1 -->\n\n{said}"
    read = parse(text)
    assert [(turn.role, turn.id, turn.text) for turn in read.turns] == [
        ("user", 1, "hi\n```\n## user"),
        ("assistant", 2, "x"),
        ("user", None, "more"),
    ]
    last = read.turns[-1]
    assert text.split("\n")[last.start] == "## user"
    assert text.split("\n")[last.text_start : last.text_end] == ["more"]


def test_a_document_without_turns_is_what_a_person_says() -> None:
    assert [(turn.role, turn.text) for turn in parse("what is this?\n").turns] == [("user", "what is this?")]
    assert [(turn.role, turn.text) for turn in parse("---\nid: c-1\n---\nhi").turns] == [("user", "hi")]
    assert parse("").turns == ()
    assert parse("---\nid: c-1\n---\n\n").turns == ()
