"""From edits of a block to edits of its document: what is applied, what is refused, what is carried over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shown_sample import shown_block

from palimpsest.edits.check import checked
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_edits import applied, line_map, normalised
from palimpsest.edits.rebased import rebased
from palimpsest.edits.reply import CheckedReply, EditReply, WrittenEdits
from palimpsest.edits.shown import ShownBlock, shown_blocks
from palimpsest.types import Block, DocumentChange, Editing, LineEdit, Refusal, ShownLine

read = FORMATS["ln-diff"].read
URI = "file:///a.py"
LINES = ("import os", "def f(a):", "    b = a", "    x()", "    y()", "    z()", "    return b", "")
BLOCK = shown_block(LINES[1], LINES[2], None, LINES[6], first=1)


def check(*lines: str, block: ShownBlock = BLOCK) -> CheckedReply:
    text = f'<suggestion name="{block.name}">\n' + "\n".join(lines) + "\n</suggestion>\n<summary>S</summary>"
    shown = {block.name: block}
    return checked(read(text, shown), shown, {URI: LINES})


def changed(reply: CheckedReply, lines: Sequence[str] = LINES) -> list[str]:
    assert reply.refused == ()
    (change,) = reply.changes
    return applied(lines, change.edits)


def reason(reply: CheckedReply) -> str:
    assert reply.changes == ()
    (refusal,) = reply.refused
    return refusal.reason


def test_a_suggestion_says_what_it_changes_and_for_which_version() -> None:
    reading = check("L2     b = a + 1", "L2+     print(b)")
    edit = LineEdit(2, 3, ("    b = a + 1", "    print(b)"))
    assert reading == CheckedReply((DocumentChange(URI, 1, (edit,), ("editing",)),), (), "S")


def test_each_operation_changes_the_line_it_names() -> None:
    reading = check("L0+ @cache", "L1+     'Doc.'", "L2-", "L3+ ", "L3+ X = 1")
    expected = [LINES[0], "@cache", LINES[1], "    'Doc.'", *LINES[3:7], "", "X = 1", ""]
    assert changed(reading) == expected


def test_an_insertion_before_a_cut_stands_right_after_its_line() -> None:
    assert changed(check("L2+     new()"))[3:5] == ["    new()", "    x()"]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["L4     return a"], 'line 4 of "editing" was not shown'),
        (["L0 import re"], 'line 0 of "editing" was not shown'),
        (["L2     b = a + 1", "L9-"], "line 9"),
        (["L2     b = a + 1", "L2-"], 'line 2 of "editing" is both replaced and deleted'),
        (["no number"], "before any line number"),
    ],
)
def test_what_was_not_shown_or_cannot_be_read_is_refused_whole(lines: list[str], says: str) -> None:
    assert says in reason(check(*lines))


def test_unknown_and_locked_blocks_are_refused_by_name() -> None:
    locked = shown_block("x", name="locked", editable=False)
    assert reason(check("L1 y", block=locked)) == 'the block "locked" cannot be edited'
    unknown = EditReply((WrittenEdits("Other", (LineEdit(0, 1, ()),)),))
    assert checked(unknown, {}, {}).refused == (Refusal("Other", 'no block named "Other" was shown'),)


def test_a_line_that_stands_for_no_line_of_the_document_cannot_be_edited() -> None:
    block = ShownBlock("editing", True, URI, 1, (ShownLine("class C:", 1, None), ShownLine(LINES[1], 2, 1)))
    assert "line 1" in reason(check("L1 class D:", block=block))
    assert "line 1" in reason(check("L1+ x = 1", block=block))
    assert changed(check("L0+ X = 1", block=block))[1] == "X = 1"


def test_a_block_that_does_not_show_the_document_verbatim_is_refused() -> None:
    block = shown_block("b = a", first=2)
    assert "does not show the lines" in reason(check("L1 b = 1", block=block))


@pytest.mark.parametrize("lines", [["L2     b = a"], [], ["L2     b = a", "L3     return b"], ["L2-", "L2     b = a"]])
def test_a_suggestion_that_changes_nothing_is_refused_as_such(lines: list[str]) -> None:
    assert check(*lines) == CheckedReply((), (Refusal("editing", "it changes nothing"),), "S")


def test_suggestions_of_one_reply_are_checked_one_by_one() -> None:
    text = "".join(f'<suggestion name="editing">\n{line}\n</suggestion>\n' for line in ("L2     b = 1", "L9 x", "L4-"))
    reading = checked(read(text, {"editing": BLOCK}), {"editing": BLOCK}, {URI: LINES})
    assert [s.edits for s in reading.changes] == [(LineEdit(2, 3, ("    b = 1",)),)]
    assert len(reading.refused) == 2


def moved(now: Sequence[str], *lines: str) -> list[str] | None:
    """A document that has moved on, with the change; None where that no longer applies."""
    (change,) = check(*lines).changes
    newer = rebased(change, LINES, now, 3)
    return None if newer is None else applied(now, newer.edits)


class TestADocumentThatMovedOn:
    def test_is_edited_where_the_touched_lines_are_now(self) -> None:
        found = moved(("import re", "", *LINES), "L2     b = a + 1")
        assert found is not None
        assert found[4] == "    b = a + 1"

    def test_is_edited_in_place_when_the_change_is_further_down(self) -> None:
        found = moved((*LINES[:4], "    more()", *LINES[4:]), "L2     b = a + 1")
        assert found is not None
        assert found[2] == "    b = a + 1"

    def test_gets_new_lines_beside_one_that_was_edited(self) -> None:
        now = (*LINES[:3], "    x(1)", *LINES[4:])
        assert moved(now, "L2+     new()") == [*now[:3], "    new()", *now[3:]]
        assert moved((*LINES[:3], "    x(1)", *LINES[3:]), "L2+     new()") is None, "before or behind it?"

    @pytest.mark.parametrize(
        "lines",
        [
            (*LINES[:2], "    b = a * 2", *LINES[3:]),  # the touched line was changed
            (*LINES[:2], *LINES[3:]),  # deleted
            (*LINES[:3], "    b = a", *LINES[3:]),  # doubled: which of the two?
        ],
    )
    def test_is_refused_when_the_touched_line_is_no_longer_known(self, lines: tuple[str, ...]) -> None:
        assert moved(lines, "L2     b = a + 1") is None

    def test_is_refused_when_touched_lines_were_moved_apart(self) -> None:
        assert moved((*LINES[:4], "    more()", *LINES[4:]), "L2     c = a", "L3     return c") is None


SMALL = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8)


@given(old=SMALL, new=SMALL)
def test_a_line_that_is_known_again_says_the_same(old: list[str], new: list[str]) -> None:
    known = line_map(old, new)
    assert all(old[i] == new[j] for i, j in known.items())
    assert len(set(known.values())) == len(known)


@given(old=SMALL, at=st.integers(0, 8), put=SMALL)
def test_lines_put_in_shift_only_what_is_below(old: list[str], at: int, put: list[str]) -> None:
    new = [*old[:at], *put, *old[at:]]
    known = line_map(old, new)
    assume(not set(put) & set(old))
    assert known == {i: i if i < at else i + len(put) for i in range(len(old))}


def meant(lines: Sequence[str], block: ShownBlock, edits: Sequence[LineEdit]) -> list[str] | None:
    """The document with the edits, the slow and obvious way: what every line of the block becomes; None where an
    edit touches what stands for no line of the document."""
    becomes = {line.document_line: [line.text] for line in block.lines if line.document_line is not None}
    before = dict[int, list[str]]()
    for edit in edits:
        places = [line.document_line for line in block.lines[edit.start : edit.end]]
        if edit.start < edit.end:
            for n, place in enumerate(places):
                if place is None:
                    return None
                becomes[place] = list(edit.lines[n:] if n + 1 == len(places) else edit.lines[n : n + 1])
            continue
        around = [line.document_line for line in block.lines[max(0, edit.start - 1) : edit.start + 1]]
        if edit.start > 0 and (above := around[0]) is not None:
            becomes[above] += edit.lines
        elif edit.start < len(block.lines) and (below := around[-1]) is not None:
            before.setdefault(below, []).extend(edit.lines)
        else:
            return None
    return [text for place, line in enumerate(lines) for text in [*before.get(place, []), *becomes.get(place, [line])]]


@st.composite
def block_edits(draw: Any, n_lines: int) -> list[LineEdit]:
    """Sorted edits without overlap, of which each inserts or changes a few lines."""
    edits, at = list[LineEdit](), 0
    while at <= n_lines and len(edits) < 4:
        start = draw(st.integers(at, n_lines))
        end = draw(st.integers(start, min(n_lines, start + 3)))
        edits.append(LineEdit(start, end, tuple(draw(st.lists(st.sampled_from(["a", "b", "x"]), max_size=3)))))
        at = end + draw(st.integers(0, 3)) if end > start else end + 1
        if not draw(st.booleans()):
            break
    return edits


@given(
    texts=st.lists(st.sampled_from(["a", "b", None]), min_size=8, max_size=8), first=st.integers(0, 3), data=st.data()
)
def test_edits_of_a_block_do_to_the_document_what_they_say(
    texts: list[str | None], first: int, data: st.DataObject
) -> None:
    block = shown_block(*texts, first=first)
    edits = data.draw(block_edits(len(block.lines)))
    lines = ["#"] * (first + 8 * 3)
    for line in block.lines:
        if line.document_line is not None:
            lines[line.document_line] = line.text
    reading = checked(EditReply((WrittenEdits("editing", tuple(edits)),)), {"editing": block}, {URI: lines})
    wanted = meant(lines, block, edits)
    if wanted is None:
        assert "code was left out" in reason(reading)
    elif wanted == lines:
        assert reason(reading) == "it changes nothing"
    else:
        assert changed(reading, lines) == wanted
        (change,) = reading.changes
        ends = [-1, *(edit.end for edit in change.edits)]
        assert all(end < edit.start for end, edit in zip(ends, change.edits, strict=False))


def test_equal_edits_are_one_however_they_were_written() -> None:
    one = normalised(LINES, [LineEdit(1, 2, ("def g(a):",)), LineEdit(2, 3, ("    b = a",)), LineEdit(3, 4, ())])
    other = normalised(LINES, [LineEdit(3, 4, ()), LineEdit(1, 2, ("def g(a):",))])
    assert one == other == (LineEdit(1, 2, ("def g(a):",)), LineEdit(3, 4, ()))


def test_the_blocks_of_a_prompt_are_known_by_the_names_a_reply_may_use() -> None:
    editing = Editing("function", "a.py", "f", URI, 4, BLOCK.lines, 0, 0)
    other = "file:///b.py"
    blocks = [
        Block("class", "Cart", "class Cart:\n    x", editable=True, uri=other, lines=(4, None)),
        Block("package", "re", "re.match()"),
        Block("class", "gone", "class Gone:", editable=True, uri="file:///gone.py", lines=(0,)),
        Block("class", "twice", "a", editable=True, uri=other, lines=(0,)),
        Block("file", "twice", "a", editable=True, uri=other, lines=(0,)),
    ]
    shown = shown_blocks(editing, blocks, {URI: 4, other: 7})
    assert {name: block.editable_numbers for name, block in shown.items()} == {
        "editing": (1, 2, 3),
        "f": (1, 2, 3),
        "Cart": (1,),
        "re": (),
        "gone": (),
        "twice": (),
    }
    assert shown["f"].name == "editing"
    assert (shown["Cart"].version, shown["editing"].version) == (7, 4)
