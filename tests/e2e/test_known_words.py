"""Names that only a block knows, completed from their first letters."""

from pathlib import Path
from typing import Any

from .conftest import Editor, start_editor, stop_editor

LINE = "        self.discount = discount\n"
NAMES = {"per": "percent", "min": "minimum", "appli": "applies_to"}
PATIENT: dict[str, Any] = {"first_ms": 20_000}


async def searched(editor: Editor) -> int:
    """Tokens that the engine, which tests share, has decoded in search of words."""
    count: int = (await editor.command("palimpsest.cache.map"))["engine"]["searched"]
    return count


async def completed(editor: Editor, uri: str, typed: str) -> str:
    """The word that the first completion makes of what is typed behind `discount.`."""
    line = f"        print(discount.{typed}\n"
    position = editor.edit(uri, LINE, f"{LINE}{line[:-1]}$0\n")
    await editor.settled(uri, position)
    items = await editor.complete(uri, position)
    editor.edit(uri, line, "")
    text = items[0].insert_text if items else ""
    assert isinstance(text, str)
    return text[: next((i for i, c in enumerate(text) if not (c.isalnum() or c == "_")), len(text))]


async def test_names_that_only_a_block_has_are_completed(shop: Path) -> None:
    source = (shop / "shop" / "cart.py").read_text(encoding="utf-8")
    assert not any(name in source for name in NAMES.values())
    editor = await start_editor(shop, {"completion": PATIENT})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        before = await searched(editor)
        for typed, name in NAMES.items():
            assert await completed(editor, uri, typed) == name
        assert await searched(editor) > before
    finally:
        await stop_editor(editor)


async def test_the_search_can_be_turned_off(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {**PATIENT, "known_words": "never"}})
    try:
        await editor.ready()
        before = await searched(editor)
        assert await completed(editor, editor.open("shop/cart.py"), "per")
        assert await searched(editor) == before
    finally:
        await stop_editor(editor)
