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
from palimpsest.text.uris import to_path, to_uri

from .conftest import READY_S, Editor, plain, start_editor, stop_editor, until
from .test_refs import given_command

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


async def test_what_was_renamed_first_is_followed_to_the_last_of_many_files(
    machine: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "cart.py").write_text("def price_of(item):\n    return item\n")
    names = [f"use{n:02}.py" for n in range(12)]
    for name in names:
        (tmp_path / name).write_text("from cart import price_of\n\n\ndef show(cart):\n    return price_of(1)\n")
    window = await start_editor(tmp_path, OFF)
    try:
        cart = window.open("cart.py")
        window.edit(cart, "def price_of", "def cost_of")
        made = await follow_all(window, await ask(window, cart, window.at(cart, "def cost_of")))
        assert [place_of(edit)[0] for edit in made] == [name for name in names for _ in range(2)]
    finally:
        await stop_editor(window)


async def test_a_document_that_is_called_as_its_folder_is_harms_no_other(window: Editor) -> None:
    window.open(str(window.root), "print(total([1]))\n", "python")
    cart = window.open("shop/cart.py")
    window.edit(cart, "    def total(self)", "    def grand_total(self)")
    made = await follow_all(window, await ask(window, cart, window.at(cart, "def grand_total")))
    assert [place_of(edit)[0] for edit in made] == ["cart.py", "order.py"]


async def test_nothing_is_offered_in_a_file_that_a_program_writes_open_or_not(window: Editor) -> None:
    use = "from shop.cart import Cart\n\n\ndef cost(cart: Cart):\n    return cart.total()\n"
    head = "# Code generated by a tool. DO NOT EDIT.\n"
    texts = {
        "dist/a.py": use,
        "shop/b.py": head + use,
        "shop/c.py": head + use,
        "shop/d.py": f"HEAD = '{head[:-1]}'\n{use}",
    }
    for name, text in texts.items():
        (window.root / name).parent.mkdir(exist_ok=True)
        (window.root / name).write_text(text, encoding="utf-8")
    window.open("shop/c.py")
    cart = window.open("shop/cart.py")
    window.edit(cart, "    def total(self)", "    def grand_total(self)")
    made = await follow_all(window, await ask(window, cart, window.at(cart, "def grand_total")))
    assert [place_of(edit)[0] for edit in made] == ["cart.py", "d.py", "order.py"]


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


async def test_what_is_embedded_and_tags_are_followed(window: Editor) -> None:
    text = "<div><p>total</p></div>\n<script>\nfunction total() {}\ntotal();\n</script>\n"
    page = window.open("page.html", text)
    at = window.edit(page, "function total()", "function sum()")
    await follow_all(window, await ask(window, page, at))
    at = window.edit(page, "<div>", "<section>")
    await follow_all(window, await ask(window, page, at))
    assert window.texts[page] == text.replace("total()", "sum()").replace("div", "section")


async def test_the_setter_of_a_property_follows_while_one_after_the_other_is_accepted(window: Editor) -> None:
    text = (
        "class A:\n    @property\n    def old(self):\n        return 1\n\n"
        "    @old.setter\n    def old(self, value):\n        pass\n\n\nA().old = 2\n"
    )
    a = window.open("a.py", text)
    await follow_all(window, await ask(window, a, window.edit(a, "def old(self):", "def new(self):")))
    assert window.texts[a] == text.replace("old", "new")


