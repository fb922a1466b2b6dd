"""Edits kept to the lines that a person selected."""

from shown_sample import shown_block

from palimpsest.edits.reply import EditReply, WrittenEdits
from palimpsest.edits.selection import describe_selection, narrowed, selected, within
from palimpsest.types import LineEdit

BLOCK = shown_block("def f():", "    a = 1", "    b = 2", None, "    return a", first=10)
OTHER = shown_block("x = 1", name="other", first=0)
SHOWN = {"f": BLOCK, "editing": BLOCK, "other": OTHER}
LINES = range(11, 13)


def problem(name: str, edit: LineEdit) -> str:
    return within(EditReply((WrittenEdits(name, (edit,)),)), SHOWN, LINES).written[0].problem


def test_only_the_selected_lines_may_be_named() -> None:
    found = narrowed(SHOWN, LINES)
    assert found["editing"].editable_numbers == found["f"].editable_numbers == (2, 3)
    assert found["other"].editable_numbers == ()
    assert [line.text for line in found["editing"].lines] == [line.text for line in BLOCK.lines]


def test_a_reply_that_changes_more_has_a_problem() -> None:
    assert problem("editing", LineEdit(1, 3, ("    c = 3",))) == ""
    assert problem("f", LineEdit(3, 3, ("    c = 3",))) == ""
    for edit in (LineEdit(0, 2, ()), LineEdit(2, 4, ()), LineEdit(0, 0, ("x",)), LineEdit(4, 5, ())):
        assert problem("editing", edit) == "it changes more than the selected lines 2 to 3"
    assert "outside of the selection" in problem("other", LineEdit(0, 1, ()))
    assert problem("unknown", LineEdit(0, 1, ())) == ""


def test_the_model_is_told_by_number_or_by_text() -> None:
    assert describe_selection(BLOCK, LINES, numbered=True) == "Change lines 2 to 3 and nothing else."
    assert describe_selection(BLOCK, range(11, 12), numbered=True) == "Change line 2 and nothing else."
    assert (
        describe_selection(BLOCK, LINES, numbered=False)
        == "Change nothing outside of the lines from `a = 1` to `b = 2`."
    )
    assert selected(BLOCK, range(5)) == ()
