"""The server is started in a workspace, as editors do: its own imports are not the workspace's modules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.raw import Raw

MODULES = ("pygls", "lsprotocol", "tree_sitter", "griffe", "httpx2", "platformdirs", "tomllib", "asyncio", "sqlite3")


async def test_modules_of_the_folder_it_is_started_in_are_not_imported(
    machine: dict[str, str],
    repository: Callable[[dict[str, Any]], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'a').write(__name__)\n"
    root = repository({f"{name}.py": code for name in MODULES} | {"a.py": "import json\n"})
    monkeypatch.chdir(root)
    raw = await Raw.start(own_process=True)
    await raw.begin(root, {"engine": {"kind": "none"}})
    uri = await raw.open(root / "a.py")
    where = {"uri": uri, "position": {"line": 0, "character": 11}}
    assert "result" in await raw.command("palimpsest.context.show", where)
    await raw.request("shutdown", None)
    await raw.notify("exit", None)
    await raw.process.wait()
    await raw.stop()
    assert not ran.exists(), ran.read_text()
