"""Documents that comments link to, and the documentation of what is called, in a real window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .conftest import start_editor, stop_editor

PRICES = "# Prices\n\nWhat things cost.\n\n## Rounding\n\nHalf up, to whole cents.\n"
TAX = 'def with_tax(net):\n    """The price with tax.\n    Rounds half up.\n    """\n    return net\n'
CODE = (
    "from shop.tax import with_tax\n\n\ndef price(net):\n"
    "    # see [[prices#Rounding]] and [[plan]]\n    x = with_tax(net)\n    return x\n"
)
TOKEN = "ghp_" + "A1b2C3d4" * 5


def documentation(shown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {block["name"]: block for block in shown["blocks"] if block["type"] == "documentation"}


async def test_links_and_calls(machine: dict[str, str], shop: Path) -> None:
    (shop / "docs").mkdir(exist_ok=True)
    (shop / "docs" / "prices.md").write_text(PRICES, encoding="utf-8")
    (shop / "plan.md").write_text(f"# Plan\n\n{TOKEN}\n", encoding="utf-8")
    (shop / "shop" / "tax.py").write_text(TAX, encoding="utf-8")
    (shop / "shop" / "price.py").write_text(CODE, encoding="utf-8")
    editor = await start_editor(shop)
    try:
        await editor.ready()
        uri = editor.open("shop/price.py")
        shown = await editor.settled(uri, editor.at(uri, "return x"))
        found = documentation(shown)
        assert found["shop.tax.with_tax"]["text"] == "The price with tax.\nRounds half up."
        assert not found["shop.tax.with_tax"]["editable"]
        assert found["docs/prices.md#Rounding"]["text"] == "## Rounding\n\nHalf up, to whole cents."
        assert found["docs/prices.md#Rounding"]["editable"]
        assert "plan.md" not in found
        assert TOKEN not in shown["prompt"]

        # The document as it is in the editor, saved or not; one that is write-protected is not to be edited.
        prices = editor.open("docs/prices.md", language="markdown")
        editor.edit(prices, "Half up", "Half down")
        (shop / "docs" / "prices.md").chmod(0o444)
        block = documentation(await editor.settled(uri, editor.at(uri, "return x")))["docs/prices.md#Rounding"]
        assert "Half down" in block["text"]
        assert not block["editable"]
    finally:
        await stop_editor(editor)