async def test_while_snoozed_none_comes_unasked(window: Editor) -> None:
    """Complaint: I want quiet, and next edits go on."""
    cart = window.open("shop/cart.py")
    window.edit(cart, "    def total(self)", "    def grand_total(self)")
    await window.command("palimpsest.completion.snooze")
    at = window.at(cart, "def grand_total")
    assert (await ask(window, cart, at))["edits"] == []
    await until(lambda: "snoozed" in window.status["no_next_edit"])
    params = {
        "textDocument": {"uri": cart, "version": window.versions[cart]},
        "position": {"line": at.line, "character": at.character},
        "trigger": "invoked",
    }
    found = plain(await window.client.protocol.send_request_async("palimpsest/nextEdit", params))
    assert [place_of(edit)[0] for edit in await follow_all(window, found)] == ["cart.py", "order.py"]
    await window.command("palimpsest.completion.snooze", {"minutes": 0})
    window.edit(cart, "def subtotal(self)", "def sum(self)")
    assert (await ask(window, cart, window.at(cart, "def sum")))["edits"]


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


async def test_sidekick_is_given_one_edit_after_the_other_in_its_document(window: Editor) -> None:
    """What sidekick.nvim sends, and what it needs: a version, else it takes the edit for one of an older text."""
    cart = window.open("shop/cart.py")
    at = window.edit(cart, "    def total(self)", "    def grand_total(self)")
    window.client.protocol.notify("textDocument/didFocus", {"textDocument": {"uri": cart}})
    request = window.client.protocol.send_request_async

    async def update() -> list[dict[str, Any]]:
        params = {
            "textDocument": {"uri": cart, "version": window.versions[cart]},
            "position": {"line": at.line, "character": at.character},
            "context": {"triggerKind": 2},
        }
        edits: list[dict[str, Any]] = plain(await request("textDocument/copilotInlineEdit", params))["edits"]
        return edits

    (edit,) = await update()
    assert edit["textDocument"] == {"uri": cart, "version": window.versions[cart]}
    make(window, edit)
    after = await window.command(edit["command"]["command"], edit["command"]["arguments"][0])
    assert after["edits"], "there is one in another file"
    assert await update() == [], "where such a client cannot make it"
    assert place_of((await ask(window, cart, at))["edits"][0])[0] == "order.py"


async def test_copilot_el_is_answered_and_not_told_of_what_it_says_of_itself(
    machine: dict[str, str], shop: Path
) -> None:
    """What copilot.el sends: no settings but who it is, null for them, an edit's command as a notification."""
    told = {
        "editorInfo": {"name": "Emacs", "version": "30.2"},
        "editorPluginInfo": {"name": "copilot.el", "version": "unknown"},
    }
    editor = await start_editor(shop, OFF | told)
    try:
        notify = editor.client.protocol.notify
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings=None))
        cart = editor.open("shop/cart.py")
        at = editor.edit(cart, "line = self.find(item.name)", "row = self.find(item.name)")
        first = (await ask(editor, cart, at, "textDocument/copilotInlineEdit"))["edits"][0]
        notify("textDocument/didShowInlineEdit", {"item": {"command": first["command"]}})
        make(editor, first)
        params = {"command": first["command"]["command"], "arguments": first["command"]["arguments"]}
        # no door: pygls sends a command as a request only
        editor.client.protocol._send_data({"jsonrpc": "2.0", "method": "workspace/executeCommand", "params": params})
        second = (await ask(editor, cart, at, "textDocument/copilotInlineEdit"))["edits"][0]
        assert second["id"] != first["id"]
        assert not [one.message for one in editor.client.messages if "no such" in one.message]
    finally:
        await stop_editor(editor)


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


LINES = "    log(a.one){end}\n    log(b.two){end}\n    a.next(){end}\n    log(b.three){end}\n    log(c.four){end}\n"
REPEATED = {
    "a.py": ("def f(a, b, c):\n" + LINES.format(end=""), "log({}, 2)"),
    "a.ts": ("function f(a: any, b: any, c: any) {\n" + LINES.format(end=";") + "}\n", "log({}, 2)"),
    "a.go": ("package a\n\nfunc f(a, b, c *T) {\n" + LINES.format(end="") + "}\n", "log({}, 2)"),
    "a.rs": ("fn f(a: &T, b: &T, c: &T) {\n" + LINES.format(end=";") + "}\n", "log({}, 2)"),
    "A.java": ("class A {\n  void f(T a, T b, T c) {\n" + LINES.format(end=";") + "  }\n}\n", "log({}, 2)"),
    "a.c": ("void f(T a, T b, T c) {\n" + LINES.format(end=";") + "}\n", "log({}, 2)"),
    "a.rb": ("def f(a, b, c)\n" + LINES.format(end="") + "end\n", "log({}, level: 2)"),
}


