"""A part of the server that cannot be imported, or only slowly: the person is told, and an editor can leave."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.installing import before_all

from .raw import Raw


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: dict[str, str]) -> Path:
    """A folder whose modules go before the installed ones."""
    folder = tmp_path / "modules"
    folder.mkdir()
    for name, value in before_all(folder).items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.mark.parametrize(
    ("code", "said"), [("raise ImportError('no _sqlite3')", "no _sqlite3"), ("raise SystemExit(3)", "SystemExit(3)")]
)
async def test_what_cannot_be_imported_is_named_and_requests_are_refused(
    broken: Path, shop: Path, code: str, said: str
) -> None:
    (broken / "sqlite3.py").write_text(code, encoding="utf-8")
    raw = await Raw.start(own_process=True)
    await raw.begin(shop)
    uri = await raw.open(shop / "shop" / "cart.py")
    await raw.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    answer = await raw.command("palimpsest.stats")
    assert said in answer["error"]["message"]
    assert said in (await raw.notified("window/showMessage"))["params"]["message"]
    await raw.leave()
    assert raw.process.returncode == 0
    assert len(raw.shown) == 1
    assert b"KeyError" not in raw.errors
    assert b"AssertionError" not in raw.errors


async def test_what_only_conversations_import_is_missed_by_them_alone(broken: Path, shop: Path) -> None:
    (broken / "re2.py").write_text("raise ImportError('no libre2')", encoding="utf-8")
    raw = await Raw.start(own_process=True)
    await raw.begin(shop, options={"engine": {"kind": "none"}})
    for _ in range(2):
        answer = await raw.command("palimpsest.conversation.list")
        assert answer["error"]["message"] == "A part of Palimpsest cannot be imported here: no libre2."
    assert "result" in await raw.command("palimpsest.stats")
    await raw.leave()


async def test_an_editor_leaves_while_a_slow_disk_is_read(broken: Path, shop: Path) -> None:
    reading = broken / "reading"
    code = f"import pathlib, time; pathlib.Path({str(reading)!r}).touch(); time.sleep(600)"
    (broken / "httpx2.py").write_text(code, encoding="utf-8")
    raw = await Raw.start(own_process=True)
    await raw.begin(shop)
    await raw.open(shop / "shop" / "cart.py")
    waiting = await raw.ask("workspace/executeCommand", {"command": "palimpsest.stats"})
    while not reading.exists():
        await asyncio.sleep(0.01)
    await raw.leave()
    assert raw.process.returncode == 0
    assert "shutting down" in (await raw.answer(waiting))["error"]["message"]
    assert raw.errors == b""
