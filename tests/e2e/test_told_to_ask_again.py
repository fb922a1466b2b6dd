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
LONG = {"first_ms": 20_000, "time_ms": 20_000, "sync_ms": 0, "ahead": False, "multiline": "never", "min_confidence": 0}
HOLES = (
    "            self.lines.append(Line(item, quantity))\n",
    '        """Put an item into the cart; a line of the same item grows."""\n',
    "            self.lines.remove(line)\n",
)
"""At some of these the code behind chooses another line than the likeliest."""
SURE = 0.7


def listen(editor: Editor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    editor.client.feature(TOLD)(lambda params: found.append(plain(params)))
    return found


@pytest.fixture
async def reviewing(shop: Path) -> AsyncIterator[Editor]:
    editor = await start_editor(shop, {"completion": {**LONG, "review": "pause"}})
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


async def test_the_code_behind_chooses_once_on_a_pause_and_the_editor_is_told(reviewing: Editor) -> None:
    editor, told = reviewing, listen(reviewing)
    n_changed = 0
    for line in HOLES:
        uri, position = await at_hole(editor, line)
        told.clear()
        first = [text_of(item) for item in await editor.complete(uri, position)]
        await editor.until_idle()
        before = await editor.stats()
        then = [text_of(item) for item in await editor.complete(uri, position)]
        if then != first:
            n_changed += 1
            place = {"line": position.line, "character": position.character}
            assert told == [{"textDocument": {"uri": uri, "version": editor.versions[uri]}, "position": place}]
            assert then[1:] == first, "what was on screen stays an alternative"
        else:
            assert told == []
        await editor.until_idle()
        assert len(told) == (then != first), "never a second time"
        assert (await editor.stats())["generated"] == before["generated"]
    assert n_changed, "the test says something only where one is changed"


async def test_what_was_not_sure_enough_is_shown_where_the_lines_that_were_tried_say_so(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {**LONG, "review": "pause", "min_confidence": SURE}})
    told, shown = listen(editor), list[str]()
    try:
        await editor.ready()
        for line in HOLES:
            uri, position = await at_hole(editor, line)
            told.clear()
            first = await editor.complete(uri, position)
            sure = (await editor.command("palimpsest.cache.map"))["confidence"]
            assert bool(first) == (sure >= SURE)
            await editor.until_idle()
            share = (await editor.command("palimpsest.cache.map"))["share"]
            then = [text_of(item) for item in await editor.complete(uri, position)]
            if not first:
                assert bool(then) == bool(told)
                assert not then or share is None or share >= SURE
                shown += then
        assert shown, "the test says something only where one is shown"
    finally:
        await stop_editor(editor)


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
    editor = await start_editor(shop, {"engine": {"n_ctx": 1280}, "completion": LONG})  # one that nobody has started
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
