"""Next edits in VS Code as they are shown and taken by keys, with a server that answers what a test wants.  What people
have complained of in other editors: Tab and Escape do something else than was meant, one comes back, flickers, covers
the code, or moves the cursor."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from tests.editors.answers import NOTHING, command, edit, said, tell
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import DECORATIONS, NBSP, Window

pytestmark = [pytest.mark.slow(part="editors"), pytest.mark.timeout(600)]

NEXT, ACCEPT, DISMISS = "palimpsest/nextEdit", "palimpsest.nextEdit.accept", "palimpsest.nextEdit.dismiss"
BY_HAND = "Palimpsest: Next Edit: Jump or Accept"
NO_TAB = "a change · Esc: dismiss"
HINT = f"Tab: {NO_TAB}"
SNIPPETS = {"Zap": {"prefix": "zap", "body": "zap($1, $2);$0"}}
NUMBERS = count()
WATCH = f"""() => {{
  const probe = document.body.appendChild(document.createElement('div'));
  window.framesSeen = [];
  new ResizeObserver(() => window.framesSeen.push(({DECORATIONS})())).observe(probe);
  const begin = (width) => {{
    probe.style.width = `${{width}}px`;
    window.nextFrame = requestAnimationFrame(() => begin(1 - width));
  }};
  begin(1);
}}"""
"""From now on, note frame by frame what is written into the text: as it is painted, when all else is done."""
SEEN = "() => { cancelAnimationFrame(window.nextFrame); return window.framesSeen; }"
COVERED = """() => [...document.querySelectorAll('.editor-instance .view-line > span > span')]
  .filter((piece) => piece.textContent.trim())
  .flatMap((piece) => [...piece.getClientRects()].map((box) => [piece, box.left + 2, box.top + box.height / 2]))
  .filter(([piece, x, y]) => !piece.contains(document.elementFromPoint(x, y)))
  .map(([piece]) => piece.textContent)"""
"""Pieces of the code that something else is in front of."""

Begin = Callable[..., str]


@pytest.fixture(scope="module")
def shared(server: CodeServer, context: BrowserContext) -> Iterator[Window]:
    tell(server.folder)
    server.configure(
        palimpsest__server__command=command(server.folder), editor__wordBasedSuggestions="matchingDocuments"
    )
    folder = server.workspace("told")
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "of.code-snippets").write_text(json.dumps(SNIPPETS), encoding="utf-8")
    made = Window(context, server, folder, "README.md")
    made.until(lambda: said(server.folder, "textDocument/didOpen"))
    yield made
    made.close()


@pytest.fixture
def window(shared: Window) -> Iterator[Window]:
    yield shared
    shared.key("Escape", "Escape")
    answers(shared, NOTHING)
    shared.save()
    shared.command("View: Close All Editors")
    shared.until(lambda: shared.page.locator(".tab").count() == 0)


def answers(window: Window, answer: Any, accepted: Any = NOTHING, **more: Any) -> None:
    tell(window.server.folder, **{NEXT: answer, ACCEPT: accepted, DISMISS: {}}, **more)


def begun(window: Window, text: str, answer: Any = NOTHING, **more: Any) -> str:
    """A file of the test's own, opened; whoever asks is answered so."""
    file = f"told_{next(NUMBERS)}.py"
    (window.folder / file).write_text(text, encoding="utf-8")
    answers(window, answer, **more)
    (window.server.folder / "log.jsonl").unlink(missing_ok=True)
    window.open(file)
    return file


def asked(window: Window, method: str = NEXT) -> list[dict[str, Any]]:
    return said(window.server.folder, method)


def shown(window: Window, text: str) -> None:
    window.until(lambda: text in window.decorations())


def gone(window: Window) -> None:
    window.until(lambda: window.decorations() == [])


def by_hand(window: Window, line: int, column: int = 1, hint: str = HINT) -> None:
    """Ask for one at a place, where it is shown."""
    window.go_to(line, column)
    window.command(BY_HAND)
    shown(window, hint)


def test_one_near_the_cursor_is_made_by_one_key_and_the_cursor_stays(window: Window) -> None:
    file = begun(window, "one\ntwo\nthree\n", edit((2, 0), (2, 5), "longer"))
    by_hand(window, 1, 2)
    assert asked(window)[-1]["params"]["trigger"] == "invoked"
    window.key("Tab")
    gone(window)
    assert window.text(file) == "one\ntwo\nlonger\n"
    assert "Ln 1, Col 2" in window.status_bar
    window.key("Control+z")
    assert window.text(file) == "one\ntwo\nthree\n"


def test_one_farther_off_is_jumped_to_first(window: Window) -> None:
    text = "one\n2\n3\n4\n"
    file = begun(window, text, edit((3, 0), (3, 1), "four"))
    window.go_to(1, 4)
    window.type(" ")
    shown(window, "Tab: next edit in line 4")
    assert asked(window)[-1]["params"]["trigger"] == "automatic"
    window.key("Tab")
    shown(window, HINT)
    assert "Ln 4, Col 1" in window.status_bar
    window.key("Tab")
    gone(window)
    window.until(lambda: "Ln 4, Col 5" in window.status_bar)
    assert window.text(file) == "one \n2\n3\nfour\n"


def test_what_is_shown_goes_when_they_are_snoozed(window: Window) -> None:
    snooze = {"palimpsest.completion.snooze": {"until": 1, "says": ""}}
    begun(window, "one\ntwo\nthree\n", edit((2, 0), (2, 5), "longer"), **snooze)
    by_hand(window, 1)
    window.command("Palimpsest: Snooze Completions…")
    window.choose("For 5 minutes")
    gone(window)
    by_hand(window, 1)


