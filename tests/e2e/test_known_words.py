"""Names that only a block knows, completed from their first letters."""

from pathlib import Path

import pytest

from .conftest import Editor, start_editor, stop_editor

BODY = "total = self.subtotal()\n"


async def completed(editor: Editor, typed: str) -> str:
    """The word that the first completion makes of what is typed behind `self.discount.`."""
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, f"{BODY}        print(self.discount.{typed}$0\n")
    await editor.settled(uri, position)
    items = await editor.complete(uri, position)
    text = items[0].insert_text if items else ""
    assert isinstance(text, str)
    return text[: next((i for i, c in enumerate(text) if not (c.isalnum() or c == "_")), len(text))]


@pytest.mark.parametrize(("typed", "name"), [("appl", "applies_to"), ("perc", "percent"), ("mini", "minimum")])
async def test_a_name_that_only_a_block_has_is_completed(editor: Editor, typed: str, name: str) -> None:
    source = Path(editor.root / "shop" / "cart.py").read_text(encoding="utf-8")
    assert name not in source
    assert await completed(editor, typed) == name


async def test_the_search_can_be_turned_off(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"known_words": "never"}})
    try:
        await editor.ready()
        await completed(editor, "appl")
        parts = (await editor.command("palimpsest.status"))["parts"]
        assert parts["engine.search"] == 0.0
    finally:
        await stop_editor(editor)
