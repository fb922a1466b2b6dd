from palimpsest.edits.line_edits import unified
from palimpsest.types import LineEdit


def test_edits_are_shown_as_a_unified_diff() -> None:
    text = unified(["a", "b", "c"], [LineEdit(1, 2, ("B",)), LineEdit(3, 3, ("d",))], "shop/cart.py")
    assert text == "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n"


def test_no_change_is_no_text() -> None:
    assert unified(["a"], [LineEdit(0, 1, ("a",))], "a.py") == ""
