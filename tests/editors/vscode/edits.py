"""An edit in VS Code: a code action shows a diff, it is applied, and undone in one step."""

from __future__ import annotations

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.window import Window

WRONG, RIGHT = "amount(totla)", "amount(total)"
SUGGEST = "palimpsest.suggest"


def asks(window: Window) -> None:
    """By the code action at the sample's slip; its diff is in front then."""
    window.at(CART, WRONG)
    window.code_action("Palimpsest: improve")
    shows_the_diff(window)


def shows_the_diff(window: Window, wrong: str = WRONG, right: str = RIGHT) -> None:
    window.page.locator(".monaco-diff-editor .modified .view-lines").first.wait_for()
    window.until(lambda: right in window.shown(".monaco-diff-editor .modified .view-lines"))
    assert wrong in window.shown(".monaco-diff-editor .original .view-lines")


def test_a_code_action_shows_its_diff_and_is_applied_and_undone_in_one_step(window: Window) -> None:
    before = window.text(CART)
    asks(window)
    assert (window.folder / CART).read_text(encoding="utf-8") == before, "nothing is changed before one agrees"
    window.command("Palimpsest: Apply the Edit")
    window.until(lambda: window.page.locator(".monaco-diff-editor").count() == 0)  # it shows both texts
    window.until(lambda: RIGHT in window.shown(".monaco-editor .view-lines"))
    assert window.text(CART) == before.replace(WRONG, RIGHT)
    window.key("Control+z")
    window.until(lambda: WRONG in window.shown(".monaco-editor .view-lines"))
    assert window.text(CART) == before


def test_a_rejected_edit_changes_nothing_and_is_not_offered_again(window: Window) -> None:
    window.at(CART, "self.lines.remove(line")
    window.key("Backspace", "Backspace")
    window.type("en")
    before = window.text(CART)
    assert "remove(lien)" in before
    window.command("Palimpsest: Edit Here")
    shows_the_diff(window, "remove(lien)", "remove(line)")
    (asked,) = window.server.recording.asked("workspace/executeCommand", window.since, SUGGEST)
    offered = asked.result["suggestions"][0]["diff"]
    window.command("Palimpsest: Reject the Last Edit")
    window.until(lambda: window.page.locator(".monaco-diff-editor").count() == 0)
    assert window.text(CART) == before
    window.command("Palimpsest: Edit Here")
    again = window.until(
        lambda: [
            a for a in window.server.recording.asked("workspace/executeCommand", window.since, SUGGEST)[1:] if a.answer
        ]
    )
    assert offered not in [one["diff"] for one in again[0].result["suggestions"]]


def test_the_lines_that_are_selected_are_edited_with_an_instruction(window: Window) -> None:
    window.at(CART, WRONG)
    window.key("Home", "Shift+End")
    window.command("Palimpsest: Edit with an Instruction")
    window.page.locator(".quick-input-widget", has_text="the selected lines").wait_for()
    window.type("Correct the name.")
    window.key("Enter")
    asked = window.until(
        lambda: [
            a for a in window.server.recording.asked("workspace/executeCommand", window.since, SUGGEST) if a.answer
        ]
    )[0]
    line = window.text(CART).split("\n").index(f"            total -= self.discount.{WRONG}")
    selected = asked.params["arguments"][0]["range"]
    assert (selected["start"]["line"], selected["end"]["line"]) == (line, line)
    assert "suggestions" in asked.result