@pytest.mark.parametrize("name", REPEATED)
async def test_a_change_that_was_made_twice_is_offered_where_it_can_be_made_again(window: Editor, name: str) -> None:
    text, after = REPEATED[name]
    uri = window.open(name, text)
    at = window.edit(uri, "log(a.one)", after.format("a.one"))
    assert (await ask(window, uri, at))["edits"] == [], "once is not enough"
    at = window.edit(uri, "log(b.two)", after.format("b.two"))
    made = await follow_all(window, await ask(window, uri, at))
    assert [edit["kind"] for edit in made] == ["repeat", "repeat"]
    assert made[0]["message"].startswith("once more: nothing → `, ")
    for arg in ("a.one", "b.two", "b.three", "c.four"):
        text = text.replace(f"log({arg})", after.format(arg))
    assert window.texts[uri] == text


async def test_a_repeat_goes_on_in_its_direction_and_who_asks_gets_the_others(window: Editor) -> None:
    steps = "".join(f"def step_{n}(job):\n    job.run(step={n})\n    return job\n\n\n" for n in range(6))
    uri, other = window.open("steps.py", steps), window.open("more.py", steps.replace("step_", "more_"))
    for n in (2, 3):
        at = window.edit(uri, f"    job.run(step={n})\n", f"    job.run(step={n}, wait=True)\n")
    made = [edit async for edit in _accepted(window, await ask(window, uri, at))]
    rest = [("more.py", line) for line in (1, 6, 11, 16, 21, 26)]
    assert [place_of(edit) for edit in made] == [("steps.py", 21), ("steps.py", 26), *rest]
    assert window.texts[other].count("wait=True") == 6
    answer = await ask_for(window, uri, at)
    made = [edit async for edit in _accepted(window, answer)]
    assert {place_of(edit) for edit in made} == {("steps.py", 1), ("steps.py", 6)}


async def test_a_change_that_came_with_another_one_at_once_was_made_once(window: Editor) -> None:
    text = "import os\n\n\n" + "".join(f"call(log, a_{n}, 0)\n" for n in range(6))
    uri = window.open("one.py", text)
    after = text.replace("a_2, 0", "a_2, Level(2)").replace("import os\n", "import os\nimport level\n")
    changes = [
        lsp.TextDocumentContentChangePartial(range=lsp.Range(lsp.Position(*start), lsp.Position(*end)), text=new)
        for start, end, new in (((5, 15), (5, 16), "Level(2)"), ((1, 0), (1, 0), "import level\n"))
    ]
    window.texts[uri], window.versions[uri] = after, window.versions[uri] + 1
    identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=window.versions[uri])
    window.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, changes))
    assert (await ask(window, uri, window.at(uri, "Level(2)")))["edits"] == []


async def test_what_was_typed_and_taken_back_is_nothing_to_follow(window: Editor) -> None:
    uri = window.open("back.py", "x = 1\n" + "\n" * 30)
    at = window.edit(uri, "x = 1", "x = 12")
    window.edit(uri, "x = 12", "x = 1")
    asked = asyncio.create_task(ask(window, uri, at))
    params = {"textDocument": {"uri": uri}, "position": {"line": 20, "character": 0}}
    window.client.protocol.notify("palimpsest/cursor", params)
    assert (await asked)["edits"] == []


