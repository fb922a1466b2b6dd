"""An installation without the packages of conversations and agents: all else works, and none of theirs is announced."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import palimpsest
from tests.e2e.raw import Raw

LEFT_OUT = ("conversations", "agents")
THEIRS = ("ask", "conversation.", "fd.", "refs.", "fork.", "checkpoint.", "temp_file.", "permissions.")
SHOP = "def price(item):\n    return item.price\n\n\ndef total(items):\n    return sum(price(item) for item in items)\n"
NOTES = "# Notes\n\nSee [[other]].\n"


def installed(folder: Path) -> dict[str, str]:
    """The environment in which Python finds a copy of the package without them."""
    ignored = shutil.ignore_patterns("__pycache__", *LEFT_OUT)
    shutil.copytree(Path(palimpsest.__file__).parent, folder / "palimpsest", ignore=ignored)
    return {"PYTHONPATH": str(folder)}


async def test_a_server_without_conversations_announces_none_and_does_all_else(tmp_path: Path) -> None:
    environment, shop = installed(tmp_path / "installed"), tmp_path / "shop"
    shop.mkdir()
    (shop / "shop.py").write_text(SHOP, encoding="utf-8")
    (shop / "notes.md").write_text(NOTES, encoding="utf-8")
    (shop / "other.md").write_text("# Other\n", encoding="utf-8")
    raw = await Raw.start(environment=environment)
    try:
        capabilities = await raw.begin(shop, options={"engine": {"kind": "none"}})
        commands = [name.removeprefix("palimpsest.") for name in capabilities["executeCommandProvider"]["commands"]]
        assert [name for name in commands if name.startswith(THEIRS)] == []
        assert {"suggest", "context.show", "documents.open"} <= set(commands)
        assert "codeLensProvider" not in capabilities
        uri, notes = await raw.open(shop / "shop.py"), await raw.open(shop / "notes.md")
        assert await raw.complete(uri, 5, 10) == [], "there is no engine, and that is no error"
        shown = await raw.command("palimpsest.context.show", {"uri": uri, "position": {"line": 5, "character": 4}})
        assert "def price" in shown["result"]["prompt"]
        at = {"textDocument": {"uri": notes}, "position": {"line": 2, "character": 8}}
        assert (await raw.request("textDocument/definition", at))["result"][0]["uri"].endswith("/other.md")
        actions = {"textDocument": {"uri": uri}, "range": {"start": at["position"], "end": at["position"]}}
        found = await raw.request("textDocument/codeAction", {**actions, "context": {"diagnostics": []}})
        assert [one["kind"] for one in found["result"]] == ["refactor.rewrite.palimpsest"]
        usage = await raw.command("palimpsest.context.usage", {"conversation": "c-00000000"})
        assert "no conversations in this installation" in usage["error"]["message"]
        missing = await raw.command("palimpsest.ask", {"text": "hello"})
        assert "there is no 'palimpsest.ask'" in missing["error"]["message"]
        await raw.leave()
    finally:
        await raw.stop()
    assert b"Traceback" not in raw.errors


def test_the_commands_of_agents_say_that_they_are_not_there(tmp_path: Path) -> None:
    environment = {**os.environ, **installed(tmp_path / "installed")}
    for command in ("mcp", "acp"):
        ended = subprocess.run(
            [sys.executable, "-m", "palimpsest", command], env=environment, capture_output=True, text=True, timeout=60
        )
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == f"palimpsest {command}: this installation has no agents; the usual one has them.\n"
    listed = subprocess.run(
        [sys.executable, "-m", "palimpsest", "--help"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert listed.returncode == 0
    assert "doctor" in listed.stdout
