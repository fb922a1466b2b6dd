"""What a person did lately is context: code that was edited, copied, saved or gone through, and the last edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from palimpsest.text.uris import to_path

from .conftest import Editor, start_editor, stop_editor

TOKEN = "ghp_" + "A1b2C3d4" * 5
HERE = "weight = 0.0"


def recent(shown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {block["name"]: block for block in shown["blocks"] if block["type"] == "recent"}


async def at_order(editor: Editor, order: str) -> dict[str, dict[str, Any]]:
    return recent(await editor.settled(order, editor.at(order, HERE)))


def yank(editor: Editor, uri: str, start: int, end: int) -> None:
    lines = {"start": start, "end": end}
    editor.client.protocol.notify("palimpsest/event", {"kind": "yank", "uri": uri, "lines": lines})


async def test_a_window_follows_what_the_person_does(machine: dict[str, str], shop: Path) -> None:
    (shop / "keys.py").write_text(f"NAME = 'shop'\nKEY = '{TOKEN}'\n", encoding="utf-8")
    (shop / ".env").write_text("PASSWORD=sesame\nUSER=anna\n", encoding="utf-8")
    (shop / ".gitignore").write_text("private.py\n", encoding="utf-8")
    (shop / "private.py").write_text("def private():\n    return 'mine alone'\n", encoding="utf-8")
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart, order, item = (editor.open(f"shop/{name}.py") for name in ("cart", "order", "item"))
        await editor.settled(cart, editor.at(cart, "total = self.subtotal()"))
        assert await at_order(editor, order) == {}, "a jump there and back goes through nothing"

        # Edited: the function and the edit, once the cursor is elsewhere.
        editor.edit(cart, "total = self.subtotal()", "total = self.subtotal() + 1")
        assert recent(await editor.show(cart, editor.at(cart, "total = self.subtotal()"))) == {}
        found = await at_order(editor, order)
        assert set(found) == {"shop/cart.py Cart.total", "shop/cart.py edit 1"}
        assert "+        total = self.subtotal() + 1" in found["shop/cart.py edit 1"]["text"]
        code = found["shop/cart.py Cart.total"]
        assert code["editable"]
        assert code["text"] in editor.texts[cart]

        # Copied, saved, gone through.
        line = editor.at(item, "class ").line
        yank(editor, item, line, line + 1)
        assert any(name.startswith("shop/item.py ") for name in await at_order(editor, order))
        editor.cursor(cart, editor.at(cart, "def "))
        editor.cursor(cart, lsp.Position(editor.at(cart, "def ").line + 1, 0))
        assert len([name for name in await at_order(editor, order) if name.startswith("shop/cart.py ")]) > 2

        # What no block may contain is not there whatever is done with it.
        for name in ("keys.py", ".env", "private.py"):
            uri = editor.open(name, language="python")
            yank(editor, uri, 0, 2)
            editor.type(uri, lsp.Position(0, 0), "# typed\n")
            editor.saved(uri)
        shown = await editor.show(order, editor.at(order, HERE))
        assert not [name for name in recent(shown) if name.startswith(("keys", ".env", "private"))]
        assert not any(word in shown["prompt"] for word in (TOKEN, "sesame", "mine alone"))

        # And of a file that becomes secret nothing is shown any more.
        editor.type(cart, lsp.Position(0, 0), f"KEY = '{TOKEN}'\n")
        shown = await editor.show(order, editor.at(order, HERE))
        assert not [name for name in recent(shown) if name.startswith("shop/cart.py")]
        assert TOKEN not in shown["prompt"]
    finally:
        await stop_editor(editor)


async def test_an_edit_that_others_overwrite_is_no_range_of_its_file(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart, order = editor.open("shop/cart.py"), editor.open("shop/order.py")
        editor.edit(cart, "total = self.subtotal()", "total = self.subtotal() + 1")
        assert "shop/cart.py Cart.total" in await at_order(editor, order)
        path = to_path(cart)
        editor.close(cart)  # without saving: the file on disk counts again, which has other lines
        assert "shop/cart.py Cart.total" not in await at_order(editor, order)
        assert path.is_file()
    finally:
        await stop_editor(editor)


async def test_what_is_written_in_a_conversation_is_no_context_of_code(machine: dict[str, str], shop: Path) -> None:
    talk = "## user\n\nTell me about `Cart.total` and `subtotal`.\n\n## assistant\n\nNo.\n\n## user\n\n"
    (shop / "talk.palimpsest.md").write_text(talk, encoding="utf-8")
    (shop / "notes.md").write_text(f"---\nid: c-1234abcd\n---\n\n{talk}", encoding="utf-8")
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        for name in ("talk.palimpsest.md", "notes.md"):
            uri = editor.open(name, language="markdown")
            editor.edit(uri, "No.\n\n## user\n\n", "No.\n\n## user\n\nA draft about subtotal that nobody sent.\n")
            editor.cursor(uri, editor.at(uri, "A draft"))
            editor.cursor(uri, lsp.Position(0, 0))
            yank(editor, uri, 0, 12)
            editor.saved(uri)
        shown = await editor.settled(cart, editor.at(cart, "total = self.subtotal()"))
        assert [block["name"] for block in shown["blocks"] if block["name"].startswith(("talk", "notes"))] == []
        assert "A draft" not in shown["prompt"]
    finally:
        await stop_editor(editor)


async def test_it_can_be_switched_off(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop, {"context": {"sources": ["class"]}})
    try:
        await editor.ready()
        cart, order = editor.open("shop/cart.py"), editor.open("shop/order.py")
        editor.edit(cart, "total = self.subtotal()", "total = self.subtotal() + 1")
        assert await at_order(editor, order) == {}
    finally:
        await stop_editor(editor)


async def test_a_slip_that_was_just_typed_or_reported_is_still_a_slip(machine: dict[str, str], shop: Path) -> None:
    """The edits that made it, and what another server says of it, are no sign that the name is meant."""
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        editor.edit(cart, "self.lines.remove(line)", "self.lines.remove(lien)")
        editor.saved(cart)
        wrong = editor.at(cart, "self.lines.remove(lien")
        editor.diagnostics(cart, wrong, "lien is not defined")
        shown = await editor.settled(cart, wrong)
        assert {"shop/cart.py edit 1", "shop/cart.py problems"} <= set(recent(shown))
        where = {"line": wrong.line, "character": wrong.character}
        answer = await editor.command("palimpsest.suggest", {"uri": cart, "position": where, "n": 1})
        assert "+            self.lines.remove(line)" in answer["suggestions"][0]["diff"]
    finally:
        await stop_editor(editor)
