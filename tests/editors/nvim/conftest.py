"""Our plugin for Neovim, in Neovim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.editors.conftest import Neovim

PLUGIN = ROOT / "clients" / "nvim"
WITH_PLUGIN = f"vim.opt.runtimepath:prepend([[{PLUGIN}]])\nvim.opt.swapfile = false\n"
WITHOUT_ENGINE = "vim.g.palimpsest = { engine = { kind = 'none' } }\n"
GHOST = """
for _, name in ipairs({ 'nvim.lsp.inline_completion', 'palimpsest.ghost' }) do
  local space = vim.api.nvim_get_namespaces()[name]
  for _, mark in ipairs(space and vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }) or {}) do
    local text = {}
    for _, part in ipairs(mark[4].virt_text or {}) do
      if part[2] ~= 'PalimpsestHint' then table.insert(text, part[1]) end
    end
    for _, line in ipairs(mark[4].virt_lines or {}) do table.insert(text, '\\n' .. line[1][1]) end
    return { name, table.concat(text) }
  end
end
return nil
"""
READY = "return require('palimpsest.state').status.kind == 'Normal'"
ATTACHED = "return require('palimpsest.client').get(0) ~= nil"


class Plugged(Neovim):
    """One with the plugin."""

    def ready(self) -> None:
        self.until(READY)

    def ghost(self) -> str:
        """The grey text, as soon as there is one."""
        text: str = self.until(f"return (function() {GHOST} end)()")[1]
        return text

    def ghost_now(self) -> list[str] | None:
        shown: list[str] | None = self.lua(GHOST)
        return shown

    @property
    def line(self) -> str:
        line: str = self.lua("return vim.api.nvim_get_current_line()")
        return line


Start = Callable[..., Plugged]


@pytest.fixture
def start(editors: Path, folder: Path) -> Iterator[Start]:
    opened: list[Plugged] = []

    def begin(init: str = "", file: str = "shop/cart.py", program: Path | None = None) -> Plugged:
        editor = Plugged(program or editors / "nvim", folder, WITH_PLUGIN + init, file)
        opened.append(editor)
        return editor

    yield begin
    for editor in opened:
        assert "Error" not in editor.messages().replace("[Error]", "")
        editor.close()
