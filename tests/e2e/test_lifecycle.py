"""Starting, settings, and clients that misbehave."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.models.files import embedded
from palimpsest.text.uris import to_uri

from .conftest import Editor, start_editor, stop_editor


async def test_initialize_is_answered_and_says_what_is_served(editor: Editor) -> None:
    capabilities = (await _initialize_alone(editor.root))["capabilities"]
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


async def test_until_the_model_is_loaded_completion_is_empty_and_the_status_says_why(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"n_ctx": 1024}})  # an engine that no other test has started
    try:
        uri = editor.open("shop/cart.py")
        assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
        await _until(lambda: editor.statuses)
        assert editor.statuses[0]["kind"] == "Inactive"
        assert editor.statuses[0]["message"]
        await editor.ready()
        assert editor.status["model"]
        assert editor.status["tokens"]["total"] == 1024
    finally:
        await stop_editor(editor)


async def test_a_client_that_never_sends_initialized_is_served(shop: Path) -> None:
    raw = await _Raw.start()
    try:
        await raw.request("initialize", _initialize_params(shop))
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


async def test_nonsense_is_answered_with_an_error_and_the_server_lives(shop: Path) -> None:
    raw = await _Raw.start()
    try:
        await raw.request("initialize", _initialize_params(shop))
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


async def test_a_wrong_setting_is_named_and_its_default_used(shop: Path) -> None:
    (shop / "palimpsest.toml").write_text('[completion]\nmax_tokens = "many"\n[engine]\nspeed = 3\n')
    editor = await start_editor(shop, {"suggestion": {"format": "yaml"}})
    try:
        await editor.ready()
        messages = " ".join(message.message for message in editor.client.messages)
        assert "completion.max_tokens" in messages
        assert "engine.speed" in messages
        assert "suggestion.format" in messages
        assert "ln-diff" in messages
    finally:
        await stop_editor(editor)


async def test_a_settings_file_that_is_no_toml_is_named(shop: Path) -> None:
    (shop / "palimpsest.toml").write_text("[completion\n")
    editor = await start_editor(shop)
    try:
        await editor.ready()
        assert any("palimpsest.toml" in message.message for message in editor.client.messages)
    finally:
        await stop_editor(editor)


@pytest.mark.parametrize(
    ("command", "argument", "field"),
    [
        ("palimpsest.context.show", None, "palimpsest.context.show"),
        ("palimpsest.context.show", {"position": {"line": 0, "character": 0}}, "uri"),
        ("palimpsest.context.show", {"uri": "URI", "position": {"line": "x", "character": 0}}, "line"),
        ("palimpsest.context.show", {"uri": "URI", "position": {"line": -1, "character": 0}}, "line"),
        ("palimpsest.context.show", {"uri": "file:///not/open.py", "position": {"line": 0, "character": 0}}, "uri"),
        ("palimpsest.context.put", {"type": "novel", "name": "x", "text": "y"}, "type"),
        ("palimpsest.context.put", {"type": "package", "name": "x"}, "text"),
        ("palimpsest.context.put", {"type": "package", "name": "x", "text": "y", "ttl": -1}, "ttl"),
        ("palimpsest.context.unpin", {"uri": "URI"}, "uri"),
        ("palimpsest.suggest", {"uri": "URI", "position": {"line": 0, "character": 0}, "n": 0}, "n"),
        ("palimpsest.suggest", {"uri": "URI", "position": {"line": 0, "character": 0}, "format": "x"}, "format"),
        (
            "palimpsest.suggest",
            {"uri": "URI", "position": {"line": 0, "character": 0}, "instruction": 3},
            "instruction",
        ),
    ],
)
async def test_a_wrong_argument_is_an_error_that_names_the_field(
    editor: Editor, command: str, argument: Any, field: str
) -> None:
    uri = editor.open("shop/cart.py")
    if isinstance(argument, dict) and argument.get("uri") == "URI":
        argument = {**argument, "uri": uri}
    with pytest.raises(JsonRpcException) as caught:
        await editor.command(command, argument)
    assert caught.value.code == -32602
    assert field in caught.value.message


async def test_a_position_past_the_end_is_the_end(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    shown = await editor.show(uri, lsp.Position(100_000, 100_000))
    assert shown["editing"]["file"] == "shop/cart.py"
    await editor.complete(uri, lsp.Position(100_000, 0))


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


def _initialize_params(root: Path) -> dict[str, Any]:
    return {
        "processId": os.getpid(),
        "capabilities": {
            "general": {"positionEncodings": ["utf-16", "utf-8"]},
            "textDocument": {"inlineCompletion": {}},
        },
        "workspaceFolders": [{"uri": to_uri(root), "name": "shop"}],
    }


async def _initialize_alone(root: Path) -> dict[str, Any]:
    raw = await _Raw.start()
    try:
        result: dict[str, Any] = (await raw.request("initialize", _initialize_params(root)))["result"]
        return result
    finally:
        await raw.stop()


async def _until(condition: Any) -> None:
    for _ in range(400):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


class _Raw:
    """A client by hand, for what a well-made one does not send."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._id = 0

    @classmethod
    async def start(cls) -> "_Raw":
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "palimpsest", "serve", stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
        )
        return cls(process)

    async def send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        await self._process.stdin.drain()

    async def notify(self, method: str, params: Any, **more: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        await self.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def request(self, method: str, params: Any) -> dict[str, Any]:
        self._id += 1
        await self.notify(method, params, id=self._id)
        while True:
            message = await asyncio.wait_for(self._read(), 30)
            if message.get("id") == self._id and "method" not in message:
                return message

    async def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        head = await self._process.stdout.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        message: dict[str, Any] = json.loads(await self._process.stdout.readexactly(length))
        return message

    async def stop(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        self._process._transport.close()  # type: ignore[attr-defined]  # else a warning when it is collected


async def _error_status(shop: Path, settings: dict[str, Any]) -> str:
    editor = await start_editor(shop, settings)
    try:
        await _until(lambda: editor.status.get("kind") == "Error")
        uri = editor.open("shop/cart.py")
        assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
        with pytest.raises(JsonRpcException):
            await editor.command("palimpsest.model.info")
        assert (await editor.show(uri, editor.at(uri, "total = self.")))["blocks"]
        return str(editor.status["message"])
    finally:
        await stop_editor(editor)


async def test_a_context_larger_than_memory_says_how_many_tokens_would_fit(shop: Path) -> None:
    message = await _error_status(shop, {"engine": {"n_ctx": 8192, "memory_mb": 4}})
    assert re.search(r"\d,?\d+ tokens", message), message


async def test_a_missing_model_is_named(shop: Path) -> None:
    message = await _error_status(shop, {"model": {"path": str(shop / "none.gguf")}})
    assert "none.gguf" in message


async def test_a_truncated_model_is_named(shop: Path) -> None:
    whole = embedded().read_bytes()
    (shop / "cut.gguf").write_bytes(whole[: len(whole) // 2])
    message = await _error_status(shop, {"model": {"path": str(shop / "cut.gguf")}})
    assert "cut.gguf" in message


async def test_changed_settings_take_effect_and_a_setting_taken_back_is_gone(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
    await editor.settled(uri, position)

    async def configured(own: dict[str, Any]) -> list[lsp.InlineCompletionItem]:
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings={"palimpsest": own}))
        await editor.show(uri, position)  # the documents are still open
        await asyncio.sleep(0.2)
        await editor.ready()
        return await editor.complete(uri, position)

    assert await configured({"completion": {"enabled": False}}) == []
    assert await configured({})
