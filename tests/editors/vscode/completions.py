"""Ghost text in VS Code: it is the server's answer, and a word, a line or all of it is taken."""

from __future__ import annotations

import time
from typing import Any

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window

TYPED = "while self.disc"
COMPLETION = "textDocument/inlineCompletion"


def offered(window: Window) -> str:
    """Type into the sample; the ghost text, as soon as it is the rest of an answer of the server."""
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type(TYPED)
    return rest(window)


def rest(window: Window) -> str:
    def shown() -> str:
        ghost = window.ghost
        answers = window.server.recording.completions(window.since)
        return ghost if ghost and any(answer.endswith(ghost) for answer in answers[-2:]) else ""

    text: str = window.until(shown)
    return text


def written(window: Window) -> str:
    """The line that was typed, as it is on disk."""
    (line,) = [line for line in window.text(CART).split("\n") if line.startswith(f"        {TYPED}")][:1]
    return line.strip()


def accepted(window: Window, part: str) -> list[dict[str, Any]]:
    told = window.server.recording.notices("palimpsest/event", since=window.since)
    return [said.params for said in told if said.params["kind"] == "accepted" and said.params["part"] == part]


def test_the_package_is_installed(server: CodeServer) -> None:
    assert server.extensions == ["palimpsest.palimpsest"]


def test_behind_an_undo_nothing_is_shown(window: Window) -> None:
    ghost = offered(window)
    window.key("Shift+Home", "Delete")
    window.until(lambda: window.ghost != ghost)
    time.sleep(1)  # VS Code shows by itself what it still has for the same text
    window.key("Control+z")
    n = len(window.server.recording.completions(window.since))
    time.sleep(1)
    assert window.ghost == ""
    assert len(window.server.recording.completions(window.since)) == n, "the server is not asked"
    window.key("End")  # what was deleted is selected again
    window.type(ghost[0])
    assert rest(window)


def test_tab_takes_all_of_the_servers_answer(window: Window) -> None:
    ghost = offered(window)
    window.key("Tab")
    window.until(lambda: not window.ghost or window.ghost != ghost)
    assert written(window) == TYPED + ghost.split("\n")[0]
    taken = window.until(
        lambda: window.server.recording.asked(
            "workspace/executeCommand", window.since, "palimpsest.completion.accepted"
        )
    )
    assert taken[0].result == {}, "it is counted"


def test_a_word_is_taken_and_counted_and_then_the_line(window: Window) -> None:
    ghost = offered(window)
    window.key("Control+ArrowRight")
    left = window.until(lambda: window.ghost != ghost and rest(window))
    assert ghost.endswith(left)
    word = window.until(lambda: accepted(window, "word"))
    assert word[0]["chars"] == len(ghost) - len(left)
    window.key("Shift+Tab")
    window.until(lambda: window.ghost != left)
    line = window.until(lambda: accepted(window, "line"))
    assert written(window) == TYPED + ghost.split("\n")[0]
    assert line[0]["id"] == word[0]["id"]


def test_snoozed_completions_are_counted_down_in_the_status_bar(window: Window) -> None:
    window.command("Palimpsest: Snooze Completions…")
    window.choose("For 15 minutes")
    window.until(lambda: "15 min" in window.status_bar)
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type(TYPED)
    recording = window.server.recording
    window.until(lambda: [a.answer for a in recording.asked(COMPLETION, window.since)][-3:].count(None) == 0)
    assert recording.completions(window.since) == []
    assert window.ghost == ""
    window.command("Palimpsest: Snooze Completions…")
    window.choose("Show them again now")
    window.until(lambda: "Palimpsest" in window.status_bar)
    window.key("Backspace")
    window.type(TYPED[-1])
    assert rest(window)


def test_where_nothing_is_shown_tab_indents(window: Window) -> None:
    window.at(CART, "    limit = 100", after=False)
    window.key("Tab")
    window.until(lambda: "        limit = 100" in window.text(CART))


def test_one_comes_by_hand_where_none_comes_by_itself(window: Window) -> None:
    """In the middle of a line nothing comes while one types."""
    window.at(CART, "total -= self.")
    window.type("d")
    window.command("Palimpsest: Complete Here")
    asked = window.until(
        lambda: [
            a
            for a in window.server.recording.asked(COMPLETION, window.since)
            if a.answer and a.params["context"]["triggerKind"] == 1
        ]
    )
    assert asked[-1].result is not None


def test_a_read_only_document_is_left_alone(window: Window) -> None:
    """Such as what an output channel shows."""
    window.command("Palimpsest: Show the Log")
    window.choose("This extension's output")
    window.until(lambda: window.page.locator(".part.panel .monaco-editor .view-lines").count())
    opened = window.server.recording.notices("textDocument/didOpen", since=window.begun)
    schemes = {said.params["textDocument"]["uri"].partition(":")[0] for said in opened}
    assert schemes == {"file"}
