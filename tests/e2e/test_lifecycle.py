"""Starting, settings, and clients that misbehave."""

import re
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.lsp.features import all_commands
from palimpsest.models.files import embedded
from palimpsest.text.uris import to_uri

from .conftest import Editor, start_editor, stop_editor, until
from .raw import Raw, framed, initialize_params


async def test_until_the_model_is_loaded_completion_is_empty_and_the_status_says_why(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"n_ctx": 1024}})  # an engine that no other test has started
    try:
        uri = editor.open("shop/cart.py")
        assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
        await until(lambda: editor.statuses)
        assert editor.statuses[0]["kind"] == "Inactive"
        assert editor.statuses[0]["message"]
        await editor.ready()
        assert editor.status["model"]
        assert editor.status["tokens"]["total"] == 1024
    finally:
        await stop_editor(editor)


async def test_initialize_says_what_is_served_and_a_client_that_never_sends_initialized_is(shop: Path) -> None:
    raw = await Raw.start()
    try:
        capabilities = (await raw.request("initialize", initialize_params(shop)))["result"]["capabilities"]
        assert capabilities["positionEncoding"] == "utf-8"
        assert "inlineCompletionProvider" in capabilities
        assert set(capabilities["codeActionProvider"]["codeActionKinds"]) == {
            "refactor.rewrite.palimpsest",
            "quickfix.palimpsest",
            "source.palimpsest",
        }
        assert capabilities["codeActionProvider"]["resolveProvider"] is True
        assert "palimpsest.suggest" in capabilities["executeCommandProvider"]["commands"]
        assert capabilities["textDocumentSync"]["change"] == 2
        uri = to_uri(shop / "shop" / "cart.py")
        text = (shop / "shop" / "cart.py").read_text()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        await raw.notify("textDocument/didOpen", {"textDocument": document})
        shown = await raw.request(
            "workspace/executeCommand",
            {
                "command": "palimpsest.context.show",
                "arguments": [{"uri": uri, "position": {"line": 60, "character": 8}}],
            },
        )
        assert shown["result"]["editing"]["type"] == "function"
    finally:
        await raw.stop()


async def test_a_request_is_about_the_text_before_it_however_much_comes_at_once(shop: Path) -> None:
    raw = await Raw.start()
    try:
        await raw.request("initialize", initialize_params(shop))
        uri = "file:///untitled.py"
        document = {"uri": uri, "languageId": "python", "version": 0, "text": ""}
        await raw.notify("textDocument/didOpen", {"textDocument": document})
        at_once = b""
        for n in range(1, 9):
            changes = [{"text": f"def f{n}(x):\n    return x\n"}]
            at_once += framed(
                "textDocument/didChange", {"textDocument": {"uri": uri, "version": n}, "contentChanges": changes}
            )
            shown = {"uri": uri, "position": {"line": 1, "character": 4}}
            command = {"command": "palimpsest.context.show", "arguments": [shown]}
            at_once += framed("workspace/executeCommand", command, id=100 + n)
        at_once += framed("textDocument/didClose", {"textDocument": {"uri": uri}})
        await raw.send(at_once)
        for n in range(1, 9):
            assert (await raw.answer(100 + n))["result"]["editing"]["name"] == f"f{n}"
    finally:
        await raw.stop()


@pytest.mark.parametrize(("orderly", "status"), [(True, 0), (False, 1)])
async def test_exit_without_shutdown_is_said_by_the_exit_status(shop: Path, orderly: bool, status: int) -> None:
    raw = await Raw.start(own_process=True)
    await raw.begin(shop, {"engine": {"kind": "none"}})
    if orderly:
        await raw.request("shutdown", None)
    await raw.notify("exit", None)
    assert await raw.process.wait() == status
    await raw.stop()


