"""Clients that send nonsense, too much, or at the wrong time; and editors that leave in the middle of it.

What is asked is answered, with an error that says what is wrong; nothing is shown to a person; the server goes on.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.lsp.features import all_commands
from palimpsest.text.uris import to_uri
from tests.e2e.raw import Raw, framed, initialize_params, packed

NO_ENGINE = {"engine": {"kind": "none"}}
HERE = {"line": 0, "character": 0}
URI = "file:///nowhere/a.py"
DOCUMENT = {"uri": URI, "version": 2}
REQUESTS = [
    "textDocument/inlineCompletion",
    "textDocument/codeAction",
    "codeAction/resolve",
    "workspace/executeCommand",
    "palimpsest/nextEdit",
    "textDocument/copilotInlineEdit",
]
NOTIFICATIONS = [
    "initialized",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "window/workDoneProgress/cancel",
    "$/cancelRequest",
    "$/setTrace",
    "palimpsest/cursor",
    "palimpsest/event",
    "textDocument/didShowInlineEdit",
    "textDocument/didFocus",
    "notebookDocument/didOpen",
    "notebookDocument/didChange",
    "notebookDocument/didClose",
]
WRONG: list[Any] = [
    None,
    3,
    -1.5,
    "x",
    [],
    [[]],
    {},
    {"textDocument": 3},
    {"textDocument": {"uri": 3, "version": {}}, "position": "here"},
    {"textDocument": DOCUMENT, "position": {"line": -1, "character": -1}},
    {"textDocument": DOCUMENT, "position": {"line": 10**400, "character": 2**40}},
    {"textDocument": DOCUMENT, "contentChanges": [{"text": "x"}]},
    {"textDocument": DOCUMENT, "contentChanges": [{"range": {"start": HERE, "end": 3}, "text": "x"}, {}, None, 3]},
    {"textDocument": {"uri": "\ud800:\x00//[::", "languageId": 3, "version": "a", "text": None}},
    {"textDocument": {"uri": "no scheme", "languageId": "python", "version": 10**30, "text": "\x00\ud800"}},
    {"command": 3, "arguments": "all"},
    {"command": "palimpsest.suggest", "arguments": [{"jsonrpc": "2.0", "id": 9, "method": "shutdown"}]},
    {"settings": {"palimpsest": {"completion": [], "engine": {"n_ctx": "many"}, "": {"": {}}}}},
    {"changes": [{"uri": 3, "type": "gone"}, {"uri": "file:///\x00", "type": 2}]},
    {"event": {"added": [{"uri": "http://[", "name": 3}], "removed": 3}},
    {"token": {}, "id": [], "kind": "yank"},
    {"id": "none", "token": "none", "value": "off"},
    {"title": 3, "data": {"uri": [], "position": HERE}},
    {"notebookDocument": {"uri": URI, "cells": [3]}, "change": 3, "cellTextDocuments": [{}]},
]
NO_MESSAGE = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": ["shutdown"]}',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]',
]


@pytest.fixture
async def client(tmp_path: Path, shop: Path) -> AsyncIterator[Raw]:
    """A window without an engine, with a log and a cache of its own, and no package index to get a model from."""
    own = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    it = await Raw.start(environment={**own, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull})
    await it.begin(shop, NO_ENGINE)
    yield it
    await it.stop()


async def check(client: Raw, tmp_path: Path) -> None:
    """It lives, nobody was shown anything but wrong settings and lost documents, and its log has no traceback."""
    assert "since" in (await client.command("palimpsest.stats"))["result"]
    said = ("Setting", "is no folder of this machine", "is not known as it is now")
    assert [text for text in client.shown if not any(one in text for one in said)] == []
    await client.leave()
    no_traceback(client, tmp_path)


def no_traceback(client: Raw, tmp_path: Path) -> None:
    log = (tmp_path / "state" / "palimpsest" / "log" / "server.log").read_text(encoding="utf-8")
    for text in (log, client.errors.decode(errors="replace")):
        assert "Traceback" not in text, text[-4000:]
        assert "never retrieved" not in text
        assert "Exception ignored" not in text


async def test_nonsense_in_every_request_is_answered_and_in_every_notification_passed_over(
    client: Raw, tmp_path: Path
) -> None:
    await client.open(Path("/nowhere/a.py"), "x = 1\n")
    for wrong in WRONG:
        for method in NOTIFICATIONS:
            await client.notify(method, wrong)
        for method in REQUESTS:
            answer = await client.request(method, wrong)
            assert "data" not in answer.get("error", {}), "VS Code shows it as [object Object]"
            if "error" in answer:
                assert answer["error"]["code"] in (-32602, -32801, -32803), (method, wrong, answer)
                assert isinstance(answer["error"]["message"], str)
    for command in all_commands():
        for wrong in (
            {"uri": {}, "id": [], "type": 3, "position": [3]},
            {"uri": "\x00", "id": "", "scope": []},
            "\ud800",
        ):
            answer = await client.command(command, wrong)
            assert answer.get("error", {}).get("code", -32602) in (-32602, -32803), (command, wrong, answer)
    answer = await client.request("no/such/method", WRONG)
    assert answer["error"]["code"] == -32601
    await check(client, tmp_path)


async def test_what_is_no_message_is_refused_and_lengths_that_lie_cost_a_message(client: Raw, tmp_path: Path) -> None:
    for body in NO_MESSAGE:
        client.came.clear()
        await client.send(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        refused = await client.message(lambda m: "error" in m)
        assert refused["error"]["code"] in (-32700, -32600), body[:80]
        assert refused.get("id") in (None, 1)
    request = framed("workspace/executeCommand", {"command": "palimpsest.stats"}, id=77)
    body = request.partition(b"\r\n\r\n")[2]
    for head in (
        b"content-length:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(body),
        b"Content-Length: -5\r\nContent-Length: x\r\n"
        + b"X: "
        + b"y" * 100_000
        + b"\r\nContent-Length: %d\r\n\r\n" % len(body),
    ):
        client.came.clear()
        await client.send(head + body)
        assert "since" in (await client.answer(77))["result"]
    await client.send(
        b"Content-Length: 20\r\n\r\n" + body + b"\r\n" + b"\n\nwhat?\r\n\r\n"
    )  # too short: the rest is no header
    await client.send(b"Content-Length: %d\r\n\r\n" % (len(body) + 30) + body)  # too long: the next one is swallowed
    await client.send(framed("workspace/executeCommand", {"command": "palimpsest.stats"}, id=78))
    client.came.clear()
    await client.send(request)
    assert "since" in (await client.answer(77))["result"]
    await check(client, tmp_path)


async def test_the_wrong_time(tmp_path: Path, shop: Path) -> None:
    client = await Raw.start(environment={"XDG_STATE_HOME": str(tmp_path / "state")})
    try:
        await client.notify("textDocument/didOpen", {})
        assert (await client.request("textDocument/codeAction", {}))["error"]["code"] == -32002
        assert (await client.request("initialize", 3))["error"]["code"] == -32602
        await client.begin(shop, NO_ENGINE)
        assert (await client.request("initialize", initialize_params(shop)))["error"]["code"] == -32600
        uri = await client.open(shop / "shop" / "cart.py", "x = 1\n", version=7)
        for version in (7, 3, -1, 2**31 - 1, 4):
            changes = [{"text": f"x = {version}\n"}]
            document = {"uri": uri, "version": version}
            await client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        shown = await client.command("palimpsest.context.show", {"uri": uri, "position": HERE})
        assert "x = 4" in shown["result"]["editing"]["text"]
        for _ in range(2):
            await client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert (await client.request("shutdown", None))["result"] is None
        for method in ("shutdown", "workspace/executeCommand"):
            assert (await client.request(method, None))["error"]["code"] == -32600
        await client.notify("textDocument/didOpen", {})
        await client.notify("exit", None)
        await client.process.wait()
        no_traceback(client, tmp_path)
    finally:
        await client.stop()


@pytest.mark.slow(part="storms")
async def test_ten_thousand_documents_a_huge_one_and_floods(client: Raw, shop: Path, tmp_path: Path) -> None:
    text = (shop / "shop" / "cart.py").read_text(encoding="utf-8")
    for first in range(0, 10_000, 500):
        opened = b""
        for n in range(first, first + 500):
            document = {"uri": f"file:///many/{n}.py", "languageId": "python", "version": 1, "text": text}
            opened += framed("textDocument/didOpen", {"textDocument": document})
        await client.send(opened)
    huge = {"uri": URI, "languageId": "python", "version": 1, "text": "x = 1\n" * 2_000_000}
    await client.send(framed("textDocument/didOpen", {"textDocument": huge}))
    await client.send(b"".join(framed("$/cancelRequest", {"id": n}) for n in range(20_000)))
    ids = range(100_000, 100_300)
    where = {"textDocument": {"uri": "file:///many/3.py"}, "position": HERE, "context": {"triggerKind": 2}}
    flood = b"".join(
        framed("textDocument/inlineCompletion", where, id=n) + framed("$/cancelRequest", {"id": n}) for n in ids
    )
    await client.send(flood)
    for n in ids:
        answer = await client.answer(n)
        assert "result" in answer or answer["error"]["code"] == -32800
    await client.send(b"".join(packed({"jsonrpc": "2.0", "id": n, "result": None}) for n in range(5_000)))
    shown = await client.command("palimpsest.context.show", {"uri": "file:///many/9999.py", "position": HERE})
    assert shown["result"]["editing"]["file"] == "9999.py"
    await check(client, tmp_path)


LEAVING = ["end of input", "closed behind shutdown", "closed behind exit", "SIGTERM", "SIGINT", "no reader"]


@pytest.mark.parametrize("way", LEAVING)
async def test_an_editor_that_leaves_in_the_middle_of_work_leaves_no_traceback(
    client: Raw, shop: Path, tmp_path: Path, way: str
) -> None:
    uri = await client.open(shop / "shop" / "cart.py")
    where = {"uri": uri, "position": {"line": 40, "character": 0}}
    process, stdin = client.process, client.process.stdin
    assert stdin is not None
    for n in range(20):
        await client.command("palimpsest.context.show", where)
        await client.ask("workspace/executeCommand", {"command": "palimpsest.context.show", "arguments": [where]})
        await client.ask("workspace/executeCommand", {"command": "palimpsest.stats", "arguments": [{"days": n + 1}]})
    if way.startswith("SIG"):
        process.send_signal(signal.Signals[way])
    elif way == "no reader":
        client.stop_reading()
        for _ in range(50):
            stdin.write(framed("workspace/executeCommand", {"command": "palimpsest.stats"}, id=json.dumps(where)))
    else:
        if way != "end of input":
            stdin.write(framed("shutdown", None, id=1_000))
        if way == "closed behind exit":
            stdin.write(framed("exit", None))
        stdin.close()
    async with asyncio.timeout(60):
        await process.wait()
    await client.stop()
    no_traceback(client, tmp_path)


def test_every_command_is_there_to_be_tried() -> None:
    assert len(all_commands()) > 15
    assert to_uri(Path("/nowhere/a.py")) == URI
