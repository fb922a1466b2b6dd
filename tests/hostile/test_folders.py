"""Folders of the user's that cannot be made: what would be kept there is not kept, and everything else works."""

import os
from pathlib import Path

import pytest

from palimpsest.system import folders
from tests.e2e.conftest import start_editor, stop_editor


@pytest.mark.parametrize("names", [("XDG_CACHE_HOME",), ("XDG_CACHE_HOME", "XDG_STATE_HOME")])
async def test_a_file_in_the_place_of_a_folder_stops_nothing(
    machine: dict[str, str], shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("", encoding="utf-8")
    for name in names:
        monkeypatch.setenv(name, str(in_the_way))
    editor = await start_editor(shop)
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.sub$0\n")
        await editor.settled(uri, position)
        assert await editor.complete(uri, position, invoked=True)
        assert await editor.command("palimpsest.stats")
    finally:
        await stop_editor(editor)


async def test_a_pipe_in_the_place_of_the_log_keeps_nobody_waiting(
    machine: dict[str, str], shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    os.mkfifo(folders.logs() / "server.log")
    editor = await start_editor(shop)
    try:
        await editor.ready()
    finally:
        await stop_editor(editor)
