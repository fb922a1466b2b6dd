"""An engine's process is stopped while a person works: the command that restarts it, and a window that closes."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from .conftest import engine_pids, start_editor, stop_editor, until

SETTINGS = {"engine": {"n_ctx": 1664}}  # an engine that no other test has


def engines() -> set[int]:
    """Processes of engines with these settings; one that ended may still be waiting to be collected."""
    found = set()
    for pid in engine_pids():
        with suppress(OSError):
            if b'"n_ctx": 1664' in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.add(pid)
    return found


@pytest.mark.slow(part="storms")
async def test_restart_ends_it_for_two_windows_and_they_share_the_new_one(shop: Path) -> None:
    one, other = await start_editor(shop, SETTINGS), await start_editor(shop, SETTINGS)
    try:
        await one.ready()
        await other.ready()
        (pid,) = engines()
        os.kill(pid, signal.SIGSTOP)
        await asyncio.gather(one.command("palimpsest.restartEngine"), other.command("palimpsest.restartEngine"))
        await until(lambda: engines() and pid not in engines())
        await one.ready()
        await other.ready()
        await until(lambda: len(engines()) == 1)  # a second one that was started too leaves by itself
        uri = one.open("shop/cart.py")
        await one.settled(uri, one.at(uri, "total = self."))
    finally:
        await stop_editor(one)
        await stop_editor(other)


@pytest.mark.slow(part="storms")
async def test_a_window_closes_while_it_hangs(shop: Path) -> None:
    editor = await start_editor(shop, SETTINGS)
    await editor.ready()
    (pid,) = engines()
    os.kill(pid, signal.SIGSTOP)
    try:
        await editor.client.shutdown_session()
        assert engines() == {pid}, "and not because it was ended"
    finally:
        os.kill(pid, signal.SIGCONT)
        await editor.client.stop()
