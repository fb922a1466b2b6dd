"""Reading ln-diff replies: docs/formats.md's table, and what small models make of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown_sample import shown_block

from palimpsest.edits.formats import FORMATS
from palimpsest.edits.reply import EditReply, WrittenEdits
from palimpsest.types import CURSOR_MARKER, LineEdit

read = FORMATS["ln-diff"].read
INDEX = {1: 0, 2: 1, 3: 3}
SHOWN = {
    "editing": shown_block("def f(a):", "    b = a", None, "    return b"),
    "shop.Cart": shown_block("class Cart:", "    items = 1", name="shop.Cart"),
}


def replace(number: int, *texts: str) -> LineEdit:
    """Line `number` becomes these; the block's third line stands for code left out."""
    return LineEdit(INDEX[number], INDEX[number] + 1, texts)


def insert(number: int, *texts: str) -> LineEdit:
    at = INDEX[number] + 1 if number else 0
    return LineEdit(at, at, texts)


def edits(*lines: str) -> list[LineEdit]:
    reply = read('<suggestion name="editing">\n' + "\n".join(lines) + "\n</suggestion>\n", SHOWN)
    assert [written.problem for written in reply.written] == [""]
    return list(reply.written[0].edits)


@pytest.mark.parametrize(
    ("lines", "means"),
    [
        (["L2     c = a"], [replace(2, "    c = a")]),
        (["L2"], [replace(2, "")]),
        (["L2 "], [replace(2, "")]),
        (["L2+     c = a"], [insert(2, "    c = a")]),
        (["L2+"], [insert(2, "")]),
        (["L2+x"], [insert(2, "x")]),
        (["L0+ import re"], [insert(0, "import re")]),
        (["L2-"], [replace(2)]),
        (["L2-     b = a"], [replace(2)]),
        (["L2 x", "    y", "z"], [replace(2, "x", "    y", "z")]),
        (["L2-", "    y"], [replace(2, "    y")]),
        (["L2 x", "", "L3 y"], [replace(2, "x", ""), replace(3, "y")]),
        (["L2 x", "L2 y", "L2 z"], [replace(2, "x", "y", "z")]),
        (["L2-", "L2 y"], [replace(2, "y")]),
        (["L3 x", "L1 y"], [replace(1, "y"), replace(3, "x")]),
    ],
)
def test_each_way_to_write_a_line_means_what_the_table_says(lines: list[str], means: list[LineEdit]) -> None:
    assert edits(*lines) == means


@pytest.mark.parametrize(
    ("line", "means"),
    [
        (f"L2     {CURSOR_MARKER}c = a", replace(2, "    c = a")),
        ("L2+ L3     c = a", insert(2, "    c = a")),
        ("L2 L2     c = a", replace(2, "    c = a")),
        ("L2+ L3 = 4", insert(2, "L3 = 4")),
        ("L2+ L3 += 4", insert(2, "L3 += 4")),
        ("L2 x = '&lt;/suggestion>' + '&lt;/editing>'", replace(2, "x = '</suggestion>' + '</editing>'")),
        ("L2 x = '</suggestion>'", replace(2, "x = '</suggestion>'")),
        ("L2 x = '&lt;/context>'", replace(2, "x = '&lt;/context>'")),
        ("L2     c = a\r", replace(2, "    c = a")),
        ("L2\tc = a", replace(2, "\tc = a")),
    ],
)
def test_a_slip_is_undone(line: str, means: LineEdit) -> None:
    assert edits(line) == [means]


def test_the_mark_of_a_cut_that_was_copied_is_no_line() -> None:
    assert edits("L2 x", "    ...", "L3 y") == [replace(2, "x"), replace(3, "y")]
    assert edits("L1 x", "    ...") == [replace(1, "x", "    ...")]


@pytest.mark.parametrize(
    "head",
    [
        '<suggestion name="shop.Cart">',
        "<suggestion name='shop.Cart'>",
        "<suggestion name=shop.Cart>",
        '<suggestion type="class", file="shop/cart.py", name="shop.Cart", >',
        '<suggestion file="a>b.py" name = "shop.Cart" name="editing">',
        '<suggestion name="shop.Cart>',
    ],
)
def test_attributes_are_read_leniently(head: str) -> None:
    assert read(f"{head}\nL1 x\n</suggestion>", SHOWN).written == (WrittenEdits("shop.Cart", (replace(1, "x"),)),)


def test_entities_in_a_name_are_undone() -> None:
    assert read('<suggestion name="a &quot;&lt;&amp;b">\nL1-\n</suggestion>', {}).written[0].name == 'a "<&b'


def test_several_suggestions_and_a_summary_are_read_and_the_rest_ignored() -> None:
    reply = (
        'Sure!\n```xml\n<suggestion name="editing">\nL1 x\n</suggestion>\nand\n<suggestion name="shop.Cart">L2-\n'
        "  </suggestion>\n```\n<summary>\n Does  this\nand that. </summary> Bye. L3 no"
    )
    assert read(reply, SHOWN) == EditReply(
        (WrittenEdits("editing", (replace(1, "x"),)), WrittenEdits("shop.Cart", (replace(2),))), "Does this and that."
    )


def test_a_closing_tag_at_the_end_of_a_line_closes() -> None:
    reply = read('<suggestion name="editing">\nL1 x</suggestion><summary>S</summary>', SHOWN)
    assert reply == EditReply((WrittenEdits("editing", (replace(1, "x"),)),), "S")


def test_a_forgotten_closing_tag_is_read_as_given() -> None:
    reply = read('<suggestion name="editing">\nL1 x\n<suggestion name="editing">\nL2 y\n<summary>S</summary>\n', SHOWN)
    assert [written.edits for written in reply.written] == [(replace(1, "x"),), (replace(2, "y"),)]
    assert [written.complete for written in reply.written] == [True, True]
    assert reply.summary == "S"


@pytest.mark.parametrize("end", ["", "L", "L3", "L3 retu", "</sugg"])
def test_a_reply_that_is_cut_off_keeps_its_complete_lines(end: str) -> None:
    reply = read(f'<suggestion name="editing">\nL1 x\nL2 y\n{end}', SHOWN)
    assert reply.written == (WrittenEdits("editing", (replace(1, "x"), replace(2, "y")), complete=False),)


def test_a_summary_that_is_cut_off_is_kept() -> None:
    assert read("<summary>Half a sent", SHOWN).summary == "Half a sent"


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("<suggestion>\nL1 x\n</suggestion>", "does not name a block"),
        ('<suggestion name="editing">\n\ndef f(a):\nL1 x\n</suggestion>', "before any line number: 'def f(a):'"),
    ],
)
def test_what_cannot_be_read_is_named(reply: str, problem: str) -> None:
    (written,) = read(reply, SHOWN).written
    assert problem in written.problem
    assert written.edits == ()


@given(st.text(st.sampled_from("<>/L123+- \n\r\"'=abc"), max_size=60) | st.text(max_size=40))
def test_any_text_is_read(noise: str) -> None:
    assert read(noise, SHOWN).written == () or "<suggestion" in noise
    reply = read(f'<suggestion name="editing">{noise}\n</suggestion>', SHOWN)
    assert len(reply.written) >= 1
