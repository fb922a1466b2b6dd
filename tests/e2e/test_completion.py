"""textDocument/inlineCompletion, and what a keystroke costs."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from .conftest import Editor, engine_pids, start_editor, stop_editor


async def test_a_cursor_in_a_method_gets_a_completion_with_the_typed_word_in_its_range(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
    await editor.settled(uri, position)
    items = await editor.complete(uri, position)
    assert items
    item = items[0]
    assert item.insert_text.startswith("disc")
    assert item.filter_text == item.insert_text
    assert item.range is not None
    assert item.range.end == position
    assert position.character - item.range.start.character == len("disc")
    assert "\n" not in item.insert_text.rstrip("\n") or item.insert_text.count("\n") < 12


INVOKED = lsp.InlineCompletionTriggerKind.Invoked


@pytest.mark.parametrize("item", ["discount", "lines"])
async def test_what_a_menu_has_selected_begins_the_completion(editor: Editor, item: str) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.d$0\n")
    start = lsp.Position(position.line, position.character - 1)
    if item == "discount":  # clients turn ranges round, and send what they like
        for wrong in (lsp.Range(position, start), lsp.Range(position, lsp.Position(9_999, 9_999))):
            odd = lsp.InlineCompletionContext(INVOKED, lsp.SelectedCompletionInfo(wrong, "x" * 5_000_000))
            await editor.client.text_document_inline_completion_async(
                lsp.InlineCompletionParams(odd, lsp.TextDocumentIdentifier(uri), position)
            )
    selected = lsp.SelectedCompletionInfo(lsp.Range(start, position), item)
    for kind in (INVOKED, lsp.InlineCompletionTriggerKind.Automatic):
        context = lsp.InlineCompletionContext(kind, selected)
        params = lsp.InlineCompletionParams(context, lsp.TextDocumentIdentifier(uri), position)
        answer = await editor.client.text_document_inline_completion_async(params)
        assert isinstance(answer, lsp.InlineCompletionList)
        assert answer.items or kind == lsp.InlineCompletionTriggerKind.Automatic
        for found in answer.items:
            assert str(found.insert_text).startswith(item)
            assert len(str(found.insert_text)) > len(item)
            assert found.range == selected.range


async def test_a_typed_character_decodes_a_few_tokens_at_most(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    body = "total = self.subtotal()\n"
    position = editor.edit(uri, body, body + "        weight = 0\n        wei$0\n")
    await editor.settled(uri, position)
    await editor.complete(uri, position)
    for character in "ght += 1":
        before = await editor.stats()
        position = type_at(editor, uri, position, character)
        await editor.complete(uri, position)
        after = await editor.stats()
        assert after["decoded"] - before["decoded"] <= 8, f"after typing {character!r}"


async def test_typing_what_is_shown_costs_nothing_and_shows_the_rest(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
    await editor.settled(uri, position)
    first = (await editor.complete(uri, position))[0].insert_text.removeprefix("disc")
    if len(first) < 2:
        pytest.fail(f"the completion {first!r} is too short to type along")
    before = await editor.stats()
    position = type_at(editor, uri, position, first[0])
    item = (await editor.complete(uri, position))[0]
    assert item.insert_text.endswith(first[1:])
    assert (await editor.stats())["decoded"] == before["decoded"]


async def test_an_older_request_is_overtaken_by_the_newest(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    await editor.settled(uri, position)
    requests = []
    for pid in engine_pids():  # it holds still, so that none is answered before the next one comes
        os.kill(pid, signal.SIGSTOP)
    for character in "\n        x":
        position = type_at(editor, uri, position, character)
        requests.append(asyncio.create_task(editor.complete(uri, position)))
    await asyncio.sleep(0.3)
    for pid in engine_pids():
        os.kill(pid, signal.SIGCONT)
    answers = await asyncio.gather(*requests)
    assert all(answer == [] for answer in answers[:-1])


async def test_completion_can_be_switched_off_for_a_language(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"disabled_languages": ["python"]}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
    finally:
        await stop_editor(editor)


async def test_an_engine_killed_during_a_completion_costs_one_empty_answer(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        price = self.$0\n")
    await editor.settled(uri, position)
    engines = engine_pids()
    for pid in engines:  # it holds still, so that the request is in the middle for certain
        os.kill(pid, signal.SIGSTOP)
    request = asyncio.create_task(editor.complete(uri, position))
    await asyncio.sleep(0.3)
    assert not request.done()
    for pid in engines:
        os.kill(pid, signal.SIGKILL)
    assert await request == []
    await _until_not_normal(editor)
    await editor.ready()
    shown = await editor.settled(uri, position)
    assert shown["blocks"]
    assert "if self.disc" in shown["editing"]["text"]
    assert await editor.complete(uri, position)


async def test_two_windows_share_one_engine_and_one_may_be_killed(editor: Editor, shop: Path) -> None:
    other = await start_editor(shop, own_process=True)
    try:
        await other.ready()
        engines = engine_pids()
        uri = other.open("shop/order.py")
        await other.settled(uri, other.at(uri, "weight = 0.0"))
        os.kill(other.pid, signal.SIGKILL)
        mine = editor.open("shop/cart.py")
        position = editor.edit(mine, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
        await editor.settled(mine, position)
        assert await editor.complete(mine, position)
        assert engine_pids() == engines
    finally:
        await other.client.stop()


def type_at(editor: Editor, uri: str, position: lsp.Position, text: str) -> lsp.Position:
    lines = editor.texts[uri].split("\n")
    offset = sum(len(line) + 1 for line in lines[: position.line]) + position.character
    editor.texts[uri] = editor.texts[uri][:offset] + text + editor.texts[uri][offset:]
    editor.versions[uri] += 1
    change = lsp.TextDocumentContentChangePartial(range=lsp.Range(position, position), text=text)
    editor.client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=uri, version=editor.versions[uri]),
            content_changes=[change],
        )
    )
    if text == "\n":
        return lsp.Position(position.line + 1, 0)
    return lsp.Position(position.line, position.character + len(text))


async def _until_not_normal(editor: Editor) -> None:
    for _ in range(200):
        if editor.status.get("kind") != "Normal":
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the status never said that the engine was gone")
