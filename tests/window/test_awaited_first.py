"""What somebody waits for goes before what a pause would prepare."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from palimpsest.app import build_session
from palimpsest.config.layers import merged
from palimpsest.lsp.report import Report
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.events import DocumentOpened, RefreshNeeded
from palimpsest.window.pause import IDLE_S


class Quiet:
    """Nobody is told anything."""

    def show_status(self, status: object) -> None: ...


async def test_nothing_is_gathered_while_a_completion_is_awaited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME"):
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))
    settings, problems = merged([{"engine": {"kind": "none"}}])
    assert not problems
    session = build_session(settings, (tmp_path,), cast(Report, Quiet()))
    try:
        uri = to_uri(tmp_path / "a.py")
        session.events.emit(DocumentOpened(Snapshot(uri, 1, "python", "x = 1\n")))
        answered, gathered = asyncio.Event(), list[object]()

        async def slow(*_: object, **__: object) -> None:
            await answered.wait()

        def choose(view: object, **_: object) -> list[Any]:
            gathered.append(view)
            return []

        # no door: no engine is as slow as this, and what is gathered meanwhile shows in time only
        monkeypatch.setattr(session.completions, "at", slow)
        monkeypatch.setattr(session.services.chooser, "choose", choose)
        waiting = asyncio.create_task(session.completions.complete(uri, Position(0, 5)))
        await asyncio.sleep(0)
        session.events.emit(RefreshNeeded())
        await asyncio.sleep(4 * IDLE_S)
        assert not gathered
        answered.set()
        await waiting
        for _ in range(200):
            if gathered:
                break
            await asyncio.sleep(0.05)
        assert gathered, "it is put off, not left out"
    finally:
        await session.aclose()