async def indexed(editor: Editor, uri: str, position: lsp.Position) -> dict[str, Any]:
    """The first next edit that there is, once the index has the files."""
    async with asyncio.timeout(60):
        while not (answer := await ask_for(editor, uri, position))["edits"]:
            await asyncio.sleep(0.05)
    return answer


async def ask_for(editor: Editor, uri: str, position: lsp.Position) -> dict[str, Any]:
    params = {
        "textDocument": {"uri": uri, "version": editor.versions[uri]},
        "position": {"line": position.line, "character": position.character},
        "trigger": "invoked",
    }
    answer: dict[str, Any] = plain(await editor.client.protocol.send_request_async("palimpsest/nextEdit", params))
    return answer


async def _accepted(editor: Editor, answer: dict[str, Any]) -> Any:
    while answer["edits"]:
        edit = answer["edits"][0]
        make(editor, edit)
        yield edit
        answer = await editor.command(edit["command"]["command"], edit["command"]["arguments"][0])


@pytest.mark.parametrize("apart", [1, 4, 12])
async def test_who_goes_up_a_file_is_offered_the_places_above_the_nearest_first(window: Editor, apart: int) -> None:
    gap = "\n" * (apart - 1)
    uri = window.open("up.py", "import os\n" + "".join(f"log(a_{n}.one){gap}\n" for n in range(7)))
    for n in (5, 4):
        at = window.edit(uri, f"log(a_{n}.one)", f"log(a_{n}.one, 2)")
    made = await follow_all(window, await ask(window, uri, at))
    assert [place_of(edit)[1] for edit in made] == [1 + apart * n for n in (3, 2, 1, 0)]
    assert f"log(a_6.one){gap}" in window.texts[uri]


async def test_all_places_of_a_file_are_changed_by_one_code_action(window: Editor) -> None:
    steps = "".join(f"def step_{n}(job):\n    job.run(step={n})\n    return job\n\n\n" for n in range(6))
    uri = window.open("steps.py", steps)
    for n in (2, 3):
        at = window.edit(uri, f"    job.run(step={n})\n", f"    job.run(step={n}, wait=True)\n")
    found = await actions(window, uri, at)
    (all_of_them,) = [one for one in found if "in all" in one.title]
    assert all_of_them.title == ("Palimpsest: once more: nothing → `, wait=True`, in all 4 places of this file")
    window.apply(all_of_them.edit.document_changes)
    assert window.texts[uri].count("wait=True") == 6
    assert not [one for one in await actions(window, uri, at) if "in all" in one.title]


STEPS = "".join(f"def step_{n}(job):\n    job.run(step={n})\n    return job\n\n\n" for n in range(3))
NEAR = {
    "jobs/steps.py": f"from jobs import tools\n\n\n{STEPS}",
    "jobs/tools.py": STEPS.replace("step_", "tool_"),
    "jobs/nightly.py": "from jobs.steps import step_1\n\n\n" + STEPS.replace("step_", "night_"),
    "jobs/lately.py": STEPS.replace("step_", "late_"),
    "jobs/made.py": "from jobs import steps\n# Code generated by a tool. DO NOT EDIT.\n"
    + STEPS.replace("step_", "made_"),
    "jobs/ignored.py": "from jobs import steps\n" + STEPS.replace("step_", "ignored_"),
    "jobs/credentials.py": "from jobs import steps\nKEY = 'AKIAIOSFODNN7EXAMPLQ'\n" + STEPS.replace("step_", "key_"),
    "jobs/huge.py": "from jobs import steps\n" + STEPS.replace("step_", "huge_") + f"# {'x y ' * 20}\n" * 13_000,
    "far/away.py": STEPS.replace("step_", "far_"),
    "jobs/__init__.py": "",
    ".gitignore": "ignored.py\n",
}
LAST = NEAR["jobs/steps.py"].count("\n", 0, NEAR["jobs/steps.py"].index("step=2"))


