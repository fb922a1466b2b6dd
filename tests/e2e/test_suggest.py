"""Edits: the command, code actions, and what is never applied."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.parse import parse_text

from .conftest import Editor, start_editor, stop_editor

LEFT = ("syntax error", "it changes nothing", "a second time", "it repeats what", "another suggestion of this reply")


def applied(text: str, edit: dict[str, Any]) -> str:
    """Apply a WorkspaceEdit's text edits (UTF-8 columns) as a client does: from the last to the first."""
    changes = edit["documentChanges"][0]["edits"]
    lines = text.split("\n")
    for change in sorted(changes, key=lambda c: -c["range"]["start"]["line"]):
        start, end = change["range"]["start"], change["range"]["end"]
        head = lines[start["line"]].encode()[: start["character"]].decode()
        tail = lines[end["line"]].encode()[end["character"] :].decode()
        lines[start["line"] : end["line"] + 1] = (head + change["newText"] + tail).split("\n")
    return "\n".join(lines)


async def suggest(editor: Editor, uri: str, position: lsp.Position, **more: Any) -> dict[str, Any]:
    where = {"line": position.line, "character": position.character}
    return await editor.command("palimpsest.suggest", {"uri": uri, "position": where, **more})


async def test_a_suggestion_is_a_versioned_edit_of_shown_lines_that_applies_cleanly(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    answer = await suggest(editor, uri, editor.at(uri, "self.discount.amount(totla)"))
    assert answer["suggestions"] or answer["refused"]
    text = editor.texts[uri]
    for suggestion in answer["suggestions"]:
        document = suggestion["edit"]["documentChanges"][0]["textDocument"]
        assert document == {"uri": uri, "version": editor.versions[uri]}
        new = applied(text, suggestion["edit"])
        assert new != text
        assert parse_text(new, PYTHON).n_errors <= parse_text(text, PYTHON).n_errors
        assert suggestion["diff"].startswith("--- ")
        draft = suggestion["documents"][0]["draft"]
        assert draft.endswith("/cart.py")
        assert (await editor.command("palimpsest.virtual.read", {"uri": draft}))["text"] == new
        assert suggestion["title"].startswith(suggestion["summary"] or "Edit of ")
    assert bool(answer["why_not"]) == (not answer["suggestions"])


@pytest.mark.parametrize("name", ["s-0/0/a.py", "s-1", "s-1/-1/a.py", "s-1/7/a.py", "s-1/" + "9" * 5000])
async def test_a_draft_that_there_is_not_is_refused(editor: Editor, name: str) -> None:
    uri = editor.open("shop/cart.py")
    await suggest(editor, uri, editor.at(uri, "self.discount.amount(totla)"))
    with pytest.raises(JsonRpcException, match=r"uri|id"):
        await editor.command("palimpsest.virtual.read", {"uri": f"palimpsest:/draft/{name}"})


async def test_code_actions_are_resolved_lazily_into_edits(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "self.discount.amount(totla)")
    diagnostic = lsp.Diagnostic(range=lsp.Range(position, position), message='name "totla" is not defined')
    params = lsp.CodeActionParams(
        text_document=lsp.TextDocumentIdentifier(uri),
        range=lsp.Range(position, position),
        context=lsp.CodeActionContext(diagnostics=[diagnostic]),
    )
    found = await editor.client.text_document_code_action_async(params)
    assert found
    actions = [action for action in found if isinstance(action, lsp.CodeAction)]
    assert {action.kind for action in actions} == {"refactor.rewrite.palimpsest", "quickfix.palimpsest"}
    assert all(action.edit is None for action in actions)
    assert "Cart.total" in actions[0].title
    resolved = await editor.client.code_action_resolve_async(actions[0])
    if resolved.edit is None:
        assert any("Palimpsest: " in message.message for message in editor.client.messages)
    else:
        assert resolved.edit.document_changes


async def test_code_actions_keep_to_the_kinds_asked_for(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "self.discount.amount(totla)")

    async def kinds(only: str) -> set[Any]:
        params = lsp.CodeActionParams(
            text_document=lsp.TextDocumentIdentifier(uri),
            range=lsp.Range(position, position),
            context=lsp.CodeActionContext(diagnostics=[], only=[only]),
        )
        found = await editor.client.text_document_code_action_async(params)
        return {action.kind for action in found or [] if isinstance(action, lsp.CodeAction)}

    assert await kinds("refactor") == {"refactor.rewrite.palimpsest"}
    assert await kinds("source") == {"source.palimpsest"}
    assert await kinds("refactor.extract") == set()


async def test_no_edit_of_a_file_outside_the_workspace(editor: Editor, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.py"
    shutil.copy(editor.root / "shop" / "cart.py", outside)
    uri = editor.open(str(outside))
    position = editor.at(uri, "self.discount.amount(totla)")
    with pytest.raises(JsonRpcException) as caught:
        await suggest(editor, uri, position)
    assert caught.value.code == -32602
    assert "outside the workspace" in caught.value.message


async def test_a_suggestion_survives_typing_elsewhere(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "self.discount.amount(totla)")
    await editor.settled(uri, position)
    request = asyncio.create_task(suggest(editor, uri, position))
    await asyncio.sleep(0.05)
    editor.edit(uri, '"""The cart: lines', '"""One line more.\n\nThe cart: lines')
    answer = await request
    first = answer["suggestions"][0]
    assert first["edit"]["documentChanges"][0]["textDocument"]["version"] == editor.versions[uri]
    assert applied(editor.texts[uri], first["edit"]) == editor.texts[uri].replace("totla", "total")


async def test_a_suggestion_stands_where_its_document_was_closed(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "self.discount.amount(totla)")
    await editor.settled(uri, position)
    first = (await suggest(editor, uri, position))["suggestions"][0]
    text = editor.texts[uri]
    editor.close(uri)

    @editor.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        editor.apply([it for it in params.edit.document_changes or () if isinstance(it, lsp.TextDocumentEdit)])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    outcome = await editor.command("palimpsest.suggest.accept", {"id": first["id"], "confirmed": True})
    assert outcome["applied"], outcome
    assert (editor.root / "shop" / "cart.py").read_text("utf-8") == text.replace("totla", "total")


async def test_a_suggestion_can_be_cancelled(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "self.discount.amount(totla)")
    token = "my-token"
    where = {"line": position.line, "character": position.character}
    argument = {"uri": uri, "position": where, "workDoneToken": token, "n": 8}
    request = asyncio.create_task(editor.command("palimpsest.suggest", argument))
    await asyncio.sleep(0.02)
    editor.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token=token))
    with pytest.raises(JsonRpcException) as caught:
        await request
    assert caught.value.code == lsp.LSPErrorCodes.RequestCancelled.value
    assert await editor.show(uri, position)  # and the server goes on


