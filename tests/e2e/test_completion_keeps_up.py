"""Completions that are there before they are asked for, and that ask for no more than they need."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from palimpsest.lsp.client.editor import inline_completion

from .conftest import PATIENT, Editor, all_asked_for, engine_pids, start_editor, stop_editor
from .test_completion import type_at

BODY = "total = self.subtotal()\n"


def text_of(item: lsp.InlineCompletionItem) -> str:
    assert isinstance(item.insert_text, str)
    return item.insert_text


async def work(editor: Editor) -> dict[str, int]:
    """Tokens that completions made the engine decode and generate so far, ahead of time or not."""
    stats = await editor.stats()
    return {name: stats[name] for name in ("decoded", "warmed", "generated")}


def accept(editor: Editor, uri: str, position: lsp.Position, item: lsp.InlineCompletionItem) -> lsp.Position:
    """Do what an editor does: the range becomes the text."""
    assert item.range is not None
    typed = position.character - item.range.start.character
    position = type_at(editor, uri, position, text := text_of(item)[typed:])
    lines = text.split("\n")
    return lsp.Position(position.line + len(lines) - 1, len(lines[-1])) if len(lines) > 1 else position


def back(editor: Editor, uri: str, position: lsp.Position) -> lsp.Position:
    """Backspace."""
    start = lsp.Position(position.line, position.character - 1)
    lines = editor.texts[uri].split("\n")
    line = lines[position.line]
    lines[position.line] = line[: start.character] + line[position.character :]
    editor.texts[uri] = "\n".join(lines)
    editor.versions[uri] += 1
    change = lsp.TextDocumentContentChangePartial(range=lsp.Range(start, position), text="")
    identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=editor.versions[uri])
    editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))
    return start


@contextmanager
def held() -> Iterator[None]:
    """The engine stands still."""
    pids = engine_pids()
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def test_within_a_line_only_who_asks_for_it_gets_a_completion(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        weight = sel$0 + self.subtotal()\n")
    await editor.settled(uri, position)
    before = await work(editor)
    assert await editor.complete(uri, position) == []
    assert await work(editor) == before
    await editor.complete(uri, position, invoked=True)
    assert (await work(editor))["generated"] > before["generated"]
    # what closes brackets is not in its way
    position = editor.edit(uri, " + self.subtotal()", '$0)], "')
    await editor.settled(uri, position)
    before = await work(editor)
    await editor.complete(uri, position)
    assert (await work(editor))["generated"] > before["generated"]


async def test_a_completion_made_before_is_shown_again_with_nothing_decoded(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        if self.disc$0\n")
    await editor.settled(uri, position)
    (first,) = await editor.complete(uri, position)
    other = editor.at(uri, "rows = [")
    await editor.complete(uri, other)  # what was on screen is not any more
    await editor.settled(uri, position)
    before = await work(editor)
    assert [text_of(item) for item in await editor.complete(uri, position)] == [text_of(first)]
    # a wrong character, and back
    position = type_at(editor, uri, position, "q")
    await editor.complete(uri, position)
    position = back(editor, uri, position)
    middle = await work(editor)
    assert [text_of(item) for item in await editor.complete(uri, position)] == [text_of(first)]
    assert (await work(editor))["generated"] == middle["generated"]
    assert before["decoded"] <= middle["decoded"]
    # and what is asked before, elsewhere, is overtaken by it
    with held():
        ask = inline_completion(uri, editor.at(uri, "total = self.subtotal()"))
        elsewhere = asyncio.create_task(editor.client.text_document_inline_completion_async(ask))
        await asyncio.sleep(0.2)
        assert await editor.complete(uri, position)
        assert not elsewhere.done()
    assert await elsewhere is None, "for an empty answer a client would take the newer one off the screen"


async def test_more_is_prepared_behind_an_answer_that_had_little_time(shop: Path) -> None:
    editor = await start_editor(
        shop, {"completion": {"confidence": "all", "first_ms": 1, "time_ms": 20_000, "ahead": False}}
    )
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, BODY, BODY + "        while self.disc$0\n")
        await editor.settled(uri, position)
        shown = await editor.complete(uri, position)
        short = text_of(shown[0]) if shown else "disc"
        await editor.until_idle()
        before = await work(editor)
        long = text_of((await editor.complete(uri, position))[0])
        assert long.startswith(short)
        assert len(long) > len(short)
        position = type_at(editor, uri, position, long[len("disc")])
        assert text_of((await editor.complete(uri, position))[0]) == long
        assert await work(editor) == before
    finally:
        await stop_editor(editor)


async def test_what_follows_is_prepared_while_a_completion_is_shown(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        if self.disc$0\n")
    await editor.settled(uri, position)
    item = (await editor.complete(uri, position))[0]
    await editor.until_idle()
    before = await work(editor)
    position = accept(editor, uri, position, item)
    await editor.complete(uri, position)
    after = await work(editor)
    assert after["generated"] == before["generated"]
    assert after["decoded"] == before["decoded"]


async def test_nothing_is_prepared_where_that_is_not_wanted(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"ahead": False, **PATIENT["completion"]}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, BODY, BODY + "        if self.disc$0\n")
        await editor.settled(uri, position)
        assert await editor.complete(uri, position)
        before = await work(editor)
        await editor.until_idle()
        await editor.settled(uri, position)
        assert (await work(editor))["generated"] == before["generated"]
    finally:
        await stop_editor(editor)


async def test_alternatives_come_where_they_are_asked_for(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        weight = $0\n")
    await editor.settled(uri, position)
    automatic = await editor.complete(uri, position)
    assert len(automatic) <= 1, "none where the model is not sure"
    items = await all_asked_for(editor, uri, position)
    texts = [text_of(item) for item in items]
    assert 2 <= len(texts) <= 3
    assert len(set(texts)) == len(texts)
    again = await editor.complete(uri, position)  # blocks may have come between the first question and the second
    others = [text_of(item) for item in (*automatic, *again)]
    assert not others or any(texts[0].startswith(other) or other.startswith(texts[0]) for other in others)
    for item in items:
        assert item.filter_text == item.insert_text
        assert item.range == lsp.Range(position, position)
        assert item.command is not None
        assert item.command.command == "palimpsest.completion.accepted"
        await editor.command(item.command.command, (item.command.arguments or [None])[0])
    assert len({str(item.command) for item in items}) == len(items)


async def test_a_snippet_only_where_it_was_asked_for(shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"confidence": "all", "snippets": True}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, BODY, BODY + "        rows.append(total)\n" * 2 + "        rows.appe$0\n")
        await editor.settled(uri, position)
        item = (await editor.complete(uri, position))[0]
        assert item.filter_text is not None
        if "(" not in item.filter_text.rstrip("()"):
            pytest.fail(f"the completion {item.filter_text!r} calls nothing with arguments")
        assert isinstance(item.insert_text, lsp.StringValue)
        assert "${1:" in item.insert_text.value
        assert item.insert_text.value.endswith("$0")
    finally:
        await stop_editor(editor)
