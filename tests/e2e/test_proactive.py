"""Proactive mode: a hint after a pause, its action, and when there is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.parse import parse_text

from .conftest import Editor, plain, start_editor, stop_editor
from .scripted import Scripted, scripted

CART = "shop/cart.py"
WRONG = "self.discount.amount(totla)"
ASKED = {"proactive": True, "proactive_s": 0.2, "min_agreement": 0.0}


@asynccontextmanager
async def window(shop: Path, **settings: Any) -> AsyncIterator[Editor]:
    editor = await start_editor(shop, settings)
    try:
        await editor.ready()
        yield editor
    finally:
        await stop_editor(editor)


@pytest.fixture
def said(machine: dict[str, str]) -> Iterator[Scripted]:
    with scripted() as it:
        yield it
        it.free.set()


@asynccontextmanager
async def asking(said: Scripted, shop: Path, completion: Any = None, **suggestion: Any) -> AsyncIterator[Editor]:
    """A window whose model says what the test writes, and is asked for nothing but suggestions."""
    engine = {"kind": "openai", "url": said.url}
    options = {"ahead": False, **(completion or {})}
    async with window(shop, engine=engine, completion=options, suggestion={**ASKED, **suggestion}) as editor:
        yield editor


def reply(argument: str = "total", summary: str = "Fix the name") -> str:
    """What a model writes that replaces the wrong argument in `Cart.total`."""
    line = f"L5             total -= self.discount.amount({argument})"
    return f'<suggestion name="editing">\n{line}\n</suggestion>\n<summary>{summary}</summary>'


def move(editor: Editor, uri: str, position: lsp.Position) -> None:
    where = {"line": position.line, "character": position.character}
    document = {"uri": uri, "version": editor.versions[uri]}
    editor.client.protocol.notify("palimpsest/cursor", {"textDocument": document, "position": where})


def hints(editor: Editor, uri: str) -> list[lsp.Diagnostic]:
    return list(editor.client.diagnostics.get(uri, []))


async def noticed(editor: Editor, uri: str) -> lsp.Diagnostic:
    for _ in range(600):
        if found := hints(editor, uri):
            (hint,) = found
            return hint
        await asyncio.sleep(0.05)
    raise AssertionError(f"no hint: {editor.status}")


async def gone(editor: Editor, uri: str) -> None:
    for _ in range(600):
        if not hints(editor, uri):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"still there: {hints(editor, uri)}")


async def pause(editor: Editor) -> None:
    """Long enough for what a pause begins to be begun and done; a slow machine can only make a test miss a fault."""
    await asyncio.sleep(0.6)
    await editor.until_idle()
    await asyncio.sleep(0.2)


async def actions(editor: Editor, uri: str, hint: lsp.Diagnostic) -> list[Any]:
    context = lsp.CodeActionContext(diagnostics=[hint], only=[lsp.CodeActionKind.QuickFix])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), hint.range, context)
    return list(await editor.client.text_document_code_action_async(params) or [])


def taken(editor: Editor, uri: str, action: lsp.CodeAction) -> str:
    """The text with an action's edit in it, which is of whole lines of the version that is open."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (document,) = action.edit.document_changes
    assert isinstance(document, lsp.TextDocumentEdit)
    assert (document.text_document.uri, document.text_document.version) == (uri, editor.versions[uri])
    lines = editor.texts[uri].split("\n")
    for edit in reversed(document.edits):
        assert isinstance(edit, lsp.TextEdit)
        assert edit.range.start.character == edit.range.end.character == 0
        lines[edit.range.start.line : edit.range.end.line] = edit.new_text.split("\n")[:-1]
    return "\n".join(lines)


async def test_the_embedded_model_is_asked_after_a_pause_and_its_edit_fits(machine: dict[str, str], shop: Path) -> None:
    async with window(shop, suggestion={**ASKED, "max_tokens": 160}) as editor:
        uri = editor.open(CART)
        for needle in (WRONG, "self.lines.remove(line)", "line.quantity += quantity", "rows.append"):
            move(editor, uri, editor.at(uri, needle))
            await pause(editor)
            if hints(editor, uri):  # not every reply of so small a model passes the checks
                break
        (hint,) = hints(editor, uri)
        assert (hint.severity, hint.source) == (lsp.DiagnosticSeverity.Hint, "palimpsest")
        assert hint.message
        action, *_ = await actions(editor, uri, hint)
        assert action.kind == "quickfix.palimpsest"
        assert hint.message in action.title
        new = taken(editor, uri, action)
        assert new != editor.texts[uri]
        assert parse_text(new, PYTHON).n_errors == 0


async def test_a_misspelt_name_is_a_hint_but_not_one_that_is_still_being_typed(
    machine: dict[str, str], shop: Path
) -> None:
    async with window(shop, suggestion={**ASKED, "min_agreement": 1.0}) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.edit(uri, "return total\n", "return tota$0\n"))
        hint = await noticed(editor, uri)
        assert hint.message == "Write `total` for `totla`, which is defined nowhere."


