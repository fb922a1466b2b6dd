"""What the model sees, in VS Code: the context view and the cache map show what the server answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.editors.vscode.conftest import CART
from tests.editors.vscode.window import Window

TREE = ".pane-body .monaco-list-row"
PINNED = f"{TREE} .codicon-pinned"
CONTEXT, MAP = "palimpsest.context.show", "palimpsest.cache.map"


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


def test_the_cache_map_draws_the_servers_spans_and_follows_what_is_decoded(window: Window) -> None:
    window.command("Palimpsest: Show Cache Map")
    drawn = window.webview.locator(".cells .span")
    window.until(lambda: drawn.count() > 0)
    legend = window.webview.locator(".legend").inner_text()

    def places() -> set[str]:
        return {str(drawn.nth(at).get_attribute("title")) for at in range(drawn.count())}

    def same() -> bool:
        """Each span of the newest answer is drawn, by its name and length."""
        wanted = [
            f"{span['name']} ({span['type']}): {span['end'] - span['start']:,} tokens"
            for span in answers(window, MAP)[-1]["spans"]
            if span["name"] and span["type"]
        ]
        shown = places()
        return bool(wanted) and all(any(place.startswith(name) for place in shown) for name in wanted)

    window.until(same)
    assert "free" in legend
    n_asked = len(answers(window, MAP))
    window.page.locator(".tab", has_text="cart.py").click()
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)
    window.until(lambda: len(answers(window, MAP)) > n_asked and same())
    refused = [line for line in window.console if "Content Security Policy" in line and "palimpsest" in line]
    assert refused == []


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
