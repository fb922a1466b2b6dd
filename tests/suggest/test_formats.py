"""Every edit format: what is written is read back, whatever is read changes nothing it must not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shown_sample import shown_block

from palimpsest.suggest.check import Document, checked
from palimpsest.suggest.edits import applied
from palimpsest.suggest.formats import FORMATS
from palimpsest.suggest.formats.format import Format
from palimpsest.suggest.reply import Reply, Written
from palimpsest.suggest.shown import ShownBlock
from palimpsest.types import CURSOR_MARKER, LineEdit

URI = "file:///a.py"
ALL = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
CODE = ["def f(a):", "    b = a", "    return b", "class C:", "    def m(self):", "        return f(1)", "x = 1", "@d", ""]
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


def result(block: ShownBlock, written: Written) -> list[str] | str:
    """The document afterwards, or the reason why there is none."""
    lines = document_of(block)
    now = Document(1, tuple(lines), lambda text: 0)
    reading = checked(Reply((written,)), {block.name: block}, {URI: now})
    if reading.suggestions:
        return applied(lines, reading.suggestions[0].edits)
    return reading.refused[0].reason


@ALL
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_checked_and_applied_as_it_was_meant(format: Format, data: st.DataObject) -> None:
    block = data.draw(blocks())
    edits = data.draw(edits_of(block))
    meant = result(block, Written(block.name, tuple(edits)))
    reply = format.read(format.write(block, edits, "Say it."), {block.name: block})
    assert reply.summary == "Say it."
    (written,) = reply.written
    assert written.complete
    assert result(block, written) == meant
