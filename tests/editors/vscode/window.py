"""A window of VS Code in a headless Chromium, used as a person uses it: keys, the command palette, and looking."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from playwright.sync_api import BrowserContext, Locator, Page
from playwright.sync_api import Error as BrowserError

from tests.editors.conftest import PATIENCE_S, until
from tests.editors.vscode.server import CodeServer

GHOST = """() => {
  const seen = new Map();
  for (const e of document.querySelectorAll('.monaco-editor .ghost-text-decoration, .monaco-editor .ghost-text')) {
    if (e.querySelector('.ghost-text-decoration, .ghost-text')) continue;
    const {top, left, width} = e.getBoundingClientRect();
    if (!width) continue;
    const line = Math.round(top / 4);
    seen.set(line, [...(seen.get(line) ?? []), [left, e.textContent]]);
  }
  const lines = [...seen.entries()].sort((a, b) => a[0] - b[0]);
  return lines.map(([_, parts]) => parts.sort((a, b) => a[0] - b[0]).map((p) => p[1]).join('')).join('\\n');
}"""
"""The ghost text as it stands on the screen; the parts of it are in the page in another order."""
WATCH_STATUS = """() => {
  window.toldByStatus = [];
  const note = () => {
    const said = document.querySelector('.statusbar-item[id$="palimpsest.status"]')?.getAttribute('aria-label');
    if (said && said !== window.toldByStatus.at(-1)) window.toldByStatus.push(said);
  };
  note();
  const all = {subtree: true, childList: true, attributes: true};
  new MutationObserver(note).observe(document.querySelector('.part.statusbar'), all);
}"""
DECORATIONS = """() => Array.from(document.querySelectorAll('.monaco-editor .view-lines span[class*="ced-"]'))
  .flatMap((e) => ['::before', '::after'].map((part) => getComputedStyle(e, part).content))
  .filter((content) => content.startsWith('"'))
  .map((content) => JSON.parse(content))"""
WRITE = """(input, text) => {
  input.value = text;
  input.dispatchEvent(new Event('input', {bubbles: true}));
}"""
"""Writes into this input, wherever the focus is.  A browser's own `fill` inserts at the focus: in an editor that has
just taken it, the text would become part of a file."""
FOCUSED = ".editor-instance .monaco-editor.focused"
NBSP = "\u00a0"
MS = 1000
SOON_MS = 5 * MS
"""For what may be drawn anew under the pointer: then it is tried again."""


class Window:
    opened: ClassVar[list[Window]] = []
    """Those that are open now: what a failing test keeps pictures of."""

    def __init__(self, context: BrowserContext, server: CodeServer, folder: Path, file: str = "") -> None:
        self.server, self.folder = server, folder
        self.begun = self.since = server.recording.mark()
        """Where in the record the window was opened, and where the test began."""
        self.console: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE_S * MS)
        self.page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        self.opened.append(self)
        self.page.goto(self._address(file))
        self.page.wait_for_selector(".monaco-workbench .statusbar-item")
        if file:
            self.editor(file)

    def _address(self, file: str) -> str:
        host = f"127.0.0.1:{self.server.port}"
        address = f"http://{host}/?folder={quote(str(self.folder))}"
        if file:
            opened = [["openFile", f"vscode-remote://{host}{self.folder / file}"]]
            address += f"&payload={quote(json.dumps(opened))}"
        return address

    # Keys and commands --------------------------------------------------------------------------------------------

    def key(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str, delay_ms: int = 20) -> None:
        self.page.keyboard.type(text, delay=delay_ms)

    def choose(self, text: str, row_text: str = "", opener: str = "") -> None:
        """Write into the open quick pick and take its first row, once that is the one (its text begins so).  The key
        that opens it is pressed again where the pick has gone: it goes when an editor's focus comes late."""
        box = self.page.locator(".quick-input-widget input[type=text]")
        wanted = re.compile(rf"^\W*{re.escape(row_text or text.removeprefix('>').strip())}")
        row = self.page.locator(".quick-input-list .monaco-list-row.focused", has_text=wanted).first

        def listed() -> bool:
            if opener and not box.is_visible():
                self.key(opener)
            with suppress(BrowserError):
                box.evaluate(WRITE, text, timeout=SOON_MS)
                row.wait_for(timeout=SOON_MS)
                box.focus(timeout=SOON_MS)
                if box.evaluate("input => input === document.activeElement", timeout=SOON_MS):
                    return True
            if opener:
                self.key("Escape")
            return False

        self.until(listed)
        self.key("Enter")
        row.wait_for(state="hidden")  # the next question may come in the same place

    def command(self, title: str) -> None:
        """By its title, from the command palette."""
        self.choose(f">{title}", opener="F1")

    def code_action(self, title: str) -> None:
        """Choose one of those at the cursor."""
        action = self.page.locator(".action-widget .monaco-list-row", has_text=title).first

        def listed() -> bool:
            """The list goes when the editor's focus comes back late from elsewhere."""
            if not action.is_visible():
                self.key("Control+.")
                with suppress(BrowserError):
                    action.wait_for(timeout=3 * MS)
            return action.is_visible()

        self.until(listed)
        action.click()

    def open(self, file: str) -> None:
        self.choose(file, Path(file).name, "Control+p")
        self.editor(file)
        self.until(self._in_editor)  # what is typed before goes nowhere

    def _in_editor(self) -> bool:
        """A view that was asked for before may come late, and take the focus."""
        focused = self.page.locator(FOCUSED).first
        with suppress(BrowserError):
            focused.wait_for(timeout=SOON_MS)
        if not focused.is_visible():
            self.key("Control+1")
        return focused.is_visible()

    def go_to(self, line: int, column: int = 1) -> None:
        self.choose(f":{line}:{column}", f"Press 'Enter' to go to line {line} ", "Control+g")
        self.until(lambda: f"Ln {line}, Col {column}" in self.status_bar)

    def at(self, file: str, needle: str, *, after: bool = True) -> None:
        """Put the cursor behind (or before) the first place of a text in the file as it is on disk."""
        text = (self.folder / file).read_text(encoding="utf-8")
        before = text[: text.index(needle) + (len(needle) if after else 0)]
        self.go_to(before.count("\n") + 1, len(before) - before.rfind("\n"))

    # What is seen -------------------------------------------------------------------------------------------------

    def editor(self, file: str) -> Locator:
        """The editor's tab for the file, as soon as it is the active one."""
        tab = self.page.locator(f'.tab.active[data-resource-name="{Path(file).name}"]').first
        tab.wait_for()
        return tab

    @property
    def ghost(self) -> str:
        """The ghost text, all lines of it."""
        text: str = self.page.evaluate(GHOST)
        return text.replace(NBSP, " ")

    @property
    def status_bar(self) -> str:
        return self.page.locator(".part.statusbar").inner_text().replace(NBSP, " ").replace("\n", " ")

    def shown(self, selector: str) -> str:
        """The text of a part of the window, all such parts one after the other."""
        return "\n".join(self.page.locator(selector).all_inner_texts()).replace(NBSP, " ")

    @property
    def panel(self) -> str:
        """What the panel below shows, such as an output channel."""
        return self.shown(".part.panel")

    def decorations(self) -> list[str]:
        """What extensions have written into the text, behind or before some of it."""
        return [str(text).replace(NBSP, " ") for text in self.page.evaluate(DECORATIONS)]

    def watch_status(self) -> Callable[[], list[str]]:
        """From now on; what it returns tells all that Palimpsest's item in the status bar has said."""
        self.page.evaluate(WATCH_STATUS)
        return lambda: list(self.page.evaluate("() => window.toldByStatus"))

    @property
    def notifications(self) -> str:
        return "\n".join(self.page.locator(".notification-list-item").all_inner_texts())

    @property
    def message(self) -> dict[str, Any]:
        """The newest `palimpsest/status`."""
        return self.server.recording.status(self.begun)

    def text(self, file: str) -> str:
        """The editor's text, saved and read from disk."""
        self.save()
        return (self.folder / file).read_text(encoding="utf-8")

    def save(self) -> None:
        self.command("File: Save All Files")
        self.until(lambda: self.page.locator(".tab.dirty").count() == 0)

    def until(self, met: Callable[[], Any]) -> Any:
        def seen() -> Any:
            try:
                return met()
            except BrowserError as error:  # what was looked at was drawn anew meanwhile
                if self.page.is_closed():
                    raise
                return "detached" not in str(error) and False

        return until(seen, lambda: f"still waiting; notifications: {self.notifications}; {self.keep('waiting')}")

    def restore(self, file: str) -> None:
        """As it was when it was opened: the sample's texts on disk, and this file alone in an editor."""
        self.key("Escape", "Escape")
        if self.page.locator(".tab.dirty").count():
            self.save()
        self.command("View: Close All Editors")
        self.until(lambda: self.page.locator(".tab").count() == 0)
        self.server.restore(self.folder)
        self.open(file)
        self.since = self.server.recording.mark()

    def ready(self, since: int | None = None) -> None:
        """The language server of this window answers, and its model is loaded; `since` then, if it began anew."""
        begun = self.begun if since is None else since
        self.until(lambda: self.server.recording.status(begun).get("kind") == "Normal")

    # Records ------------------------------------------------------------------------------------------------------

    def screenshot(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)

    def keep(self, name: str) -> Path:
        """A picture of the window, its console and all logs, in the folder for artefacts."""
        place = self.server.artefacts / re.sub(r"\W+", "-", name).strip("-")
        self.screenshot(place / "window.png")
        (place / "console.log").write_text("\n".join(self.console), encoding="utf-8")
        for file, text in self.server.logs().items():
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return place

    def close(self) -> None:
        """As a person closes a tab: the window says good-bye, and its extensions end."""
        self.opened.remove(self)
        self.page.goto("about:blank")
        self.page.close()
        until(lambda: len(self.server.servers) <= len(self.opened), lambda: "a language server is left behind")
