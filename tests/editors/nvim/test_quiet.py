"""When nothing is asked for or shown by itself, and the cursor behind what was accepted."""

from __future__ import annotations

import pytest

from tests.editors.conftest import until
from tests.editors.nvim.conftest import Start
from tests.editors.nvim.test_completions import INLINE, NATIVE, SLOW, TYPED

SNOOZED = "return require('palimpsest').statusline():find('snoozed %d+ min') ~= nil"


def test_what_is_shown_is_grey_in_a_terminal_with_256_colours_too(start: Start) -> None:
    """Neovim's own colours give NonText, which its completions link to, none for these terminals."""
    nvim = start("vim.o.termguicolors = false")
    for group in ("PalimpsestGhost", "PalimpsestHint", "PalimpsestDim"):
        shown = f"vim.api.nvim_get_hl(0, {{ name = '{group}', link = false }})"
        assert nvim.lua(f"local it = {shown} return it.ctermfg ~= nil or next(it.cterm or {{}}) ~= nil"), group
    nvim.keys(":highlight PalimpsestGhost ctermfg=red<CR>:colorscheme habamax<CR>")
    assert nvim.lua("return vim.api.nvim_get_hl(0, { name = 'PalimpsestHint', link = false }).ctermfg ~= nil")


@SLOW
@pytest.mark.parametrize("backend", ["own", "native"])
def test_right_behind_an_undo_or_redo_nothing_is_asked_for(start: Start, backend: str) -> None:
    nvim = start(NATIVE if backend == "native" else "")
    nvim.ready()
    nvim.count_requests()
    nvim.keys(TYPED)
    nvim.ghost()
    before = nvim.line
    for keys in ("<Esc>uA", "<Esc><C-r>A", "<C-o>u", "<Cmd>redo<CR>"):
        nvim.keys(keys)
        nvim.lua("vim.wait(100) return true")
        sent = nvim.requests(INLINE)
        nvim.lua("vim.wait(500) return true")
        assert nvim.requests(INLINE) == sent == 1, keys
        assert nvim.ghost_now() is None
    assert before in nvim.lines
    nvim.keys("<Esc>/while self.disc$<CR>A<BS>c")
    nvim.ghost()


def test_behind_what_was_accepted_tab_goes_behind_what_closes(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys("/total = self.subtotal<CR>oprint([self.disc]);<Esc>2hi")
    before = nvim.ghost() and nvim.line
    nvim.lua("vim.lsp.get_clients()[1].request = function() return true, 0 end return true")
    nvim.keys("<Tab>")
    nvim.until(f"return vim.api.nvim_get_current_line() ~= [==[{before}]==]")
    line = nvim.line
    assert line.endswith("]);")
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_win_get_cursor(0)[2] == #vim.api.nvim_get_current_line()")
    assert nvim.line == line
    nvim.keys("<Left><Tab>")
    nvim.until(f"return vim.api.nvim_get_current_line() ~= [==[{line}]==]")  # the cursor was moved: it is a Tab


def test_the_cursor_goes_behind_what_closes_wherever_it_is_told_to(start: Start) -> None:
    nvim = start(file="shop/cart.py")
    nvim.attached()
    nvim.lua("""vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'f( [ "a" ] ), b' }) return true""")
    nvim.keys("gg0fai")
    nvim.until("return vim.api.nvim_win_get_cursor(0)[2] == 6")
    assert nvim.lua("return require('palimpsest').jump()") is False
    nvim.keys("<Right>")
    nvim.until("return vim.api.nvim_win_get_cursor(0)[2] == 7")
    assert nvim.lua("return require('palimpsest').jump()") is True
    assert nvim.lua("return vim.api.nvim_win_get_cursor(0)[2]") == 13
    assert nvim.lua("return require('palimpsest').jump()") is False


def test_snoozed_completions_are_counted_down_in_the_status_line(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys(":Palimpsest snooze 20<CR>")
    nvim.until(SNOOZED)
    assert "20 min" in nvim.lua("return require('palimpsest').statusline()")
    nvim.keys(TYPED)
    nvim.lua("vim.wait(600) return true")
    assert nvim.ghost_now() is None
    nvim.keys("<Esc>:Palimpsest snooze 0<CR>")
    nvim.until("return not require('palimpsest').statusline():find('snoozed')")
    nvim.keys("a")
    nvim.ghost()


def test_what_is_prepared_is_shown_by_a_key(start: Start) -> None:
    nvim = start("vim.g.palimpsest = { completion = { show = 'key' } }")
    nvim.ready()
    nvim.count_requests()
    nvim.keys(TYPED)
    until(lambda: nvim.requests(INLINE) > 0, nvim.messages)
    nvim.lua("vim.wait(500) return true")
    assert nvim.ghost_now() is None
    nvim.keys("<M-Space>")
    text = nvim.ghost()
    nvim.keys(text[0])
    until(lambda: (nvim.ghost_now() or ["", ""])[1] == text[1:], nvim.messages)
    nvim.keys("#")
    until(lambda: nvim.ghost_now() is None, nvim.messages)
