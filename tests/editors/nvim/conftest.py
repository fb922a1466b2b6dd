"""Our plugin for Neovim, in Neovim."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.documents import ROOT
from tests.editors.answers import NOTHING, command, tell
from tests.editors.conftest import SAMPLE, Neovim, environment, running, until
from tests.installing import NotHere, installed

PLUGIN = ROOT / "clients" / "nvim"
WITH_PLUGIN = f"vim.opt.runtimepath:prepend([[{PLUGIN}]])\nvim.opt.swapfile = false\n"
PATIENT = """
local own = { completion = { confidence = "all", first_ms = 20000, time_ms = 20000 } }
vim.g.palimpsest = vim.tbl_deep_extend('keep', vim.g.palimpsest or {}, own)
"""
"""On a busy machine, too, a completion is whole, and those that are asked for are several."""
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
READY = "return require('palimpsest.status').now.kind == 'Normal'"
CURRENT = "return require('palimpsest.next_edits').current() ~= nil"
ATTACHED = "return require('palimpsest.client').get(0) ~= nil"


class Plugged(Neovim):
    """One with the plugin."""

    def ready(self) -> None:
        self.until(READY)

    def attached(self) -> None:
        self.until(ATTACHED)

    def count_requests(self) -> None:
        """From now on, `requests(method)` says how many were sent."""
        self.lua("""
          _G.sent = {}
          vim.api.nvim_create_autocmd('LspRequest', { callback = function(event)
            local request = event.data.request
            if request.type == 'pending' then
              _G.sent[request.method] = (_G.sent[request.method] or 0) + 1
            end
          end })
          return true
        """)

    def requests(self, method: str) -> int:
        n: int = self.lua(f"return _G.sent['{method}'] or 0")
        return n

    def text_of(self, page: str) -> str:
        """What a page of the server's shows; empty where it is not open."""
        text: str = self.lua(f"""
          local view = require('palimpsest.pages').current('{page}')
          if not view or not vim.api.nvim_buf_is_valid(view.buffer) then return '' end
          return table.concat(vim.api.nvim_buf_get_lines(view.buffer, 0, -1, true), '\\n')
        """)
        return text

    def command(self, name: str, argument: str = "vim.empty_dict()") -> Any:
        """What the server answers; `argument` in Lua."""
        params = f"{{ command = '{name}', arguments = {{ {argument} }} }}"
        code = f"""
          local client = require('palimpsest.client').get()
          local answer = client:request_sync('workspace/executeCommand', {params}, 60000, 0)
          return answer and (answer.result or answer.err)
        """
        return self.lua(code)

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


@pytest.fixture(scope="session")
def nvim_tools() -> Path:
    """The folder with Neovim 0.11, luacheck and stylua; without them the tests that want them cannot be run."""
    try:
        return installed("nvim_tools.sh") / "bin"
    except NotHere as why:
        pytest.skip(f"Neovim 0.11, luacheck and stylua cannot be installed here: {why}")


@pytest.fixture(scope="module")
def engines() -> Iterator[Path]:
    """Where the engine of all tests of a file is met: it starts once."""
    path = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))
    for name in ("run", "home", "config"):
        (path / name).mkdir()
    yield path
    stop_engines(path)
    shutil.rmtree(path)


def stop_engines(folder: Path) -> None:
    for row in running(folder):
        command = [sys.executable, "-P", "-m", "palimpsest", "engine", "--stop", row["name"]]
        subprocess.run(command, env=environment(folder), check=False, stdout=subprocess.DEVNULL)


@pytest.fixture
def folder(engines: Path) -> Iterator[Path]:
    """Of this test's own, with the sample workspace in it."""
    path = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))
    shutil.copytree(SAMPLE, path / "work", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("home", "config"):
        (path / name).mkdir()
    (path / "run").symlink_to(engines / "run")
    yield path
    # a server that just lost its editor may still be writing
    until(lambda: shutil.rmtree(path, ignore_errors=True) or not path.exists(), lambda: path)


Start = Callable[..., Plugged]


@pytest.fixture
def start(editors: Path, folder: Path) -> Iterator[Start]:
    opened: list[Plugged] = []

    def begin(init: str = "", file: str = "shop/cart.py", program: Path | None = None, first: str = "") -> Plugged:
        arguments = [file, f"+{first}"] if first else [file]
        editor = Plugged(program or editors / "nvim", folder, WITH_PLUGIN + init + PATIENT, *arguments)
        opened.append(editor)
        return editor

    yield begin
    for editor in opened:
        assert "Error" not in editor.messages().replace("[Error]", "")
        editor.close()


# A server that answers what a test says -----------------------------------------------------------------------

Begin = Callable[..., Plugged]


@pytest.fixture
def begin(start: Start, folder: Path) -> Begin:
    """Neovim on three lines, or on this text in this file, with a server that answers so."""

    def opened(
        text: str = "one\ntwo\nthree\n", file: str = "a.py", program: Path | None = None, init: str = "", **answers: Any
    ) -> Plugged:
        path = folder / "work" / file
        path.write_bytes(text.encode())
        answers.setdefault("palimpsest__nextEdit__accept", NOTHING)
        tell(folder, **answers)
        words = ", ".join(f"[[{word}]]" for word in command(folder))
        own = f"vim.g.palimpsest = {{ server = {{ command = {{ {words} }} }}, next_edits = {{ delay = 30 }} }}\n"
        nvim = start(own + init, file, program)
        nvim.attached()
        return nvim

    return opened


def run(nvim: Plugged, code: str) -> None:
    nvim.lua(f"{code}\nreturn true")


def ask(nvim: Plugged) -> None:
    run(nvim, "require('palimpsest.next_edits').take()")
    nvim.until(CURRENT)
