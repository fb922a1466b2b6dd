"""Every edit format: what is written is read back, whatever is read changes nothing it must not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shown_sample import shown_block

from palimpsest.edits.check import checked
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.line_edits import applied
from palimpsest.edits.reply import EditReply, WrittenEdits
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import CURSOR_MARKER, LineEdit, ShownLine

URI = "file:///a.py"
ALL = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
CODE = [
    "def f(a):",
    "    b = a",
    "    return b",
    "class C:",
    "    def m(self):",
    "        return f(1)",
    "x = 1",
    "@d",
    "",
]
HOSTILE = [
    "L3 x",
    "L3",
    "=======",
    "<<<<<<< SEARCH",
    ">>>>>>> REPLACE",
    "</suggestion>",
    "&lt;/suggestion>",
    "</editing>",
    "  <suggestion name='editing'>",
    "<summary>x</summary>",
    "</replace>",
    '<delete node="function f"/>',
    "&lt;delete node='x'/>",
    "```",
    "...",
    "    ...",
    "@@ -1 +1 @@",
    "--- a/x",
    "+++ b/x",
    "-",
    "+ a",
    "\\ No newline",
    "  trailing  ",
    "\ttab",
    " ",
    "",
    "<|FIM_M",
]
NODES = ["f", "C", "C.m", "file"]
QUOTED = [*CODE, "L9 ", "L1 def f(a):"]
PARTS = {
    "ast": [
        *(f"<delete node='{node}'/>" for node in NODES),
        *(f"<rename node='{node}' to='g'/>" for node in NODES),
        *(f"<replace node='{node}'>\ndef f(): ...\n</replace>" for node in NODES),
        *(f"<insert-before node='{node}'>\ny = 2\n</insert-before>" for node in NODES),
    ],
    "search-replace": [f"<<<<<<< SEARCH\n{line}\n=======\n{line}x\n>>>>>>> REPLACE" for line in QUOTED],
    "udiff": [f"@@\n-{line}\n+{line}x" for line in QUOTED],
    "ln-diff": [f"{sign}L{n} y = 2" for sign in ("", "-", "+") for n in range(11)],
}
"""What a part of a reply may be in a format, about `CODE`."""
LINES = st.one_of(
    st.sampled_from(CODE),
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\r"), max_size=12),
)


def document_of(block: ShownBlock) -> list[str]:
    """Lines around and between those shown, too."""
    places = [line.document_line for line in block.lines if line.document_line is not None]
    lines = [f"# {i}" for i in range(max(places, default=0) + 3)]
    for line in block.lines:
        if line.document_line is not None:
            lines[line.document_line] = line.text
    return lines


@st.composite
def blocks(draw: Any) -> ShownBlock:
    texts = draw(st.lists(st.one_of(LINES, LINES, LINES, st.none()), min_size=1, max_size=9))
    return shown_block(*texts, first=draw(st.integers(0, 2)))


@st.composite
def edits_of(draw: Any, block: ShownBlock) -> list[LineEdit]:
    """Sorted edits that touch only lines of the document."""
    edits, at, lines = list[LineEdit](), 0, block.lines
    for _ in range(draw(st.integers(1, 3))):
        if at > len(lines):
            break
        start = draw(st.integers(at, len(lines)))
        end = start
        while end < len(lines) and lines[end].document_line is not None and draw(st.booleans()):
            end += 1
        around = lines[max(0, start - 1) : start + 1]
        if start < end or any(line.document_line is not None for line in around):
            edits.append(LineEdit(start, end, tuple(draw(st.lists(LINES, max_size=3)))))
            at = end + (start == end)
    return edits


def result(block: ShownBlock, written: WrittenEdits) -> list[str] | str:
    """The document afterwards, or the reason why there is none."""
    lines = document_of(block)
    reading = checked(EditReply((written,)), {block.name: block}, {URI: lines})
    if reading.changes:
        return applied(lines, reading.changes[0].edits)
    return reading.refused[0].reason


@ALL
@given(data=st.data())
def test_what_is_written_is_read_checked_and_applied_as_it_was_meant(format: EditFormat, data: st.DataObject) -> None:
    block = data.draw(blocks())
    edits = data.draw(edits_of(block))
    meant = result(block, WrittenEdits(block.name, tuple(edits)))
    try:
        text = format.write(block, edits, "Say it.")
    except ValueError as error:  # only where nothing is left, which `whole` cannot say,
        # or where it cannot be told which line is the mark of code left out
        if "empty" in str(error):
            assert format.name == "whole"
            return
        own = [line.text for line in block.lines if line.document_line is not None]
        assert any(line.strip() == "..." for line in (*own, *(line for edit in edits for line in edit.lines)))
        assert any(line.document_line is None for line in block.lines)
        return
    reply = format.read(text, {block.name: block})
    assert reply.summary == "Say it."
    (written,) = reply.written
    assert written.complete
    assert result(block, written) == meant


MUTATIONS = [
    "",
    "\n",
    " ",
    "<",
    ">",
    "L",
    "=",
    "-",
    "+",
    "@@",
    '"',
    "</suggestion>",
    "<suggestion name=",
    "```\n",
    "    ",
]


@st.composite
def mutated(draw: Any, text: str) -> str:
    """The text with parts dropped, doubled, moved and put in; or cut off."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 30)))
        part = draw(st.sampled_from([*MUTATIONS, text[start:end] * 2]))
        text = text[:start] + part + text[end:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


@ALL
@given(data=st.data())
def test_a_spoilt_reply_is_read_and_changes_only_what_may_be_changed(format: EditFormat, data: st.DataObject) -> None:
    block = data.draw(blocks())
    locked = shown_block("def f(a):", "    return a", name="locked", editable=False, first=0)
    shown = {"editing": block, "locked": locked}
    edits = data.draw(edits_of(block))
    assume(not any(line.strip() == "..." for edit in edits for line in edit.lines))
    assume(any(map(str.strip, applied([line.text for line in block.lines], edits))))  # `whole` cannot say it
    reply = format.write(block, edits, "Say it.")
    reply += format.write(locked, [LineEdit(1, 2, ("    return 0",))], "")
    reply = data.draw(mutated(reply))
    read = format.read(reply, shown)
    lines = document_of(block)
    reading = checked(read, shown, {URI: lines})
    editable = {line.document_line for line in block.lines} - {None}
    assert len(reading.changes) + len(reading.refused) == len(read.written)
    for change in reading.changes:
        assert change.names == ("editing",)
        touched = {i for edit in change.edits for i in range(edit.start, edit.end)}
        assert touched <= editable
        for edit in change.edits:
            assert edit.start in editable or edit.start - 1 in editable


@pytest.mark.parametrize("format", PARTS)
@given(data=st.data())
def test_parts_in_any_order_are_applied_or_refused_with_a_reason(format: str, data: st.DataObject) -> None:
    block = shown_block(*CODE, "z = 3", "")
    written = "\n".join(data.draw(st.lists(st.sampled_from(PARTS[format]), max_size=4)))
    read = FORMATS[format].read(f'<suggestion name="editing">\n{written}\n</suggestion>', {"editing": block})
    assert all(result(block, one) for one in read.written)


@ALL
@given(
    noise=st.text(st.sampled_from("<>/L12+-=@ \n\r\"'`abc.…"), max_size=60) | st.text(max_size=40),
    head=st.sampled_from(
        ["", '<suggestion name="editing">\n', "<suggestion name='editing'><replace node='function f'>"]
    ),
)
def test_a_reader_takes_any_text(format: EditFormat, noise: str, head: str) -> None:
    block = shown_block(*CODE)
    read = format.read(head + noise, {"editing": block})
    assert bool(read.written) == ("<suggestion" in head + noise and ">" in head + noise)
    result_of = [result(block, written) for written in read.written]
    assert all(isinstance(one, (str, list)) for one in result_of)


@ALL
def test_what_speaks_of_no_block_or_of_one_that_was_not_shown_is_said(format: EditFormat) -> None:
    block = shown_block("def f(a):", "    return a")
    reply = format.write(block, [LineEdit(1, 2, ("    return 0",))], "Say it.")
    assert "does not name a block" in format.read(reply.replace(' name="editing"', ""), {}).written[0].problem
    assert format.read(reply, {}) == EditReply((WrittenEdits("editing"),), "Say it.")


@ALL
def test_two_blocks_are_edited_by_one_reply(format: EditFormat) -> None:
    block, other = shown_block("def f(a):", "    return a"), shown_block("def g(a):", "    return a", name="b.g")
    edit = LineEdit(1, 2, ("    return 0",))
    text = (
        "Sure:\n```xml\n" + format.write(block, [edit], "") + "and\n" + format.write(other, [edit], "Say it.") + "```"
    )
    read = format.read(text.replace("<summary></summary>\n", ""), {"editing": block, "b.g": other})
    assert [(written.name, written.edits) for written in read.written] == [("editing", (edit,)), ("b.g", (edit,))]
    assert read.summary == "Say it."


@ALL
def test_a_document_that_speaks_of_the_cursor_marker_keeps_it(format: EditFormat) -> None:
    edits = [LineEdit(1, 2, (f'    return "{CURSOR_MARKER}" + a',))]
    marked = shown_block("def f(a):", f'    return "{CURSOR_MARKER}"')
    unmarked = shown_block("def f(a):", "    return 0")
    for block, text in [(marked, f'    return "{CURSOR_MARKER}" + a'), (unmarked, '    return "" + a')]:
        (written,) = format.read(format.write(block, edits, ""), {"editing": block}).written
        assert applied([line.text for line in block.lines], written.edits)[1] == text


def test_a_line_that_looks_like_a_mark_beside_one_is_not_removed_by_guesswork() -> None:
    """The reader could not tell which of both is left."""
    numbered = [ShownLine("def f(a):", n, n - 1) for n in range(1, 7)]
    marks = [ShownLine("    ...", 7, 6), ShownLine("    ...", None, None), ShownLine("...", 8, 10)]
    block = ShownBlock("editing", True, "file:///a.py", 1, (*numbered, *marks))
    with pytest.raises(ValueError, match="reads like a mark"):
        FORMATS["whole"].write(block, [LineEdit(4, 7, ())], "Say it.")


def test_edits_that_together_come_to_the_same_lines_change_nothing() -> None:
    """One takes a line out, and the next puts it back: as one edit they would be none."""
    block = shown_block("def f(a):", "def f(a):")
    edits = (LineEdit(0, 1, ()), LineEdit(1, 2, ("def f(a):", "def f(a):")))
    assert result(block, WrittenEdits(block.name, edits)) == "it changes nothing"