async def test_several_replies_agree_or_not(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    answer = await suggest(editor, uri, editor.at(uri, "self.discount.amount(totla)"), n=4)
    assert answer["suggestions"]
    for suggestion in answer["suggestions"]:
        assert suggestion["agreement"] in (0.25, 0.5, 0.75, 1.0)


@pytest.mark.slow(part="storms")
async def test_every_one_of_200_replies_under_grammar_parses_and_every_edit_applies(shop: Path) -> None:
    editor = await start_editor(shop, {"suggestion": {"temperature": 1.0, "max_tokens": 160}})
    try:
        await editor.ready()
        places = [
            ("shop/cart.py", "totla"),
            ("shop/order.py", "weight = 0.0"),
            ("shop/item.py", 'partition(".")'),
            ("shop/discount.py", "return 0"),
            ("shop/cart.py", "line.quantity += quantity"),
        ]
        n_read = 0
        for name, needle in places * 5:
            uri = editor.open(name)
            answer = await suggest(editor, uri, editor.at(uri, needle), n=8)
            for refusal in answer["refused"]:
                # the only reasons a grammar leaves: what code means, not how the reply is written
                assert any(words in refusal["reason"] for words in LEFT), refusal
            for suggestion in answer["suggestions"]:
                new = applied(editor.texts[uri], suggestion["edit"])
                assert parse_text(new, PYTHON).n_errors <= parse_text(editor.texts[uri], PYTHON).n_errors
            n_read += len(answer["suggestions"]) + len(answer["refused"])
        assert n_read > 25, "of each place more than the fix of a name"
    finally:
        await stop_editor(editor)
