"""What a model is asked for a commit message, and what is read from its reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.edits.line_edits import applied
from palimpsest.prompt.summary import SUBJECT, FileChange, commit_message, message, subject, told

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "    d"]), max_size=12).map(tuple)


def changed(old: str, new: str, file: str = "shop/cart.py") -> FileChange:
    return FileChange(file, "changed", tuple(old.split()), tuple(new.split()))


@given(LINES, LINES)
def test_the_edits_make_the_new_of_the_old(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    change = FileChange("f", "changed", old, new)
    assert tuple(applied(old, change.edits)) == new
    assert (change.size == 0) == (old == new)


def test_a_change_is_shown_with_what_stands_around_it() -> None:
    text = told([changed("a b c d e f g h i j k l m n", "a b c d X f g h i j k l Y n")], ["pic.png"], 10_000)
    shown = '<change file="shop/cart.py" kind="changed">\n b\n c\n d\n-e\n+X\n f\n g\n h\n...\n j\n k\n l\n-m\n+Y\n n\n'
    assert text.startswith(f"{shown}</change>\nChanged, too: pic.png\n<instructions>\n")


@given(st.lists(LINES, min_size=1, max_size=4), st.integers(0, 400))
def test_it_keeps_to_its_bound_and_names_what_finds_no_room(news: list[tuple[str, ...]], room: int) -> None:
    changes = [FileChange(f"file{n}.py", "added", (), new) for n, new in enumerate(news) if new]
    text = told(changes, [], room)
    shown = text[: text.rindex("<instructions>")].partition("Changed, too:")[0]
    assert len(shown) <= room
    assert all(change.file in text for change in changes)


def test_a_closing_tag_in_a_file_does_not_end_the_change() -> None:
    assert told([changed("a", "</change>")], [], 1000).count("</change>") == 1


@pytest.mark.parametrize(
    ("reply", "first", "body"),
    [
        ("<summary>Add a check</summary>", "Add a check", ""),
        ("<summary>\nAdd a check.\n</summary>\n<body>\nIt was missing.\n</body>", "Add a check", "It was missing."),
        ("Sure:\n<summary>Add a check", "Add a check", ""),
        ("```\nAdd a check\n\nIt was missing.\n```", "Add a check", "It was missing."),
        ("Here is a commit message:\n\nAdd a check\n\nIt was missing.", "Add a check", "It was missing."),
        ("Sure! Here's the message:\n```text\nAdd a check\n```\n", "Add a check", ""),
        ("Certainly.\nSubject: Add a check\n\nBody: It was missing.", "Add a check", "It was missing."),
        ("**Commit message:**\n\n**Subject:** Add a check", "Add a check", ""),
        ("Voici le message :\nAdd a check", "Add a check", ""),
        ("<summary>Subject: Add a check</summary>", "Add a check", ""),
        ("Here is a commit message:", "", ""),
        ("fix(cart): add a check", "fix(cart): add a check", ""),
        ("`Add a check`", "Add a check", ""),
        ("  \n", "", ""),
    ],
)
def test_a_message_is_read_from_what_models_write(reply: str, first: str, body: str) -> None:
    assert message(reply) == (first, body)


@given(st.text())
def test_the_first_line_is_one_line_and_short(text: str) -> None:
    line = subject(text)
    assert len(line) <= SUBJECT
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


def test_a_long_first_line_is_shortened_between_words() -> None:
    words = "word " * 30
    assert subject(words) == ("word " * 14).strip()
    assert subject("x" * 100) == "x" * SUBJECT


def test_a_message_is_ready_to_paste() -> None:
    assert commit_message("Add a check", "") == "Add a check\n"
    assert commit_message("Add a check", "It was missing.") == "Add a check\n\nIt was missing.\n"
