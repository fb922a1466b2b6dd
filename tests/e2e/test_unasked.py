"""What an editor asks for by itself, and documents that it only shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .conftest import Editor, start_editor, stop_editor

OFF = {"engine": {"kind": "none"}}
CODE = "def area(width, height):\n    return width * height\n"


@pytest.fixture
async def window(machine: dict[str, str], shop: Path) -> Any:
    editor = await start_editor(shop, OFF)
    yield editor
    await stop_editor(editor)


async def actions(
    editor: Editor,
    uri: str,
    start: lsp.Position,
    end: lsp.Position | None = None,
    diagnostics: list[lsp.Diagnostic] | None = None,
    kind: lsp.CodeActionTriggerKind | None = lsp.CodeActionTriggerKind.Automatic,
) -> list[str]:
    context = lsp.CodeActionContext(diagnostics=diagnostics or [], trigger_kind=kind)
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(start, end or start), context)
    return [found.title for found in await editor.client.text_document_code_action_async(params) or []]


async def test_no_sign_where_nothing_was_asked_and_nothing_is_wrong(window: Editor) -> None:
    uri = window.open("shop/cart.py")
    at, end = window.at(uri, "self.discount.amount("), window.at(uri, "self.discount.amount(totla)")
    assert await actions(window, uri, at) == []
    assert await actions(window, uri, at, kind=lsp.CodeActionTriggerKind.Invoked) == ["Palimpsest: improve Cart.total"]
    assert await actions(window, uri, at, kind=None) == ["Palimpsest: improve Cart.total"], "who does not say asks"
    assert await actions(window, uri, at, end) == ["Palimpsest: improve the selected lines of Cart.total"]
    wrong = lsp.Diagnostic(range=lsp.Range(at, end), message="undefined name")
    assert await actions(window, uri, at, diagnostics=[wrong]) == ["Palimpsest: fix “undefined name”"]


async def test_an_editor_that_asks_by_itself_tells_where_the_cursor_is(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "self.discount.amount(")
    assert await actions(editor, uri, position) == []
    await editor.settled(uri, position)
    assert (await editor.stats())["decoded"] > 0


def opened(editor: Editor, uri: str) -> str:
    editor.texts[uri], editor.versions[uri] = CODE, 1
    item = lsp.TextDocumentItem(uri=uri, language_id="python", version=1, text=CODE)
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))
    return uri


ONLY_SHOWN = (
    "git:/work/shop/cart.py?%7B%22ref%22%3A%22HEAD%22%7D",
    "output:extension-output-1",
    "gitlens://abc/cart.py",
    "vscode-scm:git/scm0/input",
    "debug:/internal/cart.py",
)


async def test_there_is_no_help_in_what_is_only_shown(editor: Editor) -> None:
    await editor.ready()
    position = lsp.Position(1, 11)
    for uri in ONLY_SHOWN:
        opened(editor, uri)
        assert await actions(editor, uri, position, kind=lsp.CodeActionTriggerKind.Invoked) == []
        assert await editor.complete(uri, position, invoked=True) == []
        with pytest.raises(JsonRpcException, match="only shown"):
            await editor.command("palimpsest.suggest", {"uri": uri, "position": {"line": 1, "character": 11}})
    switched = {"scope": "buffer", "uri": uri, "enabled": True}
    await editor.command("palimpsest.completion.toggle", switched)
    assert await editor.complete(uri, position, invoked=True) == []


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("untitled:Untitled-1", "area"),
        ("vscode-remote://ssh-remote%2Bgpu/work/a.py", "area"),
        ("vscode-notebook-cell:/work/an%20analysis.ipynb#W0sZmlsZQ%3D%3D", "area"),
    ],
)
async def test_there_is_where_a_person_can_write(uri: str, name: str, window: Editor) -> None:
    opened(window, uri)
    found = await actions(window, uri, lsp.Position(1, 11), kind=lsp.CodeActionTriggerKind.Invoked)
    assert found == [f"Palimpsest: improve {name}"]


async def test_a_cells_own_statements_have_a_readable_name(window: Editor) -> None:
    uri = "vscode-notebook-cell:/work/an%20analysis.ipynb#W0sZmlsZQ%3D%3D"
    opened(window, uri)
    (title,) = await actions(window, uri, lsp.Position(2, 0), kind=lsp.CodeActionTriggerKind.Invoked)
    assert title == "Palimpsest: improve an analysis.ipynb"
