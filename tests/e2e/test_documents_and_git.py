"""Context that is read in the background: sections of documents, and what git knows of a function."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .conftest import Editor, start_editor, stop_editor

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
AT = "total = self.subtotal()"
PAGE = "# Totals\n\nHow `Cart.subtotal` is summed: in cents, before the discount.\n"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


async def texts(editor: Editor, uri: str) -> dict[str, str]:
    shown = await editor.settled(uri, editor.at(uri, AT))
    return {f"{block['type']}:{block['name']}": block["text"] for block in shown["blocks"]}


async def test_a_window_on_a_repository_with_documents(machine: dict[str, str], shop: Path) -> None:
    (shop / "docs").mkdir()
    (shop / "docs" / "totals.md").write_text(PAGE)
    git(shop, "init", "-q")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "The whole shop")
    cart = shop / "shop" / "cart.py"
    cart.write_text(cart.read_text().replace("import logging\n", "import logging\nimport math\n"))
    editor = await start_editor(shop)
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        found = await texts(editor, uri)
        assert found["documentation:docs/totals.md#Totals"] == PAGE.strip()
        assert found["recent:shop/cart.py Cart.total in git"].partition("\n")[0].endswith(" The whole shop")
        assert "+import math" in found["recent:shop/cart.py not committed"]
        git(shop, "commit", "-q", "-a", "-m", "Import math")
        assert "recent:shop/cart.py not committed" not in await texts(editor, uri)
    finally:
        await stop_editor(editor)
    editor = await start_editor(shop, {"context": {"sources": ["class"]}})
    try:
        await editor.ready()
        assert not [name for name in await texts(editor, editor.open("shop/cart.py")) if not name.startswith("class:")]
    finally:
        await stop_editor(editor)
