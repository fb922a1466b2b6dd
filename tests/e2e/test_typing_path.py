"""What is done on a pause, so that a keystroke has little left to do."""

import asyncio
from pathlib import Path

from lsprotocol import types as lsp

from palimpsest.lsp.client.editor import is_resident, plain_position

from .conftest import Editor, start_editor, stop_editor
from .test_completion import type_at

BODY = "total = self.subtotal()\n"


async def cost(editor: Editor, uri: str, position: lsp.Position) -> int:
    """Tokens that a completion decodes."""
    before = await editor.stats()
    await editor.complete(uri, position)
    return (await editor.stats())["decoded"] - before["decoded"]


async def test_after_a_pause_a_keystroke_decodes_no_more_than_what_is_typed(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        weight = 0\n        $0\n")
    await editor.settled(uri, position)
    position = type_at(editor, uri, position, "wei")
    assert await cost(editor, uri, position) <= 2
    # in another function
    elsewhere = editor.at(uri, "rows = [")
    await editor.settled(uri, elsewhere)
    elsewhere = type_at(editor, uri, elsewhere, "self")
    assert await cost(editor, uri, elsewhere) <= 3
    # behind what was typed while nobody asked for a completion: the cursor is followed
    for character in ".discount or 1 + ":
        elsewhere = type_at(editor, uri, elsewhere, character)
    await editor.until_idle()
    assert await cost(editor, uri, elsewhere) <= 2


async def new_package(editor: Editor, uri: str) -> str:
    """The name of a module that the text begins to use with a keystroke that does not decode its block.

    On a busy machine a pause may begin between what is typed and what is asked, and decode it; then it is another one.
    """
    costs = []
    for name in ("json", "pickle", "marshal", "plistlib"):
        editor.edit(uri, "import logging\n", f"import logging\nimport {name}\n")
        position = editor.edit(uri, BODY, BODY + f"        text = {name}.dum$0\n")
        costs.append(await cost(editor, uri, position))
        if costs[-1] < 200:
            return name
        await editor.settled(uri, position)
    raise AssertionError(costs)


async def test_blocks_that_take_long_are_left_to_the_pause_after_the_answer(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"sync_ms": 1}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        await editor.settled(uri, editor.at(uri, BODY))
        name = await new_package(editor, uri)
        position = editor.at(uri, f"{name}.dum")
        shown = await editor.settled(uri, position)
        package = next(block for block in shown["blocks"] if block["name"] == name)
        assert package["tokens"] > 200
        assert (await editor.decoded())[f"package:{name}"] > 200
        assert await cost(editor, uri, type_at(editor, uri, position, "p")) <= 2
    finally:
        await stop_editor(editor)


async def test_the_alternatives_that_are_asked_for_have_all_blocks(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"sync_ms": 1}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, BODY, BODY + "        rest = self.sub$0\n")
        await editor.complete(uri, position, invoked=True)  # the first one comes soon
        where = {"uri": uri, "position": plain_position(position)}
        while not is_resident(await editor.command("palimpsest.context.show", where)):
            await asyncio.sleep(0.02)
    finally:
        await stop_editor(editor)
