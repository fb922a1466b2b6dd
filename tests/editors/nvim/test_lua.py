"""The plugin's Lua is formatted and has nothing that luacheck finds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.editors.nvim.conftest import PLUGIN

FILES = sorted(str(path.relative_to(PLUGIN)) for path in PLUGIN.rglob("*.lua"))


@pytest.mark.parametrize("check", [["luacheck", "--no-color", "-q"], ["stylua", "--check"]], ids=lambda check: check[0])
def test_the_plugin_is_in_order(nvim_tools: Path, check: list[str]) -> None:
    command = [str(nvim_tools / check[0]), *check[1:], *FILES]
    done = subprocess.run(command, cwd=PLUGIN, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_small() -> None:
    long = {name: n for name in FILES if (n := len((PLUGIN / name).read_text("utf-8").splitlines())) > 250}
    assert set(long) <= {"lua/palimpsest/generated.lua"}
