"""A change as the edit of one block: what a model trained on edits goes on from."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.edits.changed_block import changed_block
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_edits import applied
from palimpsest.edits.shown import of_editing
from palimpsest.prompt.summary import FileChange

OLD = """\
import os


class Cart:
    items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        total = 0
        for item in self.items:
            total += item
        return total
"""


def change(old: str, new: str, file: str = "shop/cart.py") -> FileChange:
    kind = "changed" if old else "added"
    return FileChange(file, kind, tuple(old.splitlines()), tuple(new.splitlines()))


def test_the_function_changed_most_is_shown_as_it_was() -> None:
    new = OLD.replace("import os", "import sys").replace("total += item", "total += item.price\n            count += 1")
    editing, edits = changed_block(change(OLD, new), 400)
    assert (editing.type, editing.name, editing.file) == ("function", "Cart.total", "shop/cart.py")
    written = FORMATS["ln-diff"].write(of_editing(editing), edits, "")
    assert "\nL4             total += item.price\nL4+             count += 1\n</suggestion>\n<summary>" in written


def test_a_new_file_is_all_inserted_and_a_removed_one_all_deleted() -> None:
    editing, edits = changed_block(change("", "a = 1\nb = 2\n"), 400)
    assert applied([line.text for line in editing.lines], edits) == ["a = 1", "b = 2"]
    editing, edits = changed_block(change("a = 1\nb = 2\n", ""), 400)
    assert applied([line.text for line in editing.lines], edits) == []


def test_prose_is_shown_around_the_change() -> None:
    lines = [f"Line {n} of it." for n in range(500)]
    old = "\n".join(lines)
    editing, edits = changed_block(change(old, old.replace("Line 400 of", "Line CD of"), "README.md"), 100)
    assert [line.text for line in editing.lines if line.number and line.document_line == 400] == ["Line 400 of it."]
    assert len(edits) == 1
    assert edits[0].lines == ("Line CD of it.",)


def test_what_is_inserted_is_bounded() -> None:
    _, edits = changed_block(change("a = 1\n", "\n".join(f"b{n} = {n}" for n in range(5000))), 100)
    assert sum(len(line) + 1 for edit in edits for line in edit.lines) <= 320


LINES = st.lists(
    st.sampled_from(["def f():", "    return 1", "class A:", "    def g(self):", "        x = 1", "", "y = 2"])
)


@given(LINES, LINES, st.integers(32, 200))
def test_any_change_can_be_written(old: list[str], new: list[str], max_tokens: int) -> None:
    made = FileChange("a.py", "changed", tuple(old), tuple(new))
    assume(made.size)
    editing, edits = changed_block(made, max_tokens)
    written = FORMATS["ln-diff"].write(of_editing(editing), edits, "")
    assert written.startswith('<suggestion name="editing">\n')
    assert written.endswith("<summary></summary>\n")
