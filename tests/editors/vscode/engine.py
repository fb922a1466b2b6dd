"""The engine dies under VS Code: the status bar says so, it is started again, and completions come as before."""

from __future__ import annotations

import os
import signal

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.window import Window


def shows_a_completion(window: Window) -> None:
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)


def test_a_killed_engine_is_told_of_and_comes_back(window: Window) -> None:
    said = window.watch_status()
    window.until(lambda: said()[-1] == "Palimpsest: Ready")
    (engine,) = window.server.processes("engine")
    os.kill(engine, signal.SIGKILL)
    window.until(lambda: any("engine died" in text for text in said()))
    window.until(lambda: said()[-1] == "Palimpsest: Ready")
    assert engine not in window.server.processes("engine")
    shows_a_completion(window)


def test_a_killed_server_is_started_again(window: Window) -> None:
    before, since = window.server.servers, window.server.recording.mark()
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    window.until(lambda: window.server.servers and not before & window.server.servers)
    window.ready(since)
    shows_a_completion(window)


def test_the_engine_and_the_server_are_started_anew_by_command(window: Window) -> None:
    engines, servers = window.server.processes("engine"), window.server.servers
    window.command("Palimpsest: Restart the Engine")
    window.until(lambda: window.server.processes("engine") and not engines & window.server.processes("engine"))
    since = window.server.recording.mark()
    window.command("Palimpsest: Restart the Server")
    window.until(lambda: window.server.servers and not servers & window.server.servers)
    window.ready(since)
    shows_a_completion(window)


def test_the_status_item_leads_to_the_figures_and_the_log(window: Window) -> None:
    window.page.locator('.statusbar-item[id$="palimpsest.status"]').click()
    rows = window.page.locator(".quick-input-list")
    rows.wait_for()
    window.until(lambda: "palimpsest-embedded" in rows.inner_text())
    window.choose("Show the log")
    window.choose("This extension's output")
    window.until(lambda: "from the setting palimpsest.server.command" in window.panel)
