"""The language server with an engine of another make: a real llama-server, under both of its protocols."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.providers.conftest import EMBEDDED
from tests.providers.peer import Peer

from .conftest import Editor, engine_pids, start_editor, stop_editor

KEY = "s3cret-key"


@pytest.fixture
def peer() -> Iterator[Peer]:
    it = Peer(EMBEDDED, "--api-key", KEY, n_ctx=8192)
    yield it
    it.kill()


@pytest.fixture(params=["llama-server", "openai"])
async def window(
    request: pytest.FixtureRequest, machine: dict[str, str], shop: Path, peer: Peer
) -> AsyncIterator[Editor]:
    engine = {"kind": request.param, "url": peer.url, "api_key": KEY}
    it = await start_editor(shop, {"engine": engine, "completion": {"time_ms": 20_000}}, own_process=True)
    await it.ready()
    yield it
    await stop_editor(it)


async def test_a_window_completes_and_edits_and_outlives_the_servers_end(
    window: Editor, peer: Peer, machine: dict[str, str]
) -> None:
    engines = engine_pids()
    uri = window.open("shop/cart.py")
    position = window.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.weig$0\n")
    shown = await window.settled(uri, position)
    assert shown["blocks"]
    await window.complete(uri, position)
    before = await window.stats()
    assert before["decoded"] + before["warmed"] > 300, (
        "the blocks, and the code at the cursor on a pause or for the key"
    )
    for letters in ("weigq", "weigqz"):  # nothing that was shown
        position = window.edit(uri, f"if self.{letters[:-1]}", f"if self.{letters}")
        await window.complete(uri, position)
    after = await window.stats()
    assert after["generated"] > before["generated"]
    assert after["decoded"] - before["decoded"] <= 16

    params = lsp.CodeActionParams(
        text_document=lsp.TextDocumentIdentifier(uri),
        range=lsp.Range(position, position),
        context=lsp.CodeActionContext(diagnostics=[]),
    )
    actions = await window.client.text_document_code_action_async(params)
    assert actions
    answer = await window.command(
        "palimpsest.suggest", {"uri": uri, "position": {"line": position.line, "character": position.character}}
    )
    assert answer["suggestions"] or answer["refused"]
    info = await window.command("palimpsest.model.info")
    assert peer.url in info["backend"]
    assert info["in_place"] is False
    spans = (await window.command("palimpsest.cache.map"))["spans"]
    assert {span["state"] for span in spans} == {"header", "attached", "footer"}

    peer.kill()
    assert await window.complete(uri, window.at(uri, "total = self.subtotal()")) == []
    await until(window, "Warning", f"The engine at {peer.url} does not answer; trying again.")
    peer.start()
    await until(window, "Normal")
    position = window.edit(uri, "if self.weigqz", "if self.weight")
    assert (await window.settled(uri, position))["blocks"]
    await window.command("palimpsest.cache.reset")
    await window.command("palimpsest.restartEngine")
    await window.ready()
    assert engine_pids() <= engines, "an engine of ours was started"
    said = " ".join(message.message for message in window.client.messages)
    assert KEY not in said + str(window.statuses)
    log = Path(machine["XDG_STATE_HOME"]) / "palimpsest" / "log" / "server.log"
    assert KEY not in log.read_text(encoding="utf-8")


async def until(window: Editor, kind: str, message: str = "") -> None:
    for _ in range(1200):
        if window.status.get("kind") == kind and message in ("", window.status["message"]):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"it never came to {kind}: {window.status}")


def test_doctor_looks_at_the_server_that_is_set(tmp_path: Path, peer: Peer) -> None:
    folder = tmp_path / "palimpsest"
    folder.mkdir()
    (folder / "palimpsest.toml").write_text(f'[engine]\nkind = "llama-server"\nurl = "{peer.url}"\n')
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "PALIMPSEST_API_KEY": KEY}
    command = [sys.executable, "-m", "palimpsest", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["engine.url"]["ok"]
    assert peer.url in checks["backend"]["detail"]
    assert "llama.cpp" not in checks
    assert KEY not in done.stdout + done.stderr


async def test_a_workspaces_file_sends_code_nowhere(machine: dict[str, str], shop: Path, peer: Peer) -> None:
    text = f'[engine]\nkind = "openai"\nurl = "{peer.url}"\napi_key_env = "HOME"\napi_key = "mine"\n'
    (shop / "palimpsest.toml").write_text(text)
    window = await start_editor(shop)
    try:
        await window.ready()
        info = await window.command("palimpsest.model.info")
        assert info["in_place"] is True
        assert peer.url not in info["backend"]
        said = [message.message for message in window.client.messages]
        for name in ("engine.kind", "engine.url", "engine.api_key_env", "engine.api_key"):
            assert any(f"{name}:" in message for message in said), said
        assert not any("mine" in message for message in said)
    finally:
        await stop_editor(window)
