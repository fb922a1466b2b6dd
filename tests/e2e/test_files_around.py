"""The tree of files while files come and go, in a real window."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from palimpsest.text.uris import to_uri
from tests.context.test_environment import made

from .conftest import Editor, start_editor, stop_editor


def changed(editor: Editor, path: Path, type: lsp.FileChangeType) -> lsp.FileEvent:
    event = lsp.FileEvent(to_uri(path), type)
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    return event


async def tree(editor: Editor, uri: str) -> list[str]:
    shown = await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    (block,) = [block for block in shown["blocks"] if block["type"] == "filesystem"]
    lines: list[str] = block["text"].split("\n")
    return lines


async def test_it_follows_what_is_created_renamed_and_deleted(machine: dict[str, str], shop: Path) -> None:
    (shop / ".gitignore").write_text("*.log\n", encoding="utf-8")
    for number in range(300):
        (shop / "shop" / f"row{number:03}.json").touch()
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        before = await tree(editor, cart)
        assert "shop/cart.py" in before
        assert any(line.startswith("shop/… ") and line.endswith(" more") for line in before)

        new, newer = shop / "shop" / "voucher.py", shop / "shop" / "coupon.py"
        for path in (new, shop / "shop" / "trace.log", shop / "shop" / ".env"):
            path.write_text("x = 1\n", encoding="utf-8")
            changed(editor, path, lsp.FileChangeType.Created)
        here = await tree(editor, cart)
        assert "shop/voucher.py" in here
        assert not {"shop/trace.log", "shop/.env"} & set(here)

        new.rename(newer)
        changed(editor, new, lsp.FileChangeType.Deleted)
        changed(editor, newer, lsp.FileChangeType.Created)
        here = await tree(editor, cart)
        assert "shop/coupon.py" in here
        assert "shop/voucher.py" not in here

        # By the editor: a file that is written for the first time, then one that it deletes.
        saved = shop / "shop" / "basket.py"
        uri = to_uri(saved)
        editor.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "python", 0, "y = 2\n"))
        )
        assert "shop/basket.py" not in await tree(editor, cart)
        saved.write_text("y = 2\n", encoding="utf-8")
        editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        assert "shop/basket.py" in await tree(editor, cart)

        newer.unlink()
        changed(editor, newer, lsp.FileChangeType.Deleted)
        assert "shop/coupon.py" not in await tree(editor, cart)
    finally:
        await stop_editor(editor)


async def test_a_virtual_environment_that_is_made_in_an_open_window_is_seen(
    machine: dict[str, str], shop: Path
) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        editor.edit(cart, "import logging\n", "import deepthought\nimport logging\n")
        at = editor.edit(
            cart, "rows.append(format_price(self.total()))", "rows.append(deepthought.answer(self.total()))"
        )
        shown = await editor.settled(cart, at)
        assert "deepthought" not in [block["name"] for block in shown["blocks"]]
        site = made(shop / ".venv")
        (site / "deepthought.py").write_text("def answer(question: str) -> int:\n    return 42\n", encoding="utf-8")
        changed(editor, shop / ".venv" / "pyvenv.cfg", lsp.FileChangeType.Created)
        shown = await editor.settled(cart, at)
        assert "deepthought" in [block["name"] for block in shown["blocks"]]
    finally:
        await stop_editor(editor)