async def made_twice(window: Editor) -> tuple[str, lsp.Position]:
    """A change in `jobs/steps.py`, whose imports the index knows."""
    for name, text in NEAR.items():
        (window.root / name).parent.mkdir(exist_ok=True)
        (window.root / name).write_text(text, encoding="utf-8")
    made = [{"uri": to_uri(window.root / name), "type": 1} for name in NEAR]
    window.client.protocol.notify("workspace/didChangeWatchedFiles", {"changes": made})
    late = window.open("jobs/lately.py")
    window.edit(late, "def late_0", "def latest")
    window.edit(late, "def latest", "def late_0")
    window.close(late)
    uri = window.open("jobs/steps.py")
    for n in (0, 1):
        at = window.edit(uri, f"    job.run(step={n})\n", f"    job.run(step={n}, wait=True)\n")
    async with asyncio.timeout(READY_S):
        while (await ask(window, uri, at))["total"] < 10:
            await asyncio.sleep(0.05)
    return uri, at


async def test_a_change_made_twice_goes_on_in_files_next_to_it_that_are_not_open(window: Editor) -> None:
    uri, at = await made_twice(window)
    made = await follow_all(window, await ask(window, uri, at))
    places = [place_of(edit)[0] for edit in made]
    assert places == ["steps.py"] + 3 * ["lately.py"] + 3 * ["tools.py"] + 3 * ["nightly.py"]
    for name in ("lately.py", "tools.py", "nightly.py"):
        assert window.texts[to_uri(window.root / "jobs" / name)] == NEAR[f"jobs/{name}"].replace(
            ")\n    return", ", wait=True)\n    return"
        )


async def test_in_a_file_that_was_not_open_it_is_looked_up_when_somebody_goes_there(window: Editor) -> None:
    uri, at = await made_twice(window)
    window.edit(uri, "    job.run(step=2)\n", "    job.run(step=2, wait=True)\n")
    (offered,) = (await ask(window, uri, at))["edits"]
    assert place_of(offered)[0] == "lately.py"
    (window.root / "jobs/lately.py").write_text("# by another program\n" + NEAR["jobs/lately.py"], encoding="utf-8")
    (again,) = (await ask_for(window, window.open("jobs/lately.py"), lsp.Position(1, 0)))["edits"]
    assert place_of(again) == ("lately.py", place_of(offered)[1] + 1)


async def test_all_places_of_several_files_are_one_edit_that_is_looked_at_first(window: Editor) -> None:
    uri, at = await made_twice(window)
    context = lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Invoked)
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(at, at), context)
    (action,) = [
        one for one in await window.client.text_document_code_action_async(params) or () if "once more" in one.title
    ]
    assert action.title.endswith(", in 10 places of 4 files")
    command = given_command(action)
    (window.root / "jobs/tools.py").write_text("# by another program\n" + NEAR["jobs/tools.py"], encoding="utf-8")
    (window.root / "jobs/nightly.py").write_text("", encoding="utf-8")
    asked = list[lsp.ApplyWorkspaceEditParams]()

    @window.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        asked.append(params)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    answer = await window.command(command["command"], command["arguments"][0])
    assert answer == {"applied": True, "places": 7}, "as the files are now"
    edit = asked[0].edit
    assert edit.change_annotations is not None
    assert [it.needs_confirmation for it in edit.change_annotations.values()] == [True]
    changes = [one for one in edit.document_changes or () if isinstance(one, lsp.TextDocumentEdit)]
    assert [(one.text_document.uri.rpartition("/")[2], one.text_document.version) for one in changes] == [
        ("steps.py", window.versions[uri]),
        ("lately.py", None),
        ("tools.py", None),
    ]
    assert [place.range.start.line for place in changes[2].edits if isinstance(place, lsp.AnnotatedTextEdit)] == [
        2,
        7,
        12,
    ]