@pytest.mark.parametrize("dynamic", [True, False])
async def test_files_are_watched_where_the_client_lets_it_be_asked_for_later(shop: Path, dynamic: bool) -> None:
    raw = await Raw.start({"client/registerCapability": None})
    capabilities = {"didChangeWatchedFiles": {"dynamicRegistration": dynamic}}
    await raw.begin(
        shop,
        {"engine": {"kind": "none"}},
        workspace={**capabilities, "textDocumentContent": {"dynamicRegistration": True}},
    )
    asked = await raw.notified("client/registerCapability")
    assert (asked["params"]["registrations"][0]["id"] == "palimpsest-files") is dynamic
    await raw.leave()


@pytest.mark.parametrize("documents", [0, 1])
async def test_shutdown_is_answered_also_where_exit_comes_in_one_write_with_it(shop: Path, documents: int) -> None:
    raw = await Raw.start()
    try:
        at_once = framed("initialize", initialize_params(shop), id=1) + framed("initialized", {})
        for n in range(documents):
            document = {"uri": f"file:///{n}.py", "languageId": "python", "version": 0, "text": "x = 1\n"}
            at_once += framed("textDocument/didOpen", {"textDocument": document})
        await raw.send(at_once + framed("shutdown", None, id=2) + framed("exit", None))
        assert "result" in await raw.answer(1)
        assert await raw.answer(2) == {"jsonrpc": "2.0", "id": 2, "result": None}
    finally:
        await raw.stop()


async def test_nonsense_is_answered_with_an_error_and_the_server_lives(shop: Path) -> None:
    raw = await Raw.start()
    try:
        await raw.request("initialize", initialize_params(shop))
        answer = await raw.request("textDocument/inlineCompletion", {"textDocument": 3})
        assert answer["error"]["code"] == -32602
        assert "textDocument" in answer["error"]["message"]
        answer = await raw.request("palimpsest/noSuchThing", {})
        assert answer["error"]["code"] == -32601
        await raw.notify("palimpsest/cursor", {"position": "here"})
        await raw.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": "file:///nowhere.py", "version": 2}, "contentChanges": [{"text": "x"}]},
        )
        await raw.send(b"Content-Length: 9\r\n\r\n{not json")
        answer = await raw.request("workspace/executeCommand", {"command": "palimpsest.nothing"})
        assert answer["error"]["code"] == -32602
        assert "palimpsest.suggest" in answer["error"]["message"]
    finally:
        await raw.stop()


async def test_wrong_settings_and_a_file_that_is_no_toml_are_named_and_the_defaults_used(shop: Path) -> None:
    path = shop / "palimpsest.toml"
    path.write_text('[completion]\nmax_tokens = "many"\n[engine]\nspeed = 3\n')
    editor = await start_editor(shop, {"suggestion": {"format": "yaml"}})
    try:
        await editor.ready()
        messages = " ".join(message.message for message in editor.client.messages)
        assert "completion.max_tokens" in messages
        assert "engine.speed" in messages
        assert "suggestion.format" in messages
        assert "ln-diff" in messages
        assert "palimpsest.toml" not in messages
        path.write_text("[completion\n")
        changed = lsp.FileEvent(to_uri(path), lsp.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([changed]))
        await until(lambda: any("palimpsest.toml" in message.message for message in editor.client.messages))
    finally:
        await stop_editor(editor)


