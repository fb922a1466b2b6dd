"""What a person is told where there is no engine, in an editor that shows messages and knows nothing of our status."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest.models.files import embedded
from tests.installing import without_library

from .conftest import Editor, engine_pids, start_editor, stop_editor, told, until


def configure(editor: Editor, own: dict[str, Any]) -> None:
    settings = lsp.DidChangeConfigurationParams(settings={"palimpsest": own})
    editor.client.workspace_did_change_configuration(settings)


async def test_a_missing_and_a_cut_model_are_told_once_each(shop: Path) -> None:
    whole = embedded().read_bytes()
    (shop / "cut.gguf").write_bytes(whole[: len(whole) // 2])
    editor = await start_editor(shop, {"model": {"path": str(shop / "none.gguf")}})
    try:
        await until(lambda: told(editor))
        assert "none.gguf" in told(editor)[0]
        assert "palimpsest.restartEngine" in told(editor)[0]
        uri = editor.open("shop/cart.py")
        assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
        configure(editor, {"model": {"path": str(shop / "cut.gguf")}})
        await until(lambda: len(told(editor)) > 1)
        assert "cut.gguf" in told(editor)[1]
        await editor.command("palimpsest.restartEngine")  # who asks hears what comes of it
        await until(lambda: len(told(editor)) > 2)
        assert "cut.gguf" in told(editor)[2]
        configure(editor, {"model": {"path": str(embedded())}})
        await editor.ready()
        assert len(told(editor)) == 3
    finally:
        await stop_editor(editor)


async def test_a_missing_library_is_told_with_the_command_that_gets_one(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in without_library(tmp_path).items():
        monkeypatch.setenv(name, value)
    editor = await start_editor(shop, {"engine": {"n_ctx": 1152}})  # no engine of another test
    try:
        await until(lambda: told(editor))
        (message,) = told(editor)
        assert "palimpsest engine get" in message
        assert "palimpsest.restartEngine" in message
    finally:
        await stop_editor(editor)


async def test_an_engine_elsewhere_that_stays_away_is_told_once(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"kind": "llama-server", "url": "http://127.0.0.1:9", "retries": 0}})
    try:
        await until(lambda: told(editor))
        for _ in range(3):  # it is looked for again meanwhile, and the status says so
            seen = len(editor.statuses)
            await editor.command("palimpsest.completion.toggle", {"scope": "everywhere"})
            await until(lambda seen=seen: len(editor.statuses) >= seen)
        (message,) = told(editor)
        assert "127.0.0.1:9 does not answer" in message
        assert "palimpsest.restartEngine" in message
    finally:
        await stop_editor(editor)


async def test_an_engine_that_dies_is_told_when_it_is_given_up_and_not_before(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"n_ctx": 1280}})  # an engine that no other test has
    try:
        killed: set[int] = set()
        for _ in range(3):
            await until(lambda: editor.status.get("kind") == "Normal" and new_engine(killed))
            assert told(editor) == []
            pid = new_engine(killed)
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)
            await until(lambda: editor.status.get("kind") != "Normal")
        await until(lambda: told(editor))
        (message,) = told(editor)
        assert "died 3 times" in message
        assert "The next try is at" in message
    finally:
        await stop_editor(editor)


def new_engine(known: set[int]) -> int:
    """The process of the engine with this test's settings that runs now, 0 for none."""
    for pid in engine_pids() - known:
        line = Path(f"/proc/{pid}/cmdline")
        if line.exists() and b'"n_ctx": 1280' in line.read_bytes():
            return pid
    return 0
