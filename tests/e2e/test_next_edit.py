"""Next edits through a real client: what follows an edit, one place at a time, jumped to and accepted."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.parse import parse_text
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


async def counted(editor: Editor) -> tuple[int, int]:
    """Next edits shown and accepted so far, on this machine."""
    told = (await editor.command("palimpsest.stats", {}))["by_kind"].get("nextEdit")
    return (told["shown"], sum(told["accepted"].values())) if told else (0, 0)


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


async def test_calls_follow_a_changed_signature_in_files_that_are_not_open(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    window.edit(cart, "add(self, item: Item, quantity: int = 1)", "add(self, quantity: int, item: Item)")
    made = await follow_all(window, await ask(window, cart, window.at(cart, "def add")))
    assert {edit["kind"] for edit in made} == {"signature"}
    test = made[0]["textDocument"]["uri"]
    assert 'cart.add(1, Item("tea", 450))\n    cart.add(2, Item("tea", 450))\n' in window.texts[test]
    assert await ask(window, cart, window.at(cart, "def add")) == {"edits": [], "total": 0}


async def test_the_second_half_of_a_swap_is_offered_right_there(window: Editor) -> None:
    cart = window.open("shop/cart.py", "é, x = 'é', 1\n\n\ndef f(a, b):\n    return 'é', g(a, b)\n")
    at = window.edit(cart, "g(a, b)", "g(b, b)")
    answer = await ask(window, cart, at)
    assert answer["edits"][0]["kind"] == "swap"
    await follow_all(window, answer)
    assert "'é', g(b, a)" in window.texts[cart]


async def test_what_is_dismissed_is_never_offered_again_though_the_text_moves(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    window.edit(cart, "self.lines: list", "self.rows: list")
    top = lsp.Position(0, 0)
    first = await ask(window, cart, top)
    gone = first["edits"][0]
    assert (await ask(window, cart, top))["edits"][0]["id"] == gone["id"]  # asking again is no new offer
    answer = await window.command("palimpsest.nextEdit.dismiss", {"id": gone["id"]})
    assert answer == {"id": gone["id"], "dismissed": True}
    window.edit(cart, "import logging\n", "import logging\nimport os\n")
    second = await ask(window, cart, top)
    assert second["total"] == first["total"] - 1
    made = await follow_all(window, second)
    assert len(made) == first["total"] - 1
    left = [line for line in window.texts[cart].split("\n") if "self.lines" in line]
    assert left == ["        for line in self.lines:"]


async def test_nothing_follows_what_is_not_finished_or_was_taken_back(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    at = window.edit(cart, "    def total(self)", "    def grand_total(")
    assert (await ask(window, cart, at))["edits"] == []
    at = window.edit(cart, "    def grand_total(", "    def grand_total(self)")
    assert (await ask(window, cart, at))["total"] == 2
    at = window.edit(cart, "    def grand_total(self)", "    def total(self)")
    assert (await ask(window, cart, at)) == {"edits": [], "total": 0}


async def test_ignored_files_secrets_and_what_is_outside_are_left_alone(window: Editor, tmp_path: Path) -> None:
    call = "from shop.item import format_price\nformat_price(1)\n"
    (window.root / ".gitignore").write_text("generated.py\n")
    (window.root / "generated.py").write_text(call)
    (window.root / ".ssh").mkdir()
    (window.root / ".ssh" / "deploy.py").write_text(call)
    outside = tmp_path / "outside.py"
    outside.write_text(call)
    window.open(str(outside))
    item = window.open("shop/item.py")
    window.edit(item, "def format_price", "def show_price")
    made = await follow_all(window, await ask(window, item, lsp.Position(0, 0)))
    assert {place_of(edit)[0] for edit in made} == {"item.py", "cart.py"}


async def test_existing_clients_are_answered_in_their_own_words(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    before = await counted(window)
    at = window.edit(cart, "line = self.find(item.name)", "row = self.find(item.name)")
    notify = window.client.protocol.notify
    notify("textDocument/didFocus", {"textDocument": {"uri": cart}})
    notify("textDocument/didFocus", {})
    answer = await ask(window, cart, at, "textDocument/copilotInlineEdit")
    edit = answer["edits"][0]
    assert edit["textDocument"] == {"uri": cart, "version": window.versions[cart]}
    assert edit["text"] == "row"
    assert set(edit["command"]) == {"title", "command", "arguments"}
    notify("textDocument/didShowInlineEdit", {"item": {"command": edit["command"]}})
    notify("textDocument/didShowInlineEdit", {"item": {"command": {"arguments": []}}})  # logged, no more
    make(window, edit)
    # As a notification, as some of them send it: carried out all the same.
    params = {"command": edit["command"]["command"], "arguments": edit["command"]["arguments"]}
    # no door: pygls sends a command as a request only
    window.client.protocol._send_data({"jsonrpc": "2.0", "method": "workspace/executeCommand", "params": params})
    more = await ask(window, cart, at, "textDocument/copilotInlineEdit")
    assert place_of(more["edits"][0]) != place_of(edit)
    stale = {"textDocument": {"uri": cart, "version": 1}, "position": {"line": 0, "character": 0}}
    request = window.client.protocol.send_request_async
    assert plain(await request("textDocument/copilotInlineEdit", stale)) == {"edits": [], "total": 0}
    unknown = {"textDocument": {"uri": "file:///no/where.py"}, "position": {"line": 0, "character": 0}}
    assert plain(await request("textDocument/copilotInlineEdit", unknown))["edits"] == []
    assert await counted(window) == (before[0] + 1, before[1] + 1)


STALE = lsp.LSPErrorCodes.ContentModified.value
TOP = {"line": 0, "character": 0}
WRONG: list[tuple[str, Any, int, str]] = [
    ("palimpsest/nextEdit", None, -32602, "palimpsest/nextEdit"),
    ("palimpsest/nextEdit", {"position": TOP}, -32602, "textDocument"),
    ("palimpsest/nextEdit", {"textDocument": {"uri": 1}, "position": TOP}, -32602, "uri"),
    ("palimpsest/nextEdit", {"textDocument": {"uri": "HERE"}, "position": {"line": "0"}}, -32602, "line"),
    ("palimpsest/nextEdit", {"textDocument": {"uri": "no"}, "position": TOP}, -32602, "uri"),
    ("palimpsest/nextEdit", {"textDocument": {"uri": "HERE", "version": 7}, "position": TOP}, STALE, "version 7"),
    ("textDocument/copilotInlineEdit", {"textDocument": {"uri": "HERE"}}, -32602, "position"),
]


async def test_what_is_wrong_is_named(window: Editor) -> None:
    uri = window.open("shop/cart.py")
    for method, given, code, says in WRONG:
        params = json.loads(json.dumps(given).replace("HERE", uri))
        with pytest.raises(JsonRpcException) as caught:
            await window.client.protocol.send_request_async(method, params)
        assert caught.value.code == code, given
        assert says in caught.value.message, given
    for command in ("palimpsest.nextEdit.accept", "palimpsest.nextEdit.dismiss"):
        for argument in ({"id": "n-99"}, "n-99", {}):
            with pytest.raises(JsonRpcException) as caught:
                await window.command(command, argument)
            assert caught.value.code == -32602
            assert "id" in caught.value.message


async def test_switched_off_nothing_is_found_and_nothing_decoded(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop, {"next_edit": {"enabled": False}})
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        await editor.settled(cart, editor.at(cart, "def total"))
        editor.edit(cart, "    def total(self)", "    def grand_total(self)")
        editor.edit(cart, "self.discount.amount(totla)", "self.discount.amount(total)")
        await asyncio.sleep(0.3)
        await editor.until_idle()
        before = await editor.stats()
        for method in ("palimpsest/nextEdit", "textDocument/copilotInlineEdit"):
            assert (await ask(editor, cart, lsp.Position(0, 0), method)) == {"edits": [], "total": 0}
        assert (await editor.stats())["decoded"] == before["decoded"]
    finally:
        await stop_editor(editor)


async def test_a_value_that_has_to_be_chosen_is_the_model_s(editor: Editor) -> None:
    cart = editor.open("shop/cart.py")
    discount = editor.open("shop/discount.py")
    at = editor.edit(discount, "def amount(self, total: int)", "def amount(self, total: int, minimum: int)")
    edit = (await ask(editor, discount, at))["edits"][0]
    assert (edit["kind"], edit["textDocument"]["uri"]) == ("signature", cart)
    assert edit["text"].startswith(", ")
    assert len(edit["text"]) > 2
    make(editor, edit)
    assert parse_text(editor.texts[cart], PYTHON).n_errors == 0
    answer = await editor.command("palimpsest.nextEdit.accept", edit["id"])
    assert answer == {"edits": [], "total": 0}


TWINS = """def small(order):
    weight = order.weight + 1
    return weight * 2


