"""How the plugin begins, what it leaves alone, and what happens when something ends."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.editors.conftest import carried, running, until
from tests.editors.nvim.conftest import PLUGIN, WITHOUT_ENGINE, Start

pytestmark = pytest.mark.slow(part="editors")

STATUSES = """
_G.statuses = {}
vim.api.nvim_create_autocmd('User', { pattern = 'PalimpsestStatus', callback = function()
  local now = require('palimpsest.status').now
  table.insert(_G.statuses, { word = now.state, kind = now.kind, message = now.message })
end })
"""
LOADED = "return vim.iter(vim.tbl_keys(package.loaded)):filter(function(n) return n:find('^palimpsest') end):totable()"


def test_an_engine_that_ends_is_said_and_comes_back(start: Start, folder: Path) -> None:
    nvim = start(STATUSES)
    nvim.ready()
    (row,) = running(folder)
    nvim.lua("_G.statuses = {} return true")
    os.kill(row["pid"], signal.SIGKILL)
    nvim.keys("/total = self.subtotal<CR>oif self.disc")
    until(lambda: any(it["word"] != "ready" for it in nvim.lua("return _G.statuses")), nvim.messages)
    nvim.until("return require('palimpsest.status').now.state == 'ready'")
    nvim.keys("<Esc>ccif self.disc")
    assert nvim.ghost()
    assert [it["pid"] for it in running(folder)] != [row["pid"]]


def test_a_server_that_ends_is_said_and_started_again(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    nvim.lua("vim.lsp.get_clients({ name = 'palimpsest' })[1].rpc.terminate() return true")
    nvim.until("return require('palimpsest.status').now.message:find('restartServer') ~= nil")
    nvim.keys(":Palimpsest status<CR>")
    nvim.until("return vim.bo.filetype == 'palimpsest-status'")
    assert any("The server" in line for line in nvim.lines)
    nvim.keys("q:Palimpsest restartServer<CR>:Palimpsest restartServer<CR>")
    nvim.attached()
    assert nvim.lua("return #vim.lsp.get_clients({ name = 'palimpsest' })") == 1


def test_nothing_is_loaded_before_the_first_file_and_what_is_only_shown_is_left_alone(
    start: Start, nvim_tools: Path
) -> None:
    nvim = start(WITHOUT_ENGINE, file="+enew", program=nvim_tools / "nvim-0.11")
    assert nvim.lua(LOADED) == []
    nvim.lua("vim.cmd.help() vim.cmd.only() return true")
    assert nvim.lua(LOADED) == []
    nvim.lua("vim.cmd.edit('shop/cart.py') return true")
    nvim.attached()
    for name in ("fugitive:///tmp/x//1/cart.py", "oil:///tmp/"):
        nvim.lua(f"vim.cmd.enew() vim.api.nvim_buf_set_name(0, '{name}') vim.bo.filetype = 'python' return true")
        assert not nvim.lua("return require('palimpsest.start').wanted(0)")
        assert nvim.lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'palimpsest' })") == 0


def test_a_second_workspace_is_a_folder_of_the_same_server(start: Start, folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "pyproject.toml").touch()
    (other / "one.py").write_text("x = 1\n")
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    nvim.keys(f":e {other}/one.py<CR>")
    nvim.until("return vim.fn.expand('%:t') == 'one.py'")
    nvim.attached()
    assert nvim.lua("return #vim.lsp.get_clients({ name = 'palimpsest' })") == 1
    assert nvim.lua("return #require('palimpsest.client').get(0).workspace_folders") == 2


@pytest.mark.parametrize("where", ["work", "work/shop"])
def test_a_home_folder_and_those_around_it_are_no_workspace(start: Start, folder: Path, where: str) -> None:
    (folder / "work" / "pyproject.toml").unlink()
    nvim = start(f"vim.env.HOME = [[{folder / where}]]\n" + WITHOUT_ENGINE)
    nvim.attached()
    assert nvim.lua("return require('palimpsest.client').get(0).root_dir == nil")


def test_nothing_of_a_workspace_is_run_unasked(start: Start, folder: Path) -> None:
    trap = folder / "work" / ".venv" / "bin" / "palimpsest"
    trap.parent.mkdir(parents=True)
    trap.write_text(f"#!/bin/sh\ntouch {folder}/run-it\n")
    trap.chmod(0o755)
    (folder / "work" / "typing.py").write_text(f"open('{folder}/run-it', 'w')\n")
    variables = f"vim.env.PATH = '.venv/bin:{trap.parent}:' .. vim.env.PATH\nvim.env.PYTHONPATH = '{folder}/work'\n"
    nvim = start(variables + WITHOUT_ENGINE)
    nvim.attached()
    assert not (folder / "run-it").exists()
    assert str(Path(sys.executable).parent) in nvim.lua("return require('palimpsest.find').found.command[1]")
    nvim.lua("require('palimpsest').setup({ server = { command = './.venv/bin/palimpsest' } }) return true")
    said = nvim.lua("local said require('palimpsest.find').server(nil, function(_, why) said = why end) return said")
    assert "give a full path" in said
    assert not (folder / "run-it").exists()


def test_without_a_server_it_says_how_to_install_one(start: Start) -> None:
    nvim = start("vim.env.PATH = '/usr/bin:/bin'")
    nvim.until("return vim.fn.execute('messages'):find(':Palimpsest install') ~= nil")
    assert nvim.lua("return require('palimpsest.status').now.state") == "off"


def test_what_is_installed_is_said_step_by_step_and_then_used(start: Start, tmp_path: Path) -> None:
    script, wheel = carried(tmp_path / "plugin")
    python = Path(getattr(sys, "_base_executable", sys.executable)).parent
    nvim = start(f"vim.env.PATH = '{python}:/usr/bin:/bin'\n" + WITHOUT_ENGINE)
    nvim.lua(f"require('palimpsest.install').parts = function() return '{script}', '{wheel}' end return true")
    nvim.keys(":Palimpsest install<CR>")
    nvim.until("return require('palimpsest.status').progress == 'Fetching an engine. (50 %)'")
    nvim.until("return vim.fn.execute('messages'):find('It is installed.', 1, true) ~= nil")
    nvim.attached()
    assert nvim.lua("return require('palimpsest.status').progress") == ""
    program = nvim.lua("return require('palimpsest.find').found.command[1]")
    assert program == nvim.lua("return require('palimpsest.find').own_folder()") + "/bin/palimpsest"


def test_checkhealth_ends_with_a_completion(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.lua("vim.cmd.checkhealth('palimpsest') return true")
    text = "\n".join(nvim.lines)
    assert "ERROR" not in text
    assert "palimpsest 0." in text
    assert "a completion on the sample workspace" in text
    assert ", from palimpsest-embedded" in text
    assert "“disc" in text, "of what the sample says is to be typed"


@pytest.mark.parametrize("version", ["0.12", "0.11"])
def test_checkhealth_of_neovims_command_line_finds_the_server_of_the_file_there(
    start: Start, nvim_tools: Path, version: str
) -> None:
    program = nvim_tools / "nvim-0.11" if version == "0.11" else None
    nvim = start(program=program, first="checkhealth palimpsest")
    text = "table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true))"
    nvim.until(f"return {text}:find('ERROR') or {text}:find('sample workspace')")
    assert "ERROR" not in "\n".join(nvim.lines)


def test_another_provider_is_said_with_what_to_switch_off(start: Start) -> None:
    nvim = start("vim.api.nvim_create_user_command('Minuet', '', {})\n" + WITHOUT_ENGINE)
    nvim.attached()
    nvim.until("return vim.fn.execute('messages'):find('minuet completes here, too') ~= nil")
    assert ":Minuet virtualtext disable" in nvim.messages()
    assert 'completion = { trigger = "manual" }' in nvim.messages(), "our own, by the name that the setting has"


def test_the_sample_says_what_to_type(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.lua("vim.cmd('Palimpsest sample') return true")
    nvim.until("return vim.fn.execute('messages'):find('type o, then `if self.disc`', 1, true) ~= nil")
    assert nvim.lua("return vim.api.nvim_get_current_line()") == "        total = self.subtotal()"


def test_wrong_settings_are_named(start: Start) -> None:
    nvim = start("vim.g.palimpsest = { engine = { kind = 'none' }, key = {}, inline = { colour = 1 } }")
    nvim.attached()
    nvim.until("return vim.fn.execute('messages'):find('no setting `key`') ~= nil")
    nvim.until("return vim.fn.execute('messages'):find('no setting `inline.colour`') ~= nil")


def test_the_manual_and_the_defaults_have_the_same_settings(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    manual = (PLUGIN / "doc" / "palimpsest.txt").read_text("utf-8")
    names = "vim.tbl_map(function(it) return it.name end, require('palimpsest.generated').settings)"
    generated = set(nvim.lua(f"return {names}"))
    defaults = nvim.lua(
        "local d = vim.deepcopy(require('palimpsest.config').defaults) d.keys, d.chat_keys = true, true return d"
    )
    for section, value in defaults.items():
        inner = [f"{section}.{name}" for name in value] if isinstance(value, dict) else [section]
        assert all(name in generated or f"`{name}`" in manual for name in inner), inner


def test_what_pipx_or_uv_installed_is_found_where_path_lacks_it(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    home = Path(nvim.lua("return vim.uv.os_homedir()"))
    program = home / ".local" / "bin" / "palimpsest"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho palimpsest 1.2.3\n")
    program.chmod(0o755)
    nvim.lua("vim.env.PATH = '/nowhere' return true")
    nvim.lua("require('palimpsest.find').server(nil, function(it) _G.found = it end) return true")
    nvim.until("return _G.found ~= nil")
    assert nvim.lua("return { _G.found.command[1], _G.found.version }") == [str(program), "palimpsest 1.2.3"]
    nvim.lua("_G.found, _G.asked = nil, false return true")
    found = "function(it) _G.found, _G.asked = it, true end"
    nvim.lua(f"require('palimpsest.find').server([[{home}]], {found}) return true")
    nvim.until("return _G.asked")
    assert nvim.lua("return _G.found == nil"), "a workspace's program is not run"
