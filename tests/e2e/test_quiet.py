"""A completion that the model is not sure of is shown to who asks, and to nobody who types."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from lsprotocol.types import Position

from tests.e2e.conftest import Editor, start_editor, stop_editor


async def test_a_completion_the_model_is_not_sure_of_waits_until_it_is_asked_for(
    machine: dict[str, str], shop: Path
) -> None:
    editor = await start_editor(shop, {"completion": {"confidence": "quiet"}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.$0\n")
        await editor.settled(uri, position)
        assert await editor.complete(uri, position) == []
        await editor.until_idle()  # what a pause makes longer is no surer
        assert await editor.complete(uri, position) == []
        assert await editor.complete(uri, position, invoked=True)
    finally:
        await stop_editor(editor)


@pytest.fixture
async def at(machine: dict[str, str], shop: Path) -> AsyncIterator[tuple[Editor, str, Position]]:
    """Behind `total = sum(`, with no bound of how sure the model must be."""
    editor = await start_editor(shop, {"completion": {"confidence": "all"}})
    await editor.ready()
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = sum($0\n")
    await editor.settled(uri, position)
    yield editor, uri, position
    await stop_editor(editor)


async def test_without_a_bound_it_is_shown(at: tuple[Editor, str, Position]) -> None:
    editor, uri, position = at
    assert await editor.complete(uri, position)


async def test_what_was_just_deleted_is_not_offered_again_until_it_is_asked_for(
    at: tuple[Editor, str, Position],
) -> None:
    editor, uri, position = at
    (offered,) = await editor.complete(uri, position)
    text = offered.insert_text
    assert isinstance(text, str)
    assert len(text.strip()) > 3
    behind = editor.type(uri, position, text)
    await editor.until_idle()

    for n in range(len(text)):  # by backspace
        end = Position(behind.line, behind.character - n)
        editor.replace(uri, Position(end.line, end.character - 1), end, "")
    await editor.settled(uri, position)
    assert await editor.complete(uri, position) == []
    await editor.until_idle()
    assert await editor.complete(uri, position) == []
    asked = await editor.complete(uri, position, invoked=True)
    assert text in [item.insert_text for item in asked]

    behind = editor.type(uri, position, text)  # at once, as an editor's undo does it
    editor.replace(uri, position, behind, "")
    assert text not in [item.insert_text for item in await editor.complete(uri, position)]

    again = await editor.complete(uri, editor.type(uri, position, text[0]))  # typing it is wanting it
    assert text in [item.insert_text for item in again]


async def test_one_character_deleted_is_not_offered_again(at: tuple[Editor, str, Position]) -> None:
    editor, uri, position = at
    (offered,) = await editor.complete(uri, position)
    behind = editor.type(uri, position, str(offered.insert_text)[0])
    editor.replace(uri, position, behind, "")
    assert offered.insert_text not in [item.insert_text for item in await editor.complete(uri, position)]


async def test_a_wrong_key_taken_back_hides_nothing(at: tuple[Editor, str, Position]) -> None:
    editor, uri, position = at
    (offered,) = await editor.complete(uri, position)
    for wrong in ("(((", "#"):
        editor.replace(uri, position, editor.type(uri, position, wrong), "")
        (again,) = await editor.complete(uri, position)
        assert again.insert_text == offered.insert_text