def large(order):
    weight = order.weight + 10
    return weight * 3
"""


async def test_where_trees_tell_nothing_the_model_is_asked_once_about_a_line_that_is_alike(editor: Editor) -> None:
    uri = editor.open("shop/weights.py", TWINS)
    await editor.settled(uri, lsp.Position(1, 0))
    editor.edit(uri, "order.weight + 1\n", "order.weight + order.box\n")
    await editor.until_idle()
    start = await editor.stats()
    answer = await ask(editor, uri, lsp.Position(1, 0))
    asked = await editor.stats()
    assert asked["decoded"] > start["decoded"]
    for edit in answer["edits"]:
        assert edit["kind"] == "model"
        assert edit["range"]["start"]["line"] >= 5
    assert await ask(editor, uri, lsp.Position(1, 0)) == answer
    for edit in answer["edits"]:
        await editor.command("palimpsest.nextEdit.dismiss", edit["id"])
    assert (await ask(editor, uri, lsp.Position(1, 0)))["edits"] == []


@pytest.mark.parametrize("scope", ["everywhere", "language", "folder", "buffer"])
async def test_they_are_switched_off_and_on_apart_from_completions(window: Editor, scope: str) -> None:
    cart = window.open("shop/cart.py")
    switch = {"feature": "nextEdit", "scope": scope, "uri": cart}
    answer = await window.command("palimpsest.toggle", switch)
    assert answer == {"feature": "nextEdit", "scope": scope, "enabled": False}
    window.edit(cart, "    def total(self)", "    def grand_total(self)$0")
    place = lsp.Position(0, 0)
    assert (await ask(window, cart, place))["edits"] == []
    of_completions = await window.command("palimpsest.completion.toggle", {"scope": scope, "uri": cart})
    assert of_completions["enabled"] is False  # they were on
    assert (await window.command("palimpsest.toggle", switch))["enabled"] is True
    window.edit(cart, "    def subtotal(self)", "    def sum_of_lines(self)$0")
    assert (await ask(window, cart, place))["edits"]


async def test_edits_as_code_actions_are_switched_off_in_a_buffer(window: Editor) -> None:
    cart, item = window.open("shop/cart.py"), window.open("shop/item.py")
    switch = {"feature": "suggestion", "scope": "buffer", "uri": cart}
    assert (await window.command("palimpsest.toggle", switch))["enabled"] is False

    async def actions(uri: str) -> int:
        where = lsp.Range(lsp.Position(20, 0), lsp.Position(20, 0))
        context = lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Invoked)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), where, context)
        return len(await window.client.text_document_code_action_async(params) or [])

    assert (await actions(cart), await actions(item) > 0) == (0, True)
    assert (await window.command("palimpsest.toggle", switch))["enabled"] is True
    assert await actions(cart) > 0


async def test_a_feature_that_there_is_not_is_an_error_that_names_the_field(window: Editor) -> None:
    with pytest.raises(JsonRpcException, match="feature"):
        await window.command("palimpsest.toggle", {"feature": "telemetry", "scope": "everywhere"})
