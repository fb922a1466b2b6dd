"""What other language servers find is context: told by an editor, or seen in its requests for code actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from .conftest import Editor, start_editor, stop_editor

WRONG = "self.discount.amount(totla)"
HERE = "total = self.subtotal()"


def problems(shown: dict[str, Any]) -> list[str]:
    return [block["text"] for block in shown["blocks"] if block["name"].startswith("shop/cart.py problem")]


def notify(editor: Editor, params: Any) -> None:
    editor.client.protocol.notify("palimpsest/diagnostics", params)


async def test_an_error_is_shown_until_its_line_is_mended(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        editor.diagnostics(cart, editor.at(cart, WRONG), 'Undefined name "totla"')
        shown = await editor.settled(cart, editor.at(cart, HERE))
        assert problems(shown) == [f'total -= {WRONG}\n  error: Undefined name "totla" (linter)']

        # Typing elsewhere in the document, or what is found meanwhile, does not change the block.
        editor.edit(cart, HERE, HERE + " ")
        editor.diagnostics(cart, editor.at(cart, HERE), "trailing blank")
        assert problems(await editor.show(cart, editor.at(cart, HERE))) == problems(shown)

        # It follows once something else is done: here the document is saved.
        editor.saved(cart)
        assert problems(await editor.settled(cart, editor.at(cart, HERE))) == [
            f"{HERE}\n  error: trailing blank (linter)"
        ]

        # What was mended is gone.
        editor.edit(cart, HERE + " ", HERE)
        editor.saved(cart)
        assert problems(await editor.settled(cart, editor.at(cart, HERE))) == []
    finally:
        await stop_editor(editor)


async def test_nothing_wrong_any_more_is_told_by_an_empty_list(editor: Editor) -> None:
    """Lua writes an empty list and an empty object alike."""
    cart = editor.open("shop/cart.py")
    editor.diagnostics(cart, editor.at(cart, WRONG), 'Undefined name "totla"')
    assert problems(await editor.settled(cart, editor.at(cart, HERE))) != []
    for nothing in ([], {}):
        notify(editor, {"textDocument": {"uri": cart, "version": 1}, "diagnostics": nothing})
        assert problems(await editor.settled(cart, editor.at(cart, HERE))) == []
        editor.diagnostics(cart, editor.at(cart, WRONG), 'Undefined name "totla"')
        assert problems(await editor.settled(cart, editor.at(cart, HERE))) != []


async def test_what_comes_with_a_request_for_code_actions_counts(editor: Editor) -> None:
    cart = editor.open("shop/cart.py")
    at = editor.at(cart, WRONG)
    where = lsp.Range(at, at)
    ours = lsp.Diagnostic(where, "ours", source="palimpsest")
    hint = lsp.Diagnostic(where, "a hint", severity=lsp.DiagnosticSeverity.Hint)
    found = [lsp.Diagnostic(where, 'Undefined name "totla"', source="ruff", code="F821"), ours, hint]
    context = lsp.CodeActionContext(found, trigger_kind=lsp.CodeActionTriggerKind.Automatic)
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(cart), where, context)
    await editor.client.text_document_code_action_async(params)
    shown = await editor.settled(cart, editor.at(cart, HERE))
    assert problems(shown) == [f'total -= {WRONG}\n  error: Undefined name "totla" (ruff F821)']


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"textDocument": {"uri": "file:///nowhere.py"}, "diagnostics": []},
        {"textDocument": {"uri": 5}, "diagnostics": []},
        {"textDocument": {"uri": "$cart"}, "diagnostics": [{"message": "no range"}]},
        {"textDocument": {"uri": "$cart"}, "diagnostics": "many"},
        {"textDocument": {"uri": "$cart", "version": 99}, "diagnostics": [{"range": "$range", "message": "too early"}]},
        {"textDocument": {"uri": "$cart"}, "diagnostics": [{"range": "$range", "message": "x", "severity": 9}]},
        {"textDocument": {"uri": "$cart"}, "diagnostics": [{"range": "$far", "message": "not in the document"}]},
        {
            "textDocument": {"uri": "$cart"},
            "diagnostics": [{"range": "$range", "message": "x" * 9, "severity": 4}] * 9_999,
        },
    ],
)
async def test_nonsense_changes_nothing(editor: Editor, params: Any) -> None:
    cart = editor.open("shop/cart.py")
    at = {"line": 1, "character": 0}
    far = {"line": 10**6, "character": 0}
    known = {"$cart": cart, "$range": {"start": at, "end": at}, "$far": {"start": far, "end": far}}

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(it) for key, it in value.items()}
        if isinstance(value, list):
            return [filled(it) for it in value]
        return known.get(value, value) if isinstance(value, str) else value

    notify(editor, filled(params))
    assert problems(await editor.settled(cart, editor.at(cart, HERE))) == []


async def test_nothing_is_kept_of_a_document_with_secrets(editor: Editor) -> None:
    (editor.root / ".env").write_text("PASSWORD=sesame\n", encoding="utf-8")
    env = editor.open(".env", language="shellscript")
    editor.diagnostics(env, lsp.Position(0, 0), "sesame is weak")
    cart = editor.open("shop/cart.py")
    shown = await editor.settled(cart, editor.at(cart, HERE))
    assert "sesame" not in shown["prompt"]
