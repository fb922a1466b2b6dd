"""A change that a person makes twice by hand is offered everywhere else, one Tab after the other, and in all files at
once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.editors.changes import CHANGES, NAMES, Change, N, each, pair
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window

pytestmark = [pytest.mark.slow(part="editors"), pytest.mark.timeout(900)]

GO, MAKE = "Tab: next edit in", "Esc: dismiss"
TAB = 4
FOLLOWED, PREVIEWED = pair("alone", "beside"), pair("whole", "parts")
PREVIEW = ".bulk-edit-panel[data-state=data]"


@pytest.fixture(scope="module")
def window(server: CodeServer, context: BrowserContext) -> Iterator[Window]:
    server.configure(
        palimpsest__engine__kind="none",
        editor__autoIndent="keep",
        editor__parameterHints__enabled=False,
        editor__suggestOnTriggerCharacters=False,
    )
    folder = server.workspace("again")
    for change in (*CHANGES, *FOLLOWED, *PREVIEWED):
        (folder / change.file).write_text(change.text(0), encoding="utf-8")
    made = Window(context, server, folder, "README.md")
    made.until(lambda: made.message)  # what was changed before there is a server, nobody knows
    yield made
    made.close()


def by_hand(window: Window, change: Change, n: int) -> None:
    new = change.new.replace("@", NAMES[n])
    line, column = change.at(n)
    before = change.text(n).split("\n")[line - 1][: column - 1]
    window.go_to(line, len(before.expandtabs(TAB)) + 1)  # it counts columns as they are seen
    if change.how == "words":
        window.key(*["Backspace"] * len(change.old))
        window.type(new)
    elif change.how == "line put in":
        window.key("Enter")
        window.type(new)
    else:
        window.key("Control+Shift+K")


def shows(window: Window, text: str) -> None:
    window.until(lambda: any(text in shown for shown in window.decorations()))


def take(window: Window) -> None:
    """Go to the next place and make it."""
    shows(window, GO)
    window.key("Tab")
    shows(window, MAKE)
    window.key("Tab")
    window.until(lambda: not any(MAKE in shown for shown in window.decorations()))


@each
def test_it_is_made_in_all_other_places_by_tab(window: Window, change: Change) -> None:
    window.open(change.file)
    by_hand(window, change, 0)
    by_hand(window, change, 1)
    for _ in range(2, N):
        take(window)
    assert window.text(change.file) == change.text(N)


def test_it_goes_on_in_a_file_that_this_one_imports_and_that_is_not_open(window: Window) -> None:
    here, there = FOLLOWED
    window.open(here.file)
    by_hand(window, here, 0)
    by_hand(window, here, 1)
    for _ in range(2, N):
        take(window)
    shows(window, f"{GO} {there.file}")
    window.keep("another file")
    window.key("Tab")
    window.editor(there.file)
    shows(window, MAKE)
    window.key("Tab")
    for _ in range(1, N):
        take(window)
    assert (window.text(here.file), window.text(there.file)) == (here.text(N), there.text(N))


def test_all_places_of_several_files_are_previewed_and_made_at_once(window: Window) -> None:
    here, there = PREVIEWED
    window.open(here.file)
    by_hand(window, here, 0)
    by_hand(window, here, 1)
    shows(window, GO)
    window.code_action(f"in {2 * N - 2} places of 2 files")
    panel = window.page.locator(PREVIEW)
    panel.wait_for()
    window.keep("preview")
    for file in (here.file, there.file):
        panel.locator(".monaco-list-row", has_text=Path(file).name).locator(".edit-checkbox").click()
    panel.locator(".monaco-button", has_text="Apply").click()
    panel.wait_for(state="detached")

    def are_made() -> bool:
        """Saved again and again: the file that was not open may be edited behind a save."""
        window.command("File: Save All Files")
        texts = [(window.folder / change.file).read_text(encoding="utf-8") for change in PREVIEWED]
        return texts == [change.text(N) for change in PREVIEWED]

    window.until(are_made)
