"""Settings changed in VS Code's own pages, and switches, take effect at once."""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import Error as BrowserError

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.window import SOON_MS, Window


def types(window: Window) -> None:
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")


def items(window: Window, since: int) -> list[str]:
    return window.server.recording.completions(since)


def stays_quiet(window: Window) -> None:
    """What is typed is answered, and with nothing; nothing was decoded for it."""
    recording, since = window.server.recording, window.server.recording.mark()
    decoded = window.message["last"]
    types(window)
    window.save()  # the server is told of it behind all that it was asked
    window.until(lambda: recording.notices("textDocument/didSave", since=since))
    window.until(lambda: all(a.answer for a in recording.asked("textDocument/inlineCompletion", since)))
    assert items(window, since) == []
    assert window.ghost == ""
    assert window.message["last"] == decoded


def switch(window: Window, setting: str, *, on: bool) -> None:
    """Its box on the page of settings, wherever VS Code shows it: with the person's or with the machine's."""
    window.command("Preferences: Open Settings (UI)")
    page = window.page.locator(".settings-editor")
    page.locator(".suggest-input-container").click()
    window.key("Control+a")
    window.type(f"@id:{setting}", delay_ms=0)
    box = page.locator(f'.setting-value-checkbox[aria-label="{setting}"]')

    def switched() -> bool:
        """The page is drawn anew while it searches: a box, or that there is none, may be of what it showed before."""
        with suppress(BrowserError):
            if not box.count() and page.get_by_text("No Settings Found").count():
                page.locator(".action-label", has_text="Remote").click(timeout=SOON_MS)
            if box.get_attribute("aria-checked", timeout=SOON_MS) == str(not on).lower():
                box.click(timeout=SOON_MS)
        return window.server.setting(setting) in ([on, None] if on else [on])

    window.until(switched)
    window.key("Escape", "Escape")
    window.until(lambda: not page.is_visible())


def test_completions_are_switched_off_and_on_in_the_settings(window: Window) -> None:
    switch(window, "palimpsest.completion.enabled", on=False)
    window.until(lambda: window.message["kind"] == "Inactive")
    stays_quiet(window)
    switch(window, "palimpsest.completion.enabled", on=True)
    window.until(lambda: window.message["kind"] == "Normal")
    window.restore(CART)
    types(window)
    window.until(lambda: window.ghost)


def test_completions_are_switched_off_for_a_language_and_on_again(window: Window) -> None:
    window.command("Palimpsest: Switch On or Off…")
    window.choose("Completions in python")
    window.until(lambda: window.message["kind"] == "Inactive")
    stays_quiet(window)
    window.command("Palimpsest: Switch On or Off…")
    window.choose("Completions in python")
    window.until(lambda: window.message["kind"] == "Normal")
    window.restore(CART)
    types(window)
    window.until(lambda: window.ghost)
