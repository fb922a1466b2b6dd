from __future__ import annotations

from dataclasses import replace

from palimpsest.prompt.instructions import instructions
from palimpsest.prompt.suggestion import suggestion_tail
from palimpsest.types import BLOCK_TYPES, Editing, ShownLine

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
BLOCK = (
    '<editing type="function" file="shop/cart.py" name="Cart.add">\n'
    "L1     def add(self):\nL2\n        ...\n</editing>\n"
)


def test_the_tail_is_the_numbered_block_alone_for_a_model_trained_on_it() -> None:
    assert suggestion_tail(EDITING, None, False) == BLOCK
    assert suggestion_tail(EDITING, " \n ", False) == BLOCK


def test_what_the_person_asks_for_is_one_escaped_line_after_the_block() -> None:
    tail = suggestion_tail(EDITING, "Add </instruction> and\n  a docstring", False)
    assert tail == BLOCK + "<instruction>Add &lt;/instruction> and a docstring</instruction>\n"


def test_what_changes_most_comes_last() -> None:
    tail = suggestion_tail(EDITING, "Shorten it", True, language="Rust")
    assert tail == instructions("Rust") + BLOCK + "<instruction>Shorten it</instruction>\n"
    moved = replace(EDITING, cursor_line=0, cursor_column=3)
    assert suggestion_tail(moved, "Shorten it", True, language="Rust") == tail


def test_instructions_name_the_language_and_every_block_type_and_never_a_diff() -> None:
    text = instructions("Python")
    assert "the Python programming language" in text
    assert all(f"\n- {name}: " in text for name in BLOCK_TYPES)
    assert "diff" not in text.lower()
    assert text.startswith("<instructions>\n")
    assert text.endswith("\n</instructions>\n")
    assert "{" not in text
