"""`palimpsest/completion`: a place where the editor would be answered otherwise by now, so that it asks again."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from .conftest import Editor, plain, start_editor, stop_editor, until
from .test_completion import type_at
from .test_completion_keeps_up import text_of

TOLD = "palimpsest/completion"
LONG = {"first_ms": 20_000, "time_ms": 20_000, "sync_ms": 0, "ahead": False, "multiline": "never", "confidence": "all"}
HOLES = (
    "            self.lines.append(Line(item, quantity))\n",
    '        """Put an item into the cart; a line of the same item grows."""\n',
    "            self.lines.remove(line)\n",
)


def listen(editor: Editor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    editor.client.feature(TOLD)(lambda params: found.append(plain(params)))
    return found


@pytest.fixture
async def reviewing(shop: Path) -> AsyncIterator[Editor]:
    editor = await start_editor(shop, {"completion": LONG})
    await editor.ready()
    yield editor
    await stop_editor(editor)


async def at_hole(editor: Editor, line: str) -> tuple[str, lsp.Position]:
    """A document with the sample's text but for that line, opened so: nobody has deleted it."""
    before, behind = (editor.root / "shop" / "cart.py").read_text(encoding="utf-8").split(line)
    before += line[: len(line) - len(line.lstrip())]
    uri = editor.open(f"shop/hole{len(editor.texts)}.py", f"{before}\n{behind}")
    position = editor.at(uri, before)
    await editor.settled(uri, position)
    return uri, position


async def test_of_what_is_asked_for_the_first_comes_at_once_and_the_others_behind_it(reviewing: Editor) -> None:
    editor, told = reviewing, listen(reviewing)
    for line in HOLES:
        uri, position = await at_hole(editor, line)
        told.clear()
        (first,) = [text_of(item) for item in await editor.complete(uri, position, invoked=True)]
        await until(lambda: told)
        place = {"line": position.line, "character": position.character}
        assert told == [{"textDocument": {"uri": uri, "version": editor.versions[uri]}, "position": place}]
        await editor.until_idle()
        before = await editor.stats()
        for invoked in (False, True):
            then = [text_of(item) for item in await editor.complete(uri, position, invoked=invoked)]
            assert len(then) > 1
            assert any(text.startswith(first.rstrip(")]}\"'`")) for text in then), "what was on screen stays among them"
        await editor.until_idle()
        assert len(told) == 1, "never a second time"
        assert (await editor.stats())["generated"] == before["generated"]


async def test_asked_again_meanwhile_it_is_what_is_on_screen(reviewing: Editor) -> None:
    editor, told = reviewing, listen(reviewing)
    uri, position = await at_hole(editor, HOLES[0])
    (first,) = await editor.complete(uri, position, invoked=True)
    again = await editor.complete(uri, position, invoked=True)
    assert told or [item.command for item in again] == [first.command]
    await until(lambda: told)
    assert len(await editor.complete(uri, position, invoked=True)) > 1


async def test_who_types_on_is_shown_no_others(reviewing: Editor) -> None:
    editor, told = reviewing, listen(reviewing)
    uri, position = await at_hole(editor, HOLES[0])
    (first,) = [text_of(item) for item in await editor.complete(uri, position, invoked=True)]
    position = type_at(editor, uri, position, first[0])
    await editor.complete(uri, position)
    await editor.until_idle()
    assert told == []


async def test_what_a_person_has_begun_to_type_is_not_replaced(reviewing: Editor) -> None:
    editor, told = reviewing, listen(reviewing)
    for line in HOLES:
        uri, position = await at_hole(editor, line)
        (first,) = [text_of(item) for item in await editor.complete(uri, position)]
        position = type_at(editor, uri, position, first[0])
        items = await editor.complete(uri, position)
        await editor.until_idle()
        assert [text_of(item) for item in await editor.complete(uri, position)] == [text_of(item) for item in items]
    assert told == []


async def test_what_was_rejected_is_left_alone(reviewing: Editor) -> None:
    editor, told = reviewing, listen(reviewing)
    for line in HOLES:
        uri, position = await at_hole(editor, line)
        (item,) = await editor.complete(uri, position)
        assert item.command is not None
        assert item.command.arguments is not None
        rejected = {"kind": "rejected", "what": "completion", "id": item.command.arguments[0]["id"]}
        editor.client.protocol.notify("palimpsest/event", rejected)
        await editor.until_idle()
    assert told == []


async def test_what_was_asked_before_there_was_an_engine_is_asked_again_when_there_is_one(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"n_ctx": 1344}, "completion": LONG})  # one that nobody has started
    told = listen(editor)
    try:
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        weight = $0\n")
        assert await editor.complete(uri, position) == []
        await until(lambda: told)
        assert told[0]["textDocument"] == {"uri": uri, "version": editor.versions[uri]}
        await editor.complete(uri, position)
        assert (await editor.stats())["generated"] > 0
        assert len(told) == 1
    finally:
        await stop_editor(editor)