async def test_a_hint_is_on_the_lines_it_changes_and_its_action_makes_just_that_edit(
    said: Scripted, shop: Path
) -> None:
    said.replies = [reply()]
    async with asking(said, shop) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        hint = await noticed(editor, uri)
        assert len(said.asked) == 3
        assert editor.texts[uri].split("\n")[hint.range.start.line].strip() == f"total -= {WRONG}"
        assert hint.range.end.line == hint.range.start.line
        assert hint.message == "Fix the name"
        action, dismiss = await actions(editor, uri, hint)
        assert taken(editor, uri, action) == editor.texts[uri].replace("totla", "total")
        assert "dismiss" in dismiss.title
        editor.edit(uri, WRONG, "self.discount.amount(total)")  # as an editor applies it
        await gone(editor, uri)
        with pytest.raises(JsonRpcException, match="accepted"):
            await editor.command("palimpsest.suggest.accept", plain(hint.data))


async def test_a_hint_moves_with_its_lines_and_goes_when_its_function_is_edited(said: Scripted, shop: Path) -> None:
    said.replies = [reply()]
    async with asking(said, shop) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        first = await noticed(editor, uri)
        before = editor.texts[uri]
        editor.edit(uri, before[:3], "# One more line.\n" + before[:3])
        while hints(editor, uri) == [first]:
            await asyncio.sleep(0.02)
        (moved,) = hints(editor, uri)
        assert moved.range.start.line == first.range.start.line + 1
        action, *_ = await actions(editor, uri, moved)
        assert taken(editor, uri, action) == editor.texts[uri].replace("totla", "total")
        asked = len(said.asked)
        said.free.clear()
        editor.edit(uri, "total = self.subtotal()", "total = 2 * self.subtotal()")
        await gone(editor, uri)
        assert await actions(editor, uri, moved) == []
        editor.edit(uri, "total = 2 * self.subtotal()", "total = self.subtotal()")
        assert (await noticed(editor, uri)).message == "Fix the name"  # the text is known again: nobody is asked
        assert all("2 * self.subtotal()" in body["messages"][0]["content"] for body in said.asked[asked:])
        said.free.set()


async def test_what_was_dismissed_never_comes_again_for_that_text(said: Scripted, shop: Path) -> None:
    said.replies = [reply()]
    async with asking(said, shop) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        hint = await noticed(editor, uri)
        await editor.command("palimpsest.suggest.reject", plain(hint.data))
        await gone(editor, uri)
        for needle in ("import", "total = self.subtotal()", WRONG):  # away, and back
            move(editor, uri, editor.at(uri, needle))
            await pause(editor)
        assert hints(editor, uri) == []
        assert len(said.asked) == 3, "the same text is not asked about again"

        editor.edit(uri, "The price of all", "What is paid for all")
        while len(said.asked) < 6:
            await asyncio.sleep(0.02)
        await pause(editor)
        assert hints(editor, uri) == [], "nor is the same edit offered"

        said.replies = [reply("0")]
        editor.edit(uri, "What is paid for all", "The sum of all")
        hint = await noticed(editor, uri)
        editor.client.protocol.notify("palimpsest/event", {"kind": "rejected", **plain(hint.data)})
        await gone(editor, uri)
        move(editor, uri, editor.at(uri, "total = self.subtotal()"))
        await pause(editor)
        assert hints(editor, uri) == []


async def test_replies_that_do_not_agree_are_not_offered(said: Scripted, shop: Path) -> None:
    said.replies = [reply(), reply("0"), reply("1"), reply(), reply("0"), reply()]
    async with asking(said, shop, min_agreement=0.6) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        while len(said.asked) < 3:
            await asyncio.sleep(0.02)
        await pause(editor)
        assert hints(editor, uri) == []
        editor.edit(uri, "The price of all", "What is paid for all")
        hint = await noticed(editor, uri)
        action, *_ = await actions(editor, uri, hint)
        assert "amount(total)" in taken(editor, uri, action)


async def test_an_answer_that_comes_after_the_person_typed_on_is_dropped(said: Scripted, shop: Path) -> None:
    said.replies = [reply()]
    said.free.clear()
    async with asking(said, shop) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        while not said.asked:
            await asyncio.sleep(0.02)
        editor.edit(uri, "total = self.subtotal()", "total = 1 + self.subtotal()")
        move(editor, uri, editor.at(uri, "import"))  # no function: nothing is asked there
        await editor.stats()  # it has seen that
        said.free.set()
        await pause(editor)
        assert hints(editor, uri) == []
        assert len(said.asked) == 1, "it was cancelled"


async def test_nothing_is_asked_unless_it_is_wanted(said: Scripted, shop: Path) -> None:
    said.replies = [reply()]
    async with asking(said, shop, proactive=False) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        await pause(editor)
        offs: list[dict[str, Any]] = [{"suggestion.enabled": False}, {"completion.enabled": False}]
        for off in offs:
            settings = {"suggestion.proactive": True, **off}
            editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
            move(editor, uri, editor.at(uri, WRONG))
            await pause(editor)
        assert hints(editor, uri) == []
        assert said.asked == []
        settings = {"suggestion.proactive": True}
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
        move(editor, uri, editor.at(uri, WRONG))
        await noticed(editor, uri)


async def test_a_hint_goes_with_its_document_and_where_it_is_switched_off(said: Scripted, shop: Path) -> None:
    said.replies = [reply()]
    async with asking(said, shop) as editor:
        uri = editor.open(CART)
        move(editor, uri, editor.at(uri, WRONG))
        await noticed(editor, uri)
        await editor.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": uri, "enabled": False})
        await gone(editor, uri)
        await editor.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": uri, "enabled": True})
        move(editor, uri, editor.at(uri, "total = self.subtotal()"))
        await noticed(editor, uri)
        assert len(said.asked) == 3
        editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        await gone(editor, uri)
