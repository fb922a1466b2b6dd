"""Next edits through a real client: what follows an edit, one place at a time, jumped to and accepted."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.text.uris import to_path

from .conftest import Editor, plain, start_editor, stop_editor

OFF = {"engine": {"kind": "none"}}


def place_of(edit: dict[str, Any]) -> tuple[str, int]:
    return edit["textDocument"]["uri"].rpartition("/")[2], edit["range"]["start"]["line"]


async def ask(editor: Editor, uri: str, position: lsp.Position, method: str = "palimpsest/nextEdit") -> dict[str, Any]:
    params = {
        "textDocument": {"uri": uri, "version": editor.versions[uri]},
        "position": {"line": position.line, "character": position.character},
    }
    answer: dict[str, Any] = plain(await editor.client.protocol.send_request_async(method, params))
    return answer


def make(editor: Editor, edit: dict[str, Any]) -> None:
    """Jump to the edit and make it, opening its file if need be, as an editor does."""
    uri = edit["textDocument"]["uri"]
    if uri not in editor.texts:
        assert edit["textDocument"]["version"] is None
        editor.open(str(to_path(uri)))
    else:
        assert edit["textDocument"]["version"] == editor.versions[uri]
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"]
    lines = editor.texts[uri].split("\n")
    line = lines[start["line"]].encode()
    lines[start["line"]] = (line[: start["character"]] + edit["text"].encode() + line[end["character"] :]).decode()
    editor.texts[uri] = "\n".join(lines)
    editor.versions[uri] += 1
    change = lsp.TextDocumentContentChangePartial(
        range=lsp.Range(lsp.Position(**start), lsp.Position(**end)), text=edit["text"]
    )
    identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=editor.versions[uri])
    editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))


async def follow_all(editor: Editor, first: dict[str, Any]) -> list[dict[str, Any]]:
    """Accept every place, each by its own command; the edits made."""
    made, answer = [], first
    while answer["edits"]:
        assert answer["total"] >= 1
        assert len(answer["edits"]) == 1
        edit = answer["edits"][0]
        make(editor, edit)
        made.append(edit)
        answer = await editor.command(edit["command"]["command"], edit["command"]["arguments"][0])
        assert len(made) < 50
    assert answer == {"edits": [], "total": 0}
    return made


@pytest.fixture
async def window(machine: dict[str, str], shop: Path) -> Any:
    """An editor on the sample workspace without an engine: what trees alone can tell."""
    editor = await start_editor(shop, OFF)
    yield editor
    await stop_editor(editor)


async def test_a_renamed_method_is_followed_call_by_call_across_files(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    window.edit(cart, "    def total(self)", "    def grand_total(self)")
    made = await follow_all(window, await ask(window, cart, window.at(cart, "def grand_total")))
    assert [place_of(edit)[0] for edit in made] == ["cart.py", "order.py"]
    assert {edit["kind"] for edit in made} == {"rename"}
    assert "format_price(self.grand_total())" in window.texts[cart]
    order = made[-1]["textDocument"]["uri"]
    assert "cart.grand_total())" in window.texts[order]
    assert "total = self.subtotal()" in window.texts[cart]  # a local of the old name
    assert "    total: int" in window.texts[order]


async def test_the_place_below_the_cursor_comes_first_then_those_above(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    window.edit(cart, "self.lines: list", "self.rows: list")
    below = window.at(cart, "def subtotal")
    lines = [place_of(edit) for edit in await follow_all(window, await ask(window, cart, below))]
    here = [line for name, line in lines if name == "cart.py"]
    assert len(here) == 5
    turn = next(n for n, line in enumerate(here) if line < below.line)
    assert here[:turn] == sorted(here[:turn])
    assert min(here[:turn]) >= below.line
    assert here[turn:] == sorted(here[turn:])
    assert [name for name, _ in lines[len(here) :]] == ["order.py"] * 3 + ["test_cart.py"]


async def test_calls_follow_a_changed_signature(window: Editor) -> None:
    item = window.open("shop/item.py")
    window.edit(item, "(cents: int, currency: str", "(currency: str, cents: int")
    window.edit(item, ' = "EUR"', "") if False else None
    window.edit(item, 'cents: int = "EUR"', "cents: int")
    made = await follow_all(window, await ask(window, item, window.at(item, "def format_price")))
    assert {edit["kind"] for edit in made} == {"signature"}


async def test_the_second_half_of_a_swap(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    at = window.edit(cart, "Line(item, quantity)", "Line(quantity, quantity)")
    answer = await ask(window, cart, at)
    assert answer["edits"][0]["kind"] == "swap"
    await follow_all(window, answer)
    assert "Line(quantity, item)" in window.texts[cart]
