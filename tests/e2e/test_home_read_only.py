"""A home in which nothing can be written: a container, a kiosk."""

from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from .conftest import PATIENT, start_editor, stop_editor

HOMES = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")


async def test_there_is_an_engine_and_what_is_not_kept_is_said_in_words(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below a file no folder can be made, not even by an administrator."""
    home = tmp_path / "home"
    home.write_text("", encoding="utf-8")
    for name in HOMES:
        monkeypatch.setenv(name, str(home / name))
    settings = {**PATIENT, "engine": {"n_ctx": 1024}}  # no other test's engine
    editor = await start_editor(shop, settings, own_process=True)
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.$0\n")
        assert await editor.complete(uri, position, invoked=True)
        assert (await editor.command("palimpsest.log", {}))["path"].startswith(str(home))
        assert (await editor.command("palimpsest.model.list", {}))["models"]
        looked = await editor.command("palimpsest.doctor", {})
        assert looked["ok"]
        assert [row["name"] for row in looked["rows"] if not row["ok"]] == ["folders", "index"], looked["text"]
        for command in ("palimpsest.sample", "palimpsest.conversation.new"):
            with pytest.raises(JsonRpcException, match="Not a directory") as said:
                await editor.command(command, {})
            assert "Errno" not in str(said.value)
    finally:
        await stop_editor(editor)
