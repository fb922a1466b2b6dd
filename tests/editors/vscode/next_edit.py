"""Next edits in VS Code: a name is changed by hand, and Tab leads from one place that should follow to the other."""

from __future__ import annotations

from typing import Any

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.window import Window


def renames(window: Window, method: str, name: str) -> None:
    window.at(CART, f"def {method}")
    window.key("Control+Shift+ArrowLeft")
    window.type(name)
    come = name.removesuffix(method)  # not what was shown in between, for a part of the name
    window.until(lambda: come in window.decorations())


def line_of(window: Window, file: str, text: str) -> int:
    return window.text(file).split("\n").index(text) + 1


def hint(window: Window, text: str) -> None:
    window.until(lambda: any(text in shown for shown in window.decorations()))


def test_the_next_edit_and_the_one_after_are_jumped_to_and_accepted(window: Window) -> None:
    before = window.text(CART)
    line = line_of(window, CART, "        total = self.subtotal()")
    renames(window, "subtotal", "sum_of_lines")
    hint(window, f"Tab: next edit in line {line}")
    window.key("Tab")
    window.until(lambda: f"Ln {line}," in window.status_bar)
    assert window.text(CART) == before.replace("def subtotal", "def sum_of_lines"), "it jumps first"
    hint(window, "Esc: dismiss")
    window.key("Tab")
    window.until(lambda: window.text(CART) == before.replace("subtotal", "sum_of_lines"))


def test_one_in_another_file_is_opened_and_accepted(window: Window) -> None:
    order = "shop/order.py"
    before = window.text(CART), (window.folder / order).read_text(encoding="utf-8")
    renames(window, "total", "grand_total")
    hint(window, "Tab: next edit in line")
    window.key("Tab")
    hint(window, "Esc: dismiss")
    window.key("Tab")
    hint(window, f"next edit in {order}")
    assert "self.grand_total()" in window.text(CART)
    window.key("Tab")
    window.editor(order)
    hint(window, "Esc: dismiss")
    window.key("Tab")
    window.until(lambda: window.text(order) == before[1].replace("cart.total()", "cart.grand_total()"))


def test_a_dismissed_one_is_gone_and_does_not_come_back(window: Window) -> None:
    def places() -> list[Any]:
        asked = window.server.recording.asked("palimpsest/nextEdit", window.since)
        return [[edit["range"] for edit in one.result["edits"]] for one in asked if one.result]

    renames(window, "find", "look_up")
    hint(window, "Tab: next edit")
    window.key("Escape")
    window.until(lambda: not any("next edit" in shown for shown in window.decorations()))
    asked, dismiss = window.server.recording.asked, "palimpsest.nextEdit.dismiss"
    window.until(lambda: [one.result for one in asked("workspace/executeCommand", window.since, dismiss) if one.result])
    before = places()
    window.command("Palimpsest: Next Edit: Jump or Accept")
    hint(window, "Esc: dismiss")
    assert places()[: len(before)] == before
    assert places()[-1] not in ([], before[-1])


def test_a_change_made_twice_is_offered_and_made_once_more(window: Window) -> None:
    before = window.text(CART)
    for method in ("price", "subtotal"):
        window.at(CART, f"def {method}(self) -> int")
        window.key("Control+Shift+ArrowLeft")
        window.type("float")
        window.until(lambda method=method: f"def {method}(self) -> float:" in window.text(CART))
    hint(window, f"Tab: next edit in line {line_of(window, CART, '    def total(self) -> int:')}")
    window.key("Tab")
    hint(window, "Esc: dismiss")
    window.key("Tab")
    window.until(lambda: window.text(CART) == before.replace("self) -> int:", "self) -> float:"))
