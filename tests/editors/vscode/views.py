"""What the model sees, in VS Code: the context view and the cache map show what the server answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.window import Window

TREE = ".pane-body .monaco-list-row"
PINNED = f"{TREE} .codicon-pinned"
CONTEXT, PAGE = "palimpsest.context.show", "palimpsest.page"
IN_PAGE = """[...document.querySelectorAll('.monaco-editor[data-uri^="palimpsest-page:"] WHAT')]"""
LINES = f"""() => {IN_PAGE.replace("WHAT", ".view-line")}
  .sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top)).map((line) => line.textContent)"""
FILLED = f"""() => {IN_PAGE.replace("WHAT", ".view-overlays [class*=ced-]")}
  .map((piece) => getComputedStyle(piece).backgroundColor)"""


def answers(window: Window, command: str) -> list[Any]:
    asked = window.server.recording.asked("workspace/executeCommand", window.since, command)
    return [one.result for one in asked if one.result]


@pytest.fixture
def tall(window: Window) -> Iterator[Window]:
    """A list draws only the rows that it has room for, and each edit of the tests before is a block."""
    size = window.page.viewport_size
    assert size is not None
    window.page.set_viewport_size({"width": size["width"], "height": 3 * size["height"]})
    yield window
    window.page.set_viewport_size(size)


def test_the_context_view_shows_the_servers_blocks_and_a_pinned_file_arrives(tall: Window) -> None:
    window = tall
    window.at(CART, "total = self.subtotal()")
    window.command("Palimpsest: Show Context")
    window.until(lambda: "Cart.total" in window.shown(TREE))

    def same() -> bool:
        rows, names = window.shown(TREE), [block["name"] for block in answers(window, CONTEXT)[-1]["blocks"]]
        return bool(names) and all(name in rows for name in names)

    window.until(same)
    assert window.page.locator(PINNED).count() == 0
    for command, n_pinned in (("Pin File", 1), ("Unpin File", 0)):
        window.open("tests/test_cart.py")
        window.command(f"Palimpsest: {command}")
        window.open(CART)
        window.at(CART, "total = self.subtotal()")
        window.until(lambda n=n_pinned: bool(window.page.locator(PINNED).count()) == bool(n))
        window.until(same)
        pinned = [block["name"] for block in answers(window, CONTEXT)[-1]["blocks"] if block.get("pinned")]
        assert [name in window.shown(TREE) for name in pinned] == [True] * n_pinned


def test_the_cache_map_is_the_servers_page_in_the_themes_colours_and_follows_what_is_decoded(window: Window) -> None:
    window.command("Palimpsest: Show Cache Map")

    def same() -> bool:
        """The lines that there is room for are the first of the newest answer's."""
        shown = [line.replace("\xa0", " ").rstrip() for line in window.page.evaluate(LINES)]
        wanted = [line.rstrip() for line in answers(window, PAGE)[-1]["text"].split("\n")]
        return len(shown) > 8 and shown == wanted[: len(shown)]

    window.until(lambda: answers(window, PAGE) and same())
    window.until(lambda: len(set(window.page.evaluate(FILLED))) > 3)
    n_asked = len(answers(window, PAGE))
    window.page.locator(".tab", has_text="cart.py").click()
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)
    window.until(lambda: len(answers(window, PAGE)) > n_asked and same())


def test_why_a_name_is_in_the_context_is_the_servers_page(window: Window) -> None:
    window.open(CART)
    window.at(CART, "rows.append(format_price")
    window.command("Palimpsest: Why Is This Name (Not) in the Context")

    def same() -> bool:
        shown = [line.replace("\xa0", " ").rstrip() for line in window.page.evaluate(LINES)]
        told = [page["text"] for page in answers(window, PAGE) if page["title"] == "Why: format_price"]
        return bool(told) and len(shown) > 4 and shown == [line.rstrip() for line in told[-1].split("\n")][: len(shown)]

    window.until(same)
    window.open(CART)


def test_what_other_extensions_find_wrong_is_told(window: Window) -> None:
    """Here the one for JSON that comes with VS Code."""
    file = window.folder / "prices.json"
    file.write_text('{"price": 1,,}\n', encoding="utf-8")
    window.open("prices.json")

    def told() -> list[dict[str, Any]]:
        said = window.server.recording.notices("palimpsest/diagnostics", since=window.since)
        return [it.params for it in said if it.params["textDocument"]["uri"].endswith("prices.json")]

    window.until(told)
    (first, *_) = told()[0]["diagnostics"]
    assert first["range"]["start"]["line"] == 0
    assert first["severity"] == 1
    assert first["message"]
    window.at("prices.json", ",,")
    window.key("Backspace", "Backspace")
    window.until(lambda: told()[-1]["diagnostics"] == [])