async def test_a_rule_that_was_dismissed_twice_is_silent_though_it_is_made_a_third_time(window: Editor) -> None:
    uri = window.open("calls.py", "".join(f"{'ab'[n % 2]}.call({n}, way)\n\n\n\n\n\n\n\n" for n in range(8)))
    for n in (0, 2):
        at = window.edit(uri, f"a.call({n}, way)", f"a.call({n}, way, 1)")
    for _ in range(2):
        answer = await ask(window, uri, at)
        await window.command("palimpsest.nextEdit.dismiss", answer["edits"][0]["id"])
    assert (await ask(window, uri, at))["edits"] == []
    at = window.edit(uri, "b.call(3, way)", "b.call(3, way, 1)")
    assert (await ask(window, uri, at))["edits"] == [], (
        "what stands beside all three is less, and the words are the same"
    )


async def test_where_there_are_too_many_places_nobody_is_told_that_these_are_all(window: Editor) -> None:
    uri = window.open("many.py", "import os\n" + "".join(f"log(a_{n}, 1)\n" for n in range(500)))
    for n in (2, 3):
        at = window.edit(uri, f"log(a_{n}, 1)", f"log(a_{n}, 1, 2)")
    assert (await ask(window, uri, at))["edits"]
    assert not [one for one in await actions(window, uri, at) if "in all" in one.title]


async def test_a_rename_is_followed_in_a_whole_file_by_one_code_action(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    at = window.edit(cart, "self.lines: list", "self.rows: list")
    (all_of_them,) = [one for one in await actions(window, cart, at) if "in all" in one.title]
    assert all_of_them.title.endswith("lines is rows now, in all 5 places of this file")
    window.apply(all_of_them.edit.document_changes)
    assert "self.lines" not in window.texts[cart]


async def actions(editor: Editor, uri: str, at: lsp.Position) -> list[lsp.CodeAction]:
    context = lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Invoked)
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(at, at), context)
    found = await editor.client.text_document_code_action_async(params)
    return [one for one in found or () if isinstance(one, lsp.CodeAction)]


async def test_a_change_that_was_dismissed_twice_or_passed_by_is_silent(window: Editor) -> None:
    text, after = REPEATED["a.py"]
    uri = window.open("a.py", text + "    log(c.five)\n    log(c.six)\n\n\n\n\n\n\n\n\ndef g(x):\n    return 7\n")
    for arg in ("a.one", "b.two"):
        at = window.edit(uri, f"log({arg})", after.format(arg))
    for _ in range(2):
        answer = await ask(window, uri, at)
        await window.command("palimpsest.nextEdit.dismiss", answer["edits"][0]["id"])
    assert (await ask(window, uri, at))["edits"] == []
    assert (await ask_for(window, uri, at))["edits"] == []


async def test_a_change_that_is_passed_by_twice_is_not_offered_by_itself(window: Editor) -> None:
    cart = window.open("shop/cart.py")
    at = window.edit(cart, "    def total(self)", "    def grand_total(self)")
    assert (await ask(window, cart, at))["edits"]
    other = window.open("other.py", "a = 1\n" + "\n" * 20 + "b = 2\n")
    window.edit(other, "a = 1", "a = 3")
    assert (await ask(window, cart, at))["edits"], "passed by once"
    window.edit(other, "b = 2", "b = 4")
    assert (await ask(window, cart, at))["edits"] == []
    assert (await ask_for(window, cart, at))["edits"], "who asks gets it"