HERE = {"line": 0, "character": 0}
FAR = {"uri": "file:///not/open.py", "position": HERE}
WRONG: list[tuple[str, Any, str]] = [
    ("context.show", {"position": HERE}, "uri"),
    ("context.show", {"uri": "URI", "position": {"line": "x", "character": 0}}, "position.line"),
    ("context.show", {"uri": "URI", "position": {"line": -1, "character": 0}}, "position.line"),
    ("context.show", {"uri": "URI", "position": {"line": 0, "character": 0.5}}, "position.character"),
    ("context.show", FAR, "uri"),
    ("context.put", {"type": "novel", "name": "x", "text": "y"}, "type"),
    ("context.put", {"type": "package", "name": "x"}, "text"),
    ("context.put", {"type": "package", "name": "x", "text": "y", "ttl": -1}, "ttl"),
    ("context.put", {"type": "package", "name": "x", "text": "y", "ttl": 10**400}, "ttl"),
    ("context.put", {"type": "package", "name": "x", "text": "y", "priority": -(10**400)}, "priority"),
    ("context.put", {"type": "package", "name": "x", "text": "y", "editable": "yes"}, "editable"),
    ("context.drop", {"type": "package"}, "name"),
    ("context.drop", {"type": 3, "name": "x"}, "type"),
    ("context.pin", {"uri": 3}, "uri"),
    ("context.pin", FAR, "uri"),
    ("context.pin", {"uri": "file:///\ud800"}, "uri"),
    ("context.unpin", {"uri": "URI"}, "uri"),
    ("suggest", FAR, "uri"),
    ("suggest", {"uri": "URI"}, "position"),
    ("suggest", {"uri": "URI", "position": HERE, "n": 0}, "n"),
    ("suggest", {"uri": "URI", "position": HERE, "format": "x"}, "format"),
    ("suggest", {"uri": "URI", "position": HERE, "instruction": 3}, "instruction"),
    ("suggest", {"uri": "URI", "position": HERE, "range": 3}, "range"),
    ("suggest", {"uri": "URI", "position": HERE, "range": {"start": HERE}}, "range.end"),
    ("suggest", {"uri": "URI", "position": HERE, "workDoneToken": ["x"]}, "workDoneToken"),
    ("suggest.apply", {"uri": "URI", "position": HERE, "workDoneToken": {}}, "workDoneToken"),
    ("suggest.continue", {"id": "s-77"}, "id"),
    ("suggest.continue", {"id": "s-77", "instruction": 3}, "instruction"),
    *((f"suggest.{what}", {"id": 3}, "id") for what in ("rerun", "accept", "applied", "reject")),
    *((f"suggest.{what}", {"id": "s-77"}, "id") for what in ("rerun", "accept", "applied", "reject")),
    *((f"nextEdit.{what}", {"id": wrong}, "id") for what in ("accept", "dismiss") for wrong in (3, "n-77")),
    ("completion.accepted", {"id": 3}, "id"),
    ("completion.toggle", {"scope": "file"}, "scope"),
    ("completion.toggle", {"scope": "everywhere", "enabled": 1}, "enabled"),
    ("completion.toggle", {"scope": "buffer", **FAR}, "uri"),
    ("stats", {"days": 0}, "days"),
    ("summarize", {"uri": 3}, "uri"),
    ("summarize", FAR, "uri"),
    ("summarize", {"staged": "yes"}, "staged"),
]


