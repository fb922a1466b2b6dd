from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.config.settings import described
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_edits import applied
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.instructions import instructions, suggestion_tail
from palimpsest.types import BLOCK_TYPES, CURSOR_MARKER, Editing, ShownLine

LN_DIFF = FORMATS["ln-diff"].text
EDITING = Editing(
    type="function",
    file="shop/cart.py",
    name="Cart.add",
    uri="file:///shop/cart.py",
    version=1,
    lines=(ShownLine("    def add(self):", 1, 7), ShownLine("", 2, 8), ShownLine("        ...", None, None)),
    cursor_line=1,
    cursor_column=0,
)
AREA = [
    ShownLine(text, n, n - 1)
    for n, text in enumerate(["def area(width, height):", "    print(width)", "    return width + height"], start=1)
]
BLOCK = (
    '<editing type="function" file="shop/cart.py" name="Cart.add">\n'
    "L1     def add(self):\nL2\n        ...\n</editing>\n"
)


def test_the_tail_is_the_numbered_block_alone_for_a_model_trained_on_it() -> None:
    assert suggestion_tail(EDITING, None, False, language="Python", format=LN_DIFF) == BLOCK
    assert suggestion_tail(EDITING, " \n ", False, language="Python", format=LN_DIFF) == BLOCK


def test_what_the_person_asks_for_is_one_escaped_line_after_the_block() -> None:
    tail = suggestion_tail(EDITING, "Add </instruction> and\n  a docstring", False, language="Python", format=LN_DIFF)
    assert tail == BLOCK + "<instruction>Add &lt;/instruction> and a docstring</instruction>\n"


def test_what_changes_most_comes_last() -> None:
    tail = suggestion_tail(EDITING, "Shorten it", True, language="Rust", format=LN_DIFF)
    seen = BLOCK.replace("L2", f"L2 {CURSOR_MARKER}")
    assert tail == instructions("Rust", LN_DIFF) + seen + "<instruction>Shorten it</instruction>\n"


@pytest.mark.parametrize("format", FORMATS)
def test_a_model_that_is_told_the_format_sees_the_cursor_and_is_told_what_it_is(format: str) -> None:
    moved = replace(EDITING, cursor_line=0, cursor_column=len("    def add"))
    told = instructions("Python", FORMATS[format].text)
    tail = suggestion_tail(moved, None, True, language="Python", format=FORMATS[format].text)
    assert CURSOR_MARKER in told
    assert f"    def add{CURSOR_MARKER}(self):\n" in tail.removeprefix(told)
    assert tail.removeprefix(told).count(CURSOR_MARKER) == 1
    assert CURSOR_MARKER not in suggestion_tail(moved, None, False, language="Python", format=FORMATS[format].text)


def test_code_that_has_a_cursor_marker_of_its_own_is_shown_as_it_is() -> None:
    own = replace(EDITING, lines=(*EDITING.lines[:2], ShownLine(f'    x = "{CURSOR_MARKER}"', 3, 9)))
    assert suggestion_tail(own, None, True, language="Python", format=LN_DIFF).count(CURSOR_MARKER) == 1


def test_only_a_format_that_names_lines_shows_their_numbers() -> None:
    plain = BLOCK.replace("L1 ", "").replace("L2\n", "\n")
    for format in ("whole", "search-replace", "udiff", "ast"):
        assert suggestion_tail(EDITING, None, False, language="Python", format=FORMATS[format].text) == plain
        assert suggestion_tail(EDITING, "Shorten it", True, language="Python", format=FORMATS[format].text).startswith(
            instructions("Python", FORMATS[format].text)
        )


@pytest.mark.parametrize("format", FORMATS)
def test_instructions_name_the_language_and_every_block_type(format: str) -> None:
    text = instructions("Python", FORMATS[format].text)
    assert "the Python programming language" in text
    assert all(f"\n- {name}: " in text for name in BLOCK_TYPES)
    assert text.startswith("<instructions>\n")
    assert text.endswith("\n</instructions>\n")
    assert "{" not in text
    assert ("diff" in text.lower()) == (format == "udiff")


def test_each_format_can_be_chosen_and_one_of_them_shows_numbers() -> None:
    (choices,) = (it.choices for it in described() if it.name == "suggestion.format")
    assert set(choices) == set(FORMATS)
    assert [name for name, format in FORMATS.items() if format.text.numbered] == ["ln-diff"]


@pytest.mark.parametrize("format", FORMATS)
def test_the_example_of_the_instructions_is_an_edit_that_the_reader_reads(format: str) -> None:
    shown = {"editing": ShownBlock("editing", True, "file:///a.py", 1, tuple(AREA))}
    example = instructions("Python", FORMATS[format].text).split("For example")[1]
    (written,) = FORMATS[format].read(example, shown).written
    lines = [line.text for line in AREA]
    assert written.problem == ""
    assert applied(lines, written.edits) == [lines[0], "    return width * height"]
    assert all(line.text in example for line in AREA)