async def test_the_import_of_a_new_name_is_offered_as_other_files_write_it(window: Editor) -> None:
    text = "import json\nfrom decimal import Decimal\n\nA = Decimal(json.loads('1'))\n"
    (window.root / "a.py").write_text(text, encoding="utf-8")
    uri = window.open("new.py", '"""New."""\n\nimport os\n\n\ndef f(x):\n    return os.fspath(x)\n')
    at = window.edit(uri, "    return", "    y = Decimal(json.loads(x))\n    z = Unknown(y)\n    return")
    answer = await indexed(window, uri, at)
    made = []
    while answer["edits"]:
        edit = answer["edits"][0]
        made.append((edit["kind"], edit["message"], edit["text"]))
        assert edit["range"]["start"] == edit["range"]["end"]
        line = lsp.Position(edit["range"]["start"]["line"], 0)
        lines = window.texts[uri].split("\n")
        window.texts[uri] = "\n".join([*lines[: line.line], edit["text"][:-1], *lines[line.line :]])
        window.versions[uri] += 1
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(line, line), text=edit["text"])
        identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=window.versions[uri])
        window.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))
        answer = await window.command(edit["command"]["command"], edit["command"]["arguments"][0])
    assert made == [
        ("import", "Decimal is imported", "from decimal import Decimal\n"),
        ("import", "json is imported", "import json\n"),
    ]


OTHERS = {
    "src/shop/N.java": (
        {"src/shop/A.java": "package shop;\nimport java.util.ArrayList;\nclass A { ArrayList<String> a; }\n"},
        "package shop;\n\nimport java.util.List;\n\nclass N {\n  void f(List<String> x) {\n    int y = 1;\n  }\n}\n",
        ("int y = 1;", "var y = new ArrayList<String>(x);"),
        "import java.util.ArrayList;\n",
    ),
    "N.kt": (
        {"A.kt": "package shop\n\nimport java.time.Instant\n\nval a = Instant.now()\n"},
        "package shop\n\nimport java.util.UUID\n\nfun f(x: UUID) {\n  val y = 1\n}\n",
        ("val y = 1", "val y = Instant.now()"),
        "import java.time.Instant\n",
    ),
    "N.php": (
        {
            "A.php": "<?php\nnamespace Shop;\nuse Money\\Price;\nuse Bill\\Same;\nclass A { public Price $p; }\n",
            "Same.php": "<?php\nnamespace Bill;\nclass Same {}\n",
        },
        "<?php\nnamespace Bill;\n\nuse Money\\Tax;\n\nfunction f(Tax $x) {\n  return 1;\n}\n",
        ("return 1;", "return new Same(new Price(1));"),
        "use Money\\Price;\n",
    ),
    "n.ts": (
        {"a.ts": "import { round } from 'numbers';\nexport const a = round(1);\n"},
        "import { other } from 'others';\n\nexport function f(x: number) {\n  return other(x);\n}\n",
        ("return other(x)", "return round(other(x))"),
        "import { round } from 'numbers';\n",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
async def test_a_missing_import_is_offered_in_other_languages(window: Editor, name: str) -> None:
    files, text, (old, new), wanted = OTHERS[name]
    for path, other in {**files, name: text}.items():
        (window.root / path).parent.mkdir(parents=True, exist_ok=True)
        (window.root / path).write_text(other, encoding="utf-8")
    uri = window.open(name, text)
    at = window.edit(uri, old, new)
    answer = await indexed(window, uri, at)
    assert answer["edits"][0]["text"] == wanted


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        ("from . import tax\n", "from .prices import rounded\n"),
        ("from shop2 import tax\n", "from shop2.prices import rounded\n"),
    ],
    ids=["relative", "absolute"],
)
async def test_an_import_from_the_own_package_is_written_as_the_document_writes_them(
    window: Editor, own: str, wanted: str
) -> None:
    (window.root / "shop2").mkdir()
    for name, text in {"__init__": "", "tax": "RATE = 1\n", "prices": "def rounded(x):\n    return x\n"}.items():
        (window.root / "shop2" / f"{name}.py").write_text(text, encoding="utf-8")
    uri = window.open("shop2/bill.py", f"{own}\n\ndef bill(x):\n    return x * tax.RATE\n")
    at = window.edit(uri, "return x * tax.RATE", "return rounded(x) * tax.RATE")
    answer = await indexed(window, uri, at)
    assert answer["edits"][0]["text"] == wanted