def test_opening_and_moving_about_asks_nothing(window: Window) -> None:
    begun(window, "one\ntwo\nthree\n", edit((2, 0), (2, 5), "longer"))
    for line in (3, 1, 2):
        window.go_to(line)
    assert window.decorations() == []
    window.type("x")
    shown(window, HINT)
    assert [one["params"]["textDocument"]["version"] for one in asked(window)] == [2]


def test_what_is_left_stays_while_the_beginning_is_typed_and_all_of_it_is_accepted(window: Window) -> None:
    come = " + 1 more"
    file = begun(window, "a = b\nc = d\n", edit((0, 5), (0, 5), come))
    by_hand(window, 1, 6)
    answers(window, NOTHING, edit((1, 4), (1, 5), "e", id="2"))
    n_asked = len(asked(window))
    window.page.evaluate(WATCH)
    window.type(come[:-2])
    shown(window, come[-2:])
    frames = [[text.replace(NBSP, " ") for text in frame] for frame in window.page.evaluate(SEEN)]
    assert [frame for frame in frames if not any(come.endswith(text) for text in frame)] == [], frames
    assert len(asked(window)) == n_asked
    assert asked(window, ACCEPT) == []
    window.type(come[-2:])
    shown(window, "e")
    assert [one["params"]["arguments"] for one in asked(window, ACCEPT)] == [[{"id": "1"}]]
    assert window.text(file) == "a = b + 1 more\nc = d\n"


def test_it_is_gone_with_any_other_change_and_tab_indents_again(window: Window) -> None:
    file = begun(window, "a = b\nc = d\n", edit((0, 5), (0, 5), " + 1"))
    by_hand(window, 1, 6)
    answers(window, NOTHING)
    window.type("x", 0)
    window.key("Tab")  # before anybody may have heard of the other
    gone(window)
    window.key("Tab")
    assert window.text(file) == "a = bx  " + "    \nc = d\n"
    assert asked(window, ACCEPT) == []


def test_tab_indents_in_an_empty_row(window: Window) -> None:
    file = begun(window, "one\n\n\n\n5\n", edit((4, 0), (4, 1), "five"))
    window.go_to(1, 4)
    window.type(" ")
    shown(window, "Tab: next edit in line 5")
    window.key("ArrowDown")
    shown(window, "next edit in line 5")
    window.key("Tab")
    assert window.text(file) == "one \n    \n\n\n5\n"


def test_tab_is_for_the_list_of_suggestions_while_that_is_open(window: Window) -> None:
    file = begun(window, "something\nsome\nlast\n", edit((2, 0), (2, 4), "first"))
    by_hand(window, 2, 5)
    window.key("Control+Space")
    window.page.locator(".suggest-widget .monaco-list-row.focused", has_text="something").wait_for()
    answers(window, NOTHING)
    window.key("Tab")
    gone(window)
    assert window.text(file) == "something\nsomething\nlast\n"
    assert asked(window, ACCEPT) == []


def test_tab_is_for_a_completion_that_is_shown(window: Window) -> None:
    completion = {"items": [{"insertText": "somexyz"}]}
    answer = edit((1, 0), (1, 4), "first")
    file = begun(window, "some\nlast\n", answer, **{"textDocument/inlineCompletion": completion})
    window.go_to(1, 5)
    window.type("x")
    window.until(lambda: window.ghost == "yz")
    shown(window, NO_TAB)
    answers(window, NOTHING)
    window.key("Tab")
    gone(window)
    assert window.text(file) == "somexyz\nlast\n"
    assert asked(window, ACCEPT) == []


def test_in_a_snippet_nothing_is_shown_and_tab_goes_to_its_next_place(window: Window) -> None:
    file = begun(window, "one\n\n3\n", edit((2, 0), (2, 1), "three"))
    by_hand(window, 2, hint=NO_TAB)
    window.command("Snippets: Insert Snippet")
    window.choose("zap")
    window.until(lambda: "Ln 2, Col 5" in window.status_bar)
    gone(window)
    window.type("1")
    window.key("Tab")
    window.until(lambda: "Ln 2, Col 8" in window.status_bar)
    window.type("2")
    assert window.decorations() == []
    assert len(asked(window)) == 1
    window.key("Tab")
    shown(window, HINT)
    assert window.text(file) == "one\nzap(1, 2);\n3\n"


def test_escape_is_for_what_is_open_in_front_first(window: Window) -> None:
    begun(window, "one\ntwo\nthree\n", edit((2, 0), (2, 5), "longer"))
    by_hand(window, 1)
    find = window.page.locator(".find-widget.visible")
    window.key("Control+f")
    find.wait_for()
    window.command("View: Focus Active Editor Group")
    window.key("Escape")
    find.wait_for(state="detached")
    assert HINT in window.decorations()
    window.key("Escape")
    gone(window)
    window.until(lambda: len(asked(window, DISMISS)) == 1)


def test_several_rows_stand_beside_those_that_go_and_cover_nothing(window: Window) -> None:
    rows = ["def f(a):", "    if a:", "        return a + 1", "    return None", "", "x = f(1)"]
    come = ["    while a:", "        a = a - 1", "        print(a)", "    return a"]
    file = begun(window, "\n".join(rows), edit((1, 0), (3, 15), "\n".join(come)))
    by_hand(window, 2)
    written = window.decorations()
    for row in ("while a:", "    a = a - 1", "    print(a)", "return a"):
        assert any(text.rstrip() == row for text in written), written
    assert window.page.evaluate(COVERED) == []
    window.key("Tab")
    gone(window)
    assert window.text(file) == "\n".join([rows[0], *come, *rows[4:]])