async def test_wrong_arguments_are_errors_that_name_the_field(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")

    async def error(command: str, argument: Any) -> str:
        with pytest.raises(JsonRpcException) as caught:
            await editor.command(command, argument)
        assert caught.value.code == -32602, (command, argument)
        return caught.value.message

    for name, argument, field in WRONG:
        where = {"uri": uri} if argument.get("uri") == "URI" else {}
        message = await error(f"palimpsest.{name}", {**argument, **where})
        assert message.startswith(f"{field}: "), (name, argument, message)
    of_nothing = {"palimpsest.stats", "palimpsest.summarize", "palimpsest.context.show"}
    needs = {f"palimpsest.{name}" for name, _, _ in WRONG} - of_nothing
    for command in sorted(all_commands()):
        for wrong in (3, [{}], "no" if "nextEdit" not in command else 3):
            assert (await error(command, wrong)).startswith(f"{command}: "), (command, wrong)
        if command in needs:
            assert "is missing" in await error(command, {}), command

    # And what is merely too large is cut: a position past the end is the end.
    shown = await editor.show(uri, lsp.Position(100_000, 100_000))
    assert shown["editing"]["file"] == "shop/cart.py"
    await editor.complete(uri, lsp.Position(100_000, 0))


async def test_no_argument_has_many_shapes(shop: Path) -> None:
    """As Lua, Emacs and others write an empty table, nil and nothing; a field that is null is one that is not there."""
    raw = await Raw.start()
    try:
        await raw.begin(shop, {"engine": {"kind": "none"}})
        for arguments in ({}, {"arguments": None}, *({"arguments": given} for given in ([], [None], [{}], [[]]))):
            answer = await raw.request("workspace/executeCommand", {"command": "palimpsest.stats", **arguments})
            assert "since" in answer["result"], arguments
            answer = await raw.request("workspace/executeCommand", {"command": "palimpsest.context.pin", **arguments})
            assert answer["error"]["message"] == "uri: is missing; palimpsest.context.pin takes {uri}.", arguments
            assert "data" not in answer["error"], "VS Code shows it as [object Object]"
        assert "since" in (await raw.command("palimpsest.stats", {"days": None}))["result"]
        uri = await raw.open(shop / "shop" / "cart.py")
        put = {"type": "package", "name": "x", "text": "y", "editable": None, "uri": None, "ttl": None}
        assert (await raw.command("palimpsest.context.put", put))["result"]["name"] == "x"
        asked = {"uri": uri, "position": {"line": 0, "character": 0}, "range": None, "instruction": None, "n": None}
        for range in (None, []):
            answer = await raw.command("palimpsest.suggest", {**asked, "range": range, "workDoneToken": None})
            assert "engine" in answer["error"]["message"], answer
    finally:
        await raw.stop()


async def test_without_an_engine_everything_but_the_model_works(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"kind": "none"}})
    try:
        uri = editor.open("shop/cart.py")
        position = editor.at(uri, "total = self.")
        assert await editor.complete(uri, position) == []
        shown = await editor.show(uri, position)
        assert {block["state"] for block in shown["blocks"]} == {"wanted"}
        with pytest.raises(JsonRpcException, match="engine"):
            await editor.command("palimpsest.model.info")
    finally:
        await stop_editor(editor)


async def test_the_status_says_why_there_is_no_model(shop: Path) -> None:
    whole = embedded().read_bytes()
    (shop / "cut.gguf").write_bytes(whole[: len(whole) // 2])
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"engine": {"n_ctx": 8192, "memory_mb": 4}}, r"\d,?\d+ tokens"),  # how many would fit
        ({"model": {"path": str(shop / "none.gguf")}}, r"none\.gguf"),
        ({"model": {"path": str(shop / "cut.gguf")}}, r"cut\.gguf"),
    ]
    editor = await start_editor(shop, wrong[0][0])
    try:
        uri = editor.open("shop/cart.py")
        for own, words in wrong:
            settings = lsp.DidChangeConfigurationParams(settings={"palimpsest": {"engine": {"memory_mb": 0}, **own}})
            editor.client.workspace_did_change_configuration(settings)
            await until(
                lambda words=words: editor.status.get("kind") == "Error" and re.search(words, editor.status["message"])
            )
            assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
            with pytest.raises(JsonRpcException):
                await editor.command("palimpsest.model.info")
            assert (await editor.show(uri, editor.at(uri, "total = self.")))["blocks"]
    finally:
        await stop_editor(editor)


async def test_changed_settings_take_effect_and_a_setting_taken_back_is_gone(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
    await editor.settled(uri, position)

    async def configured(own: dict[str, Any]) -> list[lsp.InlineCompletionItem]:
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings={"palimpsest": own}))
        await editor.show(uri, position)  # the documents are still open
        return await editor.complete(uri, position)

    assert await configured({"completion": {"enabled": False}}) == []
    assert await configured({})

    # Settings that are not ours, as some clients send to every server, are nothing to tell a person about.
    said = len(editor.client.messages)
    others = {"nextEditSuggestions": {"enabled": True}, "telemetry.level": "off"}
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings=others))
    assert await configured({"completoin": {"enabled": False}, **others})
    told = [message.message for message in editor.client.messages[said:]]
    assert told[0].startswith("Palimpsest: Setting completoin.enabled: no such section")
