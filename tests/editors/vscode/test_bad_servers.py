"""VS Code with a server that is broken or wicked, and a person who is quicker than it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.editors.answers import command, edit, said, tell
from tests.editors.conftest import until
from tests.editors.vscode.conftest import Open
from tests.editors.vscode.window import Window

pytestmark = [pytest.mark.slow(part="editors"), pytest.mark.timeout(600)]


@pytest.fixture
def begin(open_window: Open, server: Any) -> Any:
    def opened(**answers: Any) -> Window:
        (server.folder / "log.jsonl").unlink(missing_ok=True)
        tell(server.folder, **answers)
        window = open_window("", palimpsest__server__command=command(server.folder))
        (window.folder / "a.py").write_text("one\ntwo\nthree\n", encoding="utf-8")
        window.open("a.py")
        until(lambda: said(server.folder, "textDocument/didOpen"), lambda: "it is not opened")
        return window

    return opened


HINTS = """() => [...document.styleSheets].flatMap(sheet => { try { return [...sheet.cssRules] } catch { return [] } })
  .map(rule => rule.cssText).filter(text => text.includes('content:')).join('')"""

WATCH_GHOST = """() => {
  window.withoutGhost = 0;
  const look = () => {
    if (!document.querySelector('.monaco-editor .ghost-text-decoration')) window.withoutGhost += 1;
    requestAnimationFrame(look);
  };
  look();
}"""


def hints(window: Window) -> str:
    """Texts beside the code, which VS Code has in its style sheets."""
    text: str = window.page.evaluate(HINTS)
    return text.replace("\u00a0", " ")


NEXT = "Palimpsest: Next Edit: Jump or Accept"


def test_keys_that_come_before_the_servers_answer_make_an_edit_once(begin: Any, server: Any) -> None:
    """What replaced three letters would replace three again."""
    folder: Path = server.folder
    window: Window = begin(
        **{
            "palimpsest/nextEdit": edit((0, 0), (0, 3), "longer"),
            "palimpsest.nextEdit.accept": {"#wait": str(folder / "go"), "edits": [], "total": 0},
            "palimpsest.nextEdit.dismiss": {},
        }
    )
    window.go_to(1)
    window.command(NEXT)
    window.until(lambda: "a change" in hints(window))
    window.command(NEXT)
    window.until(lambda: said(folder, "palimpsest.nextEdit.accept"))
    tell(folder, **{"palimpsest/nextEdit": {"edits": [], "total": 0}})
    window.command(NEXT)
    window.until(lambda: len(said(folder, "palimpsest/nextEdit")) > 1)
    (folder / "go").touch()
    assert window.text("a.py") == "longer\ntwo\nthree\n"
    window.key("Control+z")
    assert window.text("a.py") == "one\ntwo\nthree\n"


def test_a_closed_file_that_was_changed_on_disk_is_asked_about_anew(begin: Any, server: Any) -> None:
    window: Window = begin()
    other = window.folder / "b.py"
    other.write_text("old = 1\n", encoding="utf-8")
    opened = said(server.folder, "textDocument/didOpen")[-1]["params"]["textDocument"]["uri"]
    uri = opened.replace("a.py", "b.py")
    written: Path = server.folder / "written"  # before the answer comes, upon which the file is opened
    answer = edit((0, 0), (0, 3), "new", textDocument={"uri": uri, "version": None}) | {"#wait": str(written)}
    tell(server.folder, **{"palimpsest/nextEdit": answer})
    before = len(said(server.folder, "palimpsest/nextEdit"))
    window.command(NEXT)
    window.until(lambda: len(said(server.folder, "palimpsest/nextEdit")) > before)
    other.write_text("import os\nold = 1\n", encoding="utf-8")
    tell(server.folder, **{"palimpsest/nextEdit": {"edits": [], "total": 0}})
    written.touch()
    window.editor("b.py")
    window.until(lambda: len(said(server.folder, "palimpsest/nextEdit")) > before + 1)
    # A palette that comes while the editor is still being shown may close again; the key is pressed until it is heard.
    window.until(lambda: window.command(NEXT) or len(said(server.folder, "palimpsest/nextEdit")) > before + 2)
    assert other.read_text(encoding="utf-8") == "import os\nold = 1\n"
    assert window.page.locator(".tab.dirty").count() == 0, "nothing was changed"


def test_a_file_name_is_no_link_to_a_command_in_a_message(begin: Any, server: Any) -> None:
    evil = "[Mend it](command:workbench.action.toggleZenMode) is not there"
    window: Window = begin(palimpsest__suggest={"#error": evil})
    window.command("Palimpsest: Edit Here")
    window.until(lambda: "Mend it" in window.notifications)
    assert window.page.locator(".notification-list-item-message a").count() == 0


@pytest.mark.parametrize(
    ("typed", "line"), [("75", 'Decimal("0.75'), ('0"', 'Decimal("0.0"))')], ids=["something else", "what it says"]
)
def test_tab_accepts_only_what_agrees_with_what_was_typed_since(begin: Any, server: Any, typed: str, line: str) -> None:
    """And the server has not answered yet."""
    inline = "textDocument/inlineCompletion"
    window: Window = begin()
    server.configure(
        palimpsest__server__command=command(server.folder),
        editor__autoClosingBrackets="never",
        editor__autoClosingQuotes="never",
    )
    window.go_to(1)
    window.key("Home", "Enter", "ArrowUp")
    window.type('Decimal("0')
    place = {"line": 0, "character": len('Decimal("0.')}
    item = {"insertText": '0"))', "filterText": '0"))', "range": {"start": place, "end": place}}
    tell(server.folder, **{inline: {"items": [item]}})
    window.type(".")
    window.until(lambda: window.ghost == '0"))')
    tell(server.folder, **{inline: {"#wait": str(server.folder / "never"), "items": []}})
    window.type(typed)
    window.key("Tab")
    assert window.text("a.py").split("\n")[0].rstrip() == line


def test_what_is_shown_stays_until_there_is_another_one_in_its_place(begin: Any, server: Any) -> None:
    inline, folder = "textDocument/inlineCompletion", server.folder
    told, answered = folder / "told", folder / "answered"
    start, end = ({"line": 1, "character": character} for character in (0, 4))

    def offered(text: str, **more: Any) -> dict[str, Any]:
        return {inline: {"items": [{"insertText": text, "range": {"start": start, "end": end}}]} | more}

    here = {"textDocument": {"uri": "$uri", "version": "$version"}, "position": end}
    window: Window = begin(**offered("twos_and", **{"#notices": [["palimpsest/completion", here, str(told)]]}))
    window.go_to(2, 4)
    window.type("s")
    window.until(lambda: window.ghost == "_and")
    tell(folder, **offered("twos_and_more", **{"#wait": str(answered)}))
    n = len(said(folder, inline))
    window.page.evaluate(WATCH_GHOST)
    told.touch()
    window.until(lambda: len(said(folder, inline)) > n)
    assert window.ghost == "_and"
    answered.touch()
    window.until(lambda: window.ghost == "_and_more")
    assert window.page.evaluate("() => window.withoutGhost") == 0
    window.key("Tab")
    assert window.text("a.py") == "one\ntwos_and_more\nthree\n"
