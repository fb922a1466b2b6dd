"""Tests beside the code they are of, and the other way round, in a real window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from palimpsest.text.uris import to_uri

from .conftest import start_editor, stop_editor

CONFTEST = "import pytest\n\nfrom shop.cart import Cart\n\n\n@pytest.fixture\ndef full():\n    return Cart()\n"
TESTS = "def test_total(full):\n    assert full.total() == 0\n"
TOKEN = "ghp_" + "A1b2C3d4" * 5


def files(shown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {block["name"]: block for block in shown["blocks"] if block["type"] == "file"}


async def test_a_function_its_test_and_the_fixture(machine: dict[str, str], shop: Path) -> None:
    for name, text in {"conftest.py": CONFTEST, "test_cart.py": TESTS}.items():
        (shop / "tests").mkdir(exist_ok=True)
        (shop / "tests" / name).write_text(text, encoding="utf-8")
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart, test = editor.open("shop/cart.py"), editor.open("tests/test_cart.py")
        here, there = editor.at(cart, "total = self.subtotal()"), editor.at(test, "assert full")
        found = files(await editor.settled(cart, here))
        assert found["tests/test_cart.py test_total"]["text"] == TESTS.strip()
        assert found["tests/test_cart.py test_total"]["editable"]

        found = files(await editor.settled(test, there))
        assert set(found) == {"shop/cart.py Cart.total", "tests/conftest.py full"}
        assert found["tests/conftest.py full"]["text"] == CONFTEST.partition("\n\n\n")[2].strip()

        # The test as it is in the editor, and nothing of it once there is a secret in it, saved or not.
        editor.edit(test, "== 0", "== 12")
        assert "== 12" in files(await editor.settled(cart, here))["tests/test_cart.py test_total"]["text"]
        editor.edit(test, "def test_total", f"KEY = '{TOKEN}'\n\n\ndef test_total")
        shown = await editor.settled(cart, here)
        assert not [name for name in files(shown) if name.startswith("tests/")]
        assert TOKEN not in shown["prompt"]

        # Nor of fixtures that git ignores.
        (shop / ".gitignore").write_text("conftest.py\n", encoding="utf-8")
        editor.edit(test, f"KEY = '{TOKEN}'\n\n\n", "")
        assert "tests/conftest.py full" not in files(await editor.settled(test, there))
        assert to_uri(shop / "tests" / "test_cart.py") == test
    finally:
        await stop_editor(editor)
