"""Where completions are off, nothing is decoded for them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .conftest import Editor, start_editor, stop_editor
from .test_completion import type_at

BODY = "total = self.subtotal()\n"


async def engine_work(editor: Editor) -> dict[str, int]:
    """All that the engine did, for whatever reason."""
    engine: dict[str, int] = (await editor.command("palimpsest.cache.map"))["engine"]
    return engine


async def typed_with_no_work(editor: Editor, uri: str) -> None:
    """Type a line with a completion asked for behind each character, and pause: nothing is decoded."""
    position = editor.edit(uri, BODY, BODY + "        $0\n")
    before = await engine_work(editor)
    for character in "if self.":
        position = type_at(editor, uri, position, character)
        assert await editor.complete(uri, position) == []
    await editor.until_idle()
    assert await editor.complete(uri, position, invoked=True) == []
    editor.client.protocol.notify("palimpsest/event", {"kind": "focus"})
    await editor.until_idle()
    assert await engine_work(editor) == before
    assert editor.status["kind"] == "Inactive"
    assert editor.status["message"].startswith("Completions are ")


async def completes(editor: Editor, uri: str) -> bool:
    await editor.until_idle()
    position = editor.edit(uri, BODY, BODY + "        if self.disc$0\n")
    found = bool(await editor.complete(uri, position))
    editor.edit(uri, "        if self.disc\n", "")
    return found


async def test_a_person_switches_it_off_and_on_again(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    other = editor.open("tests/test_cart.py")
    await editor.until_idle()
    for scope in ("everywhere", "language", "folder", "buffer"):

        async def toggle(scope: str = scope, **arguments: Any) -> bool:
            answer = await editor.command("palimpsest.completion.toggle", {"scope": scope, "uri": uri, **arguments})
            assert answer["scope"] == scope
            return bool(answer["enabled"])

        assert await toggle() is False
        await typed_with_no_work(editor, uri)
        there = editor.edit(other, "\n", f"\nimport {scope}$0\n")
        before = await engine_work(editor)
        await editor.complete(other, there)
        await editor.until_idle()
        assert (await engine_work(editor) == before) is (scope in ("everywhere", "language"))
        assert await toggle(enabled=False) is False
        assert await toggle() is True
        assert await completes(editor, uri)
        assert editor.status["kind"] == "Normal"


async def test_folders_are_switched_off_by_patterns(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"disabled_folders": ["/shop/", "!shop/order.py"]}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        await typed_with_no_work(editor, uri)
        other = editor.open("tests/test_cart.py")
        before = await engine_work(editor)
        await editor.complete(other, editor.edit(other, "\n", "\nimport$0\n"))
        assert await engine_work(editor) != before
        # a buffer that is switched on by hand is on
        answer = await editor.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": uri})
        assert answer == {"scope": "buffer", "enabled": True}
        assert await completes(editor, uri)
    finally:
        await stop_editor(editor)


async def test_edits_are_made_where_completions_are_off(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"enabled": False}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        await typed_with_no_work(editor, uri)
        position = editor.at(uri, "rows = [")
        where = {"line": position.line, "character": position.character}
        before = await engine_work(editor)
        await editor.command("palimpsest.suggest", {"uri": uri, "position": where, "n": 1})
        assert (await engine_work(editor))["decoded"] > before["decoded"]
    finally:
        await stop_editor(editor)


async def test_a_switch_that_means_nothing_is_an_error_that_names_the_field(editor: Editor) -> None:
    for argument, field in (
        ({}, "scope"),
        ({"scope": "galaxy"}, "scope"),
        ({"scope": "buffer"}, "uri"),
        ({"scope": "language", "uri": "file:///nowhere.py"}, "uri"),
        ({"scope": "everywhere", "enabled": "no"}, "enabled"),
    ):
        with pytest.raises(JsonRpcException, match=field):
            await editor.command("palimpsest.completion.toggle", argument)
    # what was switched stays so when settings change
    uri = editor.open("shop/cart.py")
    await editor.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": uri, "enabled": False})
    changed = {"palimpsest": {"completion": {"max_tokens": 32}}}
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings=changed))
    await asyncio.sleep(0.2)
    await editor.ready()
    await typed_with_no_work(editor, uri)
