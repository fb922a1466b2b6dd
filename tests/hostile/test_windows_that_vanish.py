"""Editor windows that end without a word leave nothing in the engine that other windows share."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from tests.e2e.conftest import Editor, start_editor, stop_editor

SETTINGS = {"engine": {"n_ctx": 3072}}  # an engine of this file's own, with room for both windows
WAYS = ("SIGKILL", "SIGTERM", "end of input", "closed behind shutdown")


async def opened(shop: Path) -> Editor:
    """A window that has shown a completion."""
    editor = await start_editor(shop, SETTINGS, own_process=True)
    await editor.ready()
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
    await editor.settled(uri, position)
    async with asyncio.timeout(60):
        assert await editor.complete(uri, position)
    return editor


async def vanish(editor: Editor, way: str) -> None:
    process = editor.client.process
    assert process.stdin is not None
    if way.startswith("SIG"):
        os.kill(editor.pid, signal.Signals[way])
    else:
        if way == "closed behind shutdown":
            process.stdin.write(b'Content-Length: 46\r\n\r\n{"jsonrpc":"2.0","id":"x","method":"shutdown"}')
        process.stdin.close()
    await process.wait()
    with suppress(Exception):
        await editor.client.stop()


@pytest.mark.slow(part="storms")
async def test_windows_that_vanish_give_their_cells_back(machine: dict[str, str], shop: Path) -> None:
    others = set(folders.runtime().glob("engine-*.sock"))
    stays = await opened(shop)
    (place,) = set(folders.runtime().glob("engine-*.sock")) - others
    engine = InPlaceEngine.at(Address(place))
    alone = (await engine.cache_map("nobody")).used_cells
    for way in WAYS:
        leaves = await opened(shop)
        assert (await engine.cache_map("nobody")).used_cells > alone
        await vanish(leaves, way)
        while (await engine.cache_map("nobody")).used_cells > alone:
            await asyncio.sleep(0.1)
    await engine.aclose()
    await stop_editor(stays)
