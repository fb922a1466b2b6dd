"""What goes wrong inside: the client gets a sentence, the log gets the rest, and no person is shown anything."""

import asyncio
import json
import logging
import threading
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.capabilities import ServerCapabilitiesBuilder

from palimpsest.features import features
from palimpsest.lsp import loading
from palimpsest.lsp.features import all_commands, load, make_server
from palimpsest.lsp.loading import attribute
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import SessionFactory
from palimpsest.session.session import Session

from .conftest import PATIENT, start_editor, stop_editor

INSIDE = "the inside of everything"


class Written:
    """What the server wrote, as messages."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.messages.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def shown(self) -> list[str]:
        return [m["params"]["message"] for m in self.messages if m.get("method") == "window/showMessage"]

    def close(self) -> None: ...


def never(*_: Any) -> Any:
    raise RuntimeError(INSIDE)


def capabilities(server: PalimpsestServer) -> lsp.ServerCapabilities:
    known = server.protocol.fm
    methods, commands = {*known.features, *known.builtin_features}, list(known.commands)
    sync = lsp.TextDocumentSyncKind.Incremental
    return ServerCapabilitiesBuilder(
        lsp.ClientCapabilities(), methods, known.feature_options, commands, sync, None, None
    ).build()


async def test_what_is_announced_is_what_there_is() -> None:
    """The editor is told of features before they are imported."""
    server = make_server(SessionFactory(never, never))
    announced = capabilities(server)
    await load(server)
    assert announced == capabilities(server)
    assert announced.execute_command_provider is not None
    assert announced.execute_command_provider.commands == list(all_commands())


def test_what_features_declare_is_there() -> None:
    assert {"completions", "conversations", "documents", "edits", "lsp", "next_edits"} <= {
        one.name for one in features()
    }
    for feature in features():
        for module in feature.imported:
            import_module(module)
        for module, names in feature.commands.items():
            assert [command.name for command in import_module(module).COMMANDS] == list(names)
        for module in feature.modules:
            assert callable(attribute(f"{module}:register"))
        answering = [method.by for method in feature.methods.values() if method.by]
        for place in (*answering, *feature.pages.values(), *feature.extends.values()):
            assert asyncio.iscoroutinefunction(attribute(place)) or place in feature.extends.values()
        assert set(feature.programs) <= {name for names in feature.commands.values() for name in names}


async def test_a_mistake_of_ours_is_one_sentence_and_its_inside_is_not_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server, written = make_server(SessionFactory(never, never)), Written()
    server.protocol.set_writer(written)

    @server.feature(lsp.TEXT_DOCUMENT_MONIKER)
    async def moniker(_: lsp.MonikerParams) -> None:
        raise RuntimeError(INSIDE)

    @server.feature(lsp.TEXT_DOCUMENT_WILL_SAVE)
    async def will_save(_: lsp.WillSaveTextDocumentParams) -> None:
        raise RuntimeError(INSIDE)

    def say(method: str, params: Any, **more: Any) -> None:
        server.protocol.inbox.receive(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        )

    say("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, id=1)
    document = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}, "reason": 1}
    with caplog.at_level(logging.ERROR):
        say("textDocument/moniker", document, id=2)
        say("textDocument/willSave", document)
        while (
            not (answers := [m for m in written.messages if m.get("id") == 2])
            or not written.shown()
            or "FeatureNotificationError" not in caplog.text  # nobody answers a notification
        ):
            await asyncio.sleep(0.01)
    error = answers[0]["error"]
    assert error == {"code": -32603, "message": "Palimpsest made a mistake of its own; what happened is in its log."}
    assert [text for text in written.shown() if INSIDE not in text] == written.shown(), (
        "building the session failed too"
    )
    assert caplog.text.count(f"RuntimeError: {INSIDE}") >= 2
    assert "will_save" in caplog.text, "the log says where"


async def test_a_server_ends_while_a_feature_is_imported(
    machine: dict[str, str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a slow disk that takes seconds; the editor does not wait."""
    editor = await start_editor(shop, PATIENT)
    begun, goes_on = threading.Event(), threading.Event()

    def slowly(name: str) -> ModuleType:
        begun.set()
        goes_on.wait()
        return import_module(name)

    # no door: how slow the disk is
    monkeypatch.setattr(loading, "import_module", slowly)
    asked = asyncio.ensure_future(editor.command("palimpsest.conversation.list"))
    try:
        await asyncio.to_thread(begun.wait)
        await stop_editor(editor)  # fails where the server leaves something behind
    finally:
        goes_on.set()
        asked.cancel()


async def test_shutdown_is_answered_where_the_end_takes_long(
    machine: dict[str, str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor ends a server that does not answer, in the middle of whatever it does."""
    editor = await start_editor(shop, PATIENT)
    await editor.ready()
    released, end = threading.Event(), Session.aclose

    async def slowly(session: Session) -> None:
        await asyncio.to_thread(released.wait)
        await end(session)

    # no door: how long a window takes to close
    monkeypatch.setattr(Session, "aclose", slowly)
    try:
        await editor.client.shutdown_session()
    finally:
        released.set()
        await editor.client.stop()
