"""Next edits: drawn where they would be, jumped to, taken one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.conftest import until
from tests.editors.nvim.conftest import WITHOUT_ENGINE, Plugged, Start

pytestmark = pytest.mark.slow(part="editors")

MARKS = """
local space = vim.api.nvim_get_namespaces()['palimpsest.next_edit']
local found = { struck = {}, text = {} }
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  local row, column, details = mark[2], mark[3], mark[4]
  if details.hl_group then
    local text = vim.api.nvim_buf_get_text(0, row, column, details.end_row, details.end_col, {})
    table.insert(found.struck, table.concat(text, '\\n'))
  end
  for _, part in ipairs(details.virt_text or {}) do table.insert(found.text, part[1]) end
end
return found
"""
VISIBLE = "return require('palimpsest.next_edits').visible()"


@pytest.fixture(params=["0.12", "0.11"])
def nvim(start: Start, nvim_tools: Path, request: pytest.FixtureRequest) -> Plugged:
    editor = start(WITHOUT_ENGINE, program=nvim_tools / "nvim-0.11" if request.param == "0.11" else None)
    editor.attached()
    return editor


def test_a_renamed_method_is_followed_call_by_call_into_another_file(nvim: Plugged) -> None:
    nvim.keys("/def total<CR>wcwgrand_total<Esc>")
    nvim.until(VISIBLE)
    marks = nvim.lua(MARKS)
    assert any("grand_" in text for text in marks["text"])
    assert any("Tab →" in text or "Tab ↓" in text for text in marks["text"])
    before = nvim.lines
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('self.total') ~= nil")
    assert nvim.lines == before, "it jumps first"
    assert any("accepts" in text for text in nvim.lua(MARKS)["text"])
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('self.grand_total') ~= nil")
    nvim.until(VISIBLE)
    assert any("order.py" in text for text in nvim.lua(MARKS)["text"]), "the next one is in another file"
    nvim.keys("<Tab>")
    nvim.until("return vim.fn.expand('%:t') == 'order.py'")
    nvim.until("return vim.api.nvim_get_current_line():find('cart.total') ~= nil")
    nvim.until(VISIBLE)  # a file that was not open is asked about anew
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('cart.grand_total') ~= nil")
    nvim.keys("u")
    nvim.until("return vim.api.nvim_get_current_line():find('cart.total') ~= nil")


def test_a_dismissed_one_does_not_come_again(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    nvim.keys("/def subtotal<CR>wcwsum_of_lines<Esc>")
    nvim.until(VISIBLE)
    first = nvim.lua("return require('palimpsest.next_edits').current().id")
    nvim.keys(":Palimpsest nextEdit.dismiss<CR>")
    nvim.until(f"local now = require('palimpsest.next_edits').current() return not now or now.id ~= '{first}'")
    nvim.keys(":Palimpsest nextEdit<CR>")
    nvim.until("return vim.fn.execute('messages'):find('no next edit') ~= nil")


def test_none_is_shown_where_they_are_off_and_they_keep_quiet_while_one_types(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    nvim.count_requests()
    nvim.keys(":Palimpsest toggle nextEdit buffer off<CR>")
    nvim.until("return not require('palimpsest.switches').edits_next(0)")
    nvim.keys("/def subtotal<CR>wcwsum_of_lines<Esc>")
    nvim.lua("vim.wait(600) return true")
    assert nvim.requests("palimpsest/nextEdit") == 0
    nvim.keys(":Palimpsest toggle nextEdit buffer on<CR>")
    nvim.until("return require('palimpsest.switches').edits_next(0)")
    nvim.keys("/def total<CR>wcwgrand_total<Esc>")
    nvim.until(VISIBLE)
    nvim.keys("Ox")
    until(lambda: not nvim.lua(MARKS)["text"], nvim.messages)


def test_none_is_shown_while_a_completion_menu_is_open(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE + "vim.opt.completeopt = 'menuone,noselect'")
    nvim.attached()
    nvim.keys("/def total<CR>wcwgrand_total<Esc>")
    nvim.until(VISIBLE)
    shown = nvim.lua(MARKS)
    assert shown["text"]
    nvim.keys("a<Cmd>call complete(col('.'), ['_one', '_two'])<CR>")
    nvim.until("return vim.fn.pumvisible() == 1")
    until(lambda: nvim.lua(MARKS) == {"struck": [], "text": []}, lambda: nvim.lua(MARKS))
    nvim.keys("<C-e>")
    until(lambda: nvim.lua(MARKS) == shown, lambda: nvim.lua(MARKS))


@pytest.mark.parametrize("plugin", ["cmp", "blink.cmp"])
def test_none_is_shown_while_the_menu_of_another_plugin_is_open(start: Start, plugin: str) -> None:
    call = {"cmp": "visible", "blink.cmp": "is_visible"}[plugin]
    nvim = start(
        WITHOUT_ENGINE
        + f"""
        _G.open, _G.told = false, {{}}
        package.loaded['{plugin}'] = {{
          {call} = function() return _G.open end,
          event = {{ on = function(_, name, done) _G.told[name] = done end }},
        }}
        function _G.menu(open)
          _G.open = open
          if '{plugin}' == 'cmp' then
            _G.told[open and 'menu_opened' or 'menu_closed']()
          else
            vim.api.nvim_exec_autocmds('User', {{ pattern = open and 'BlinkCmpMenuOpen' or 'BlinkCmpMenuClose' }})
          end
        end
        """
    )
    nvim.attached()
    nvim.keys("/def total<CR>wcwgrand_total<Esc>")
    nvim.until(VISIBLE)
    shown = nvim.lua(MARKS)
    nvim.keys("a")
    nvim.lua("_G.menu(true) return true")
    until(lambda: nvim.lua(MARKS) == {"struck": [], "text": []}, lambda: nvim.lua(MARKS))
    nvim.lua("_G.menu(false) return true")
    until(lambda: nvim.lua(MARKS) == shown, lambda: nvim.lua(MARKS))
