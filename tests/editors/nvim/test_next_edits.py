"""Next edits: drawn where they would be, jumped to, taken one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.answers import edit, said, tell
from tests.editors.conftest import until
from tests.editors.nvim.conftest import CURRENT, WITHOUT_ENGINE, Begin, Plugged, Start, ask, run

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
DRAWN = """
local space = vim.api.nvim_get_namespaces()['palimpsest.next_edit']
return #vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {}) > 0
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


def test_what_is_shown_goes_when_they_are_snoozed_and_comes_by_hand(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    nvim.keys("/def total<CR>wcwgrand_total<Esc>")
    nvim.until(VISIBLE)
    nvim.keys(":Palimpsest snooze 5<CR>")
    until(lambda: nvim.lua(MARKS) == {"struck": [], "text": []}, lambda: nvim.lua(MARKS))
    nvim.keys(":Palimpsest nextEdit<CR>")
    nvim.until(VISIBLE)


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


# While one types ----------------------------------------------------------------------------------------------

EACH_KEY = f"""
  _G.seen = {{}}
  vim.api.nvim_create_autocmd({{ 'TextChanged', 'TextChangedI' }}, {{ callback = function()
    table.insert(_G.seen, (function() {DRAWN} end)())
  end }})
"""
"""From now on, `_G.seen` has whether it was drawn behind each change, before anything else could happen."""


def typed(nvim: Plugged, keys: str) -> list[bool]:
    """Whether it was drawn behind each of these keys."""
    run(nvim, "_G.seen = {}")
    for n, key in enumerate(keys, 1):
        nvim.keys(key)
        nvim.until(f"return #_G.seen >= {n}")
    seen: list[bool] = nvim.lua("return _G.seen")
    return seen


def test_it_stays_while_what_it_says_is_typed_and_at_its_end_the_next_one_comes(begin: Begin, folder: Path) -> None:
    nvim = begin(**{"palimpsest/nextEdit": edit((1, 0), (1, 3), "grand_two", id="n-7")})
    run(nvim, EACH_KEY)
    nvim.keys("2G")
    ask(nvim)
    tell(folder, **{"palimpsest.nextEdit.accept": edit((2, 0), (2, 5), "four", id="n-8")})
    nvim.keys("i")
    assert typed(nvim, "gran") == [True] * 4
    assert nvim.lines[1] == "grantwo"
    assert "d_" in nvim.lua(MARKS)["text"]
    assert nvim.lua("return require('palimpsest.next_edits').current().id") == "n-7"
    assert len(said(folder, "palimpsest/nextEdit")) == 1, "what holds is not asked for again"
    nvim.keys("d_")
    nvim.until("local now = require('palimpsest.next_edits').current() return now and now.id == 'n-8'")
    assert [one["params"]["arguments"] for one in said(folder, "palimpsest.nextEdit.accept")] == [[{"id": "n-7"}]]
    assert nvim.lines == ["one", "grand_two", "three"]


def test_what_is_left_of_it_is_made_by_the_key_and_undone_by_itself(begin: Begin) -> None:
    nvim = begin(**{"palimpsest/nextEdit": edit((1, 3), (1, 3), "(a,\n    b)")})
    nvim.keys("2GA")
    ask(nvim)
    nvim.keys("(a")
    nvim.until("return vim.api.nvim_get_current_line() == 'two(a'")
    nvim.keys("<Tab>")
    until(lambda: nvim.lines == ["one", "two(a,", "    b)", "three"], nvim.messages)
    assert nvim.lua("return vim.api.nvim_win_get_cursor(0)") == [3, 6]
    nvim.keys("<Esc>u")
    until(lambda: nvim.lines == ["one", "two(a", "three"], nvim.messages)


def test_it_stays_while_the_word_it_takes_the_place_of_is_changed(begin: Begin) -> None:
    nvim = begin(**{"palimpsest/nextEdit": edit((1, 0), (1, 3), "zwei")})
    run(nvim, EACH_KEY)
    nvim.keys("2G")
    ask(nvim)
    nvim.keys("cw")
    nvim.until("return vim.api.nvim_get_current_line() == ''")
    assert typed(nvim, "zw") == [True, True]
    assert "ei" in nvim.lua(MARKS)["text"]


OTHER_CHANGES = {
    "something else": ["ix"],
    "something else behind a part of it": ["ig", "x"],
    "a part of it elsewhere": ["Ag"],
    "another line": ["kdd"],
    "a line above": ["O"],
}


@pytest.mark.parametrize("changes", OTHER_CHANGES.values(), ids=OTHER_CHANGES)
def test_any_other_change_takes_it_away_at_once(begin: Begin, folder: Path, changes: list[str]) -> None:
    nvim = begin(**{"palimpsest/nextEdit": edit((1, 0), (1, 3), "grand_two")})
    run(nvim, EACH_KEY)
    nvim.keys("2G")
    ask(nvim)
    tell(folder, **{"palimpsest/nextEdit": {"edits": [], "total": 0}})
    for n, keys in enumerate(changes, 1):
        nvim.keys(keys)
        nvim.until(f"return #_G.seen == {n}")
    assert nvim.lua("return _G.seen") == [True] * (len(changes) - 1) + [False]
    assert not nvim.lua(CURRENT)


def test_a_change_elsewhere_takes_away_one_in_another_file(begin: Begin, folder: Path) -> None:
    other = folder / "work" / "b.py"
    other.write_text("four\n")
    nvim = begin(
        **{"palimpsest/nextEdit": edit((0, 0), (0, 4), "4", textDocument={"uri": other.as_uri(), "version": None})}
    )
    ask(nvim)
    assert any("b.py:1" in text for text in nvim.lua(MARKS)["text"])
    tell(folder, **{"palimpsest/nextEdit": {"edits": [], "total": 0}})
    nvim.keys("x")
    until(lambda: nvim.lua(DRAWN) is False, nvim.messages)
    assert not nvim.lua(CURRENT)


# One key, one thing -------------------------------------------------------------------------------------------


def offered(begin: Begin, init: str = "", **answers: object) -> Plugged:
    """Two lines below the cursor, in Insert mode at the end of the first line."""
    nvim = begin(**{"palimpsest/nextEdit": edit((2, 0), (2, 5), "3")}, **answers)
    run(nvim, init)
    nvim.keys("ggA")
    ask(nvim)
    return nvim


def test_tab_is_the_menus_where_there_is_one(begin: Begin) -> None:
    nvim = offered(begin, "vim.opt.completeopt = 'menuone,noselect'")
    run(nvim, "vim.keymap.set('i', '<Tab>', 'pumvisible() ? \"<C-n>\" : \"<Tab>\"', { expr = true })")
    nvim.keys("<Cmd>call complete(1, ['ones', 'onset'])<CR>")
    nvim.until("return vim.fn.pumvisible() == 1")
    nvim.keys("<Tab>")
    nvim.until("return vim.fn.complete_info().selected == 0")
    assert nvim.lines[2] == "three"


def test_tab_is_the_snippets_where_one_is_filled_in_and_nothing_is_asked_there(begin: Begin, folder: Path) -> None:
    nvim = offered(begin)
    n = len(said(folder, "palimpsest/nextEdit"))
    run(nvim, "vim.snippet.expand('f(${1:a}, ${2:b})$0')")
    nvim.until("return vim.snippet.active()")
    nvim.keys("x")
    nvim.until("return vim.api.nvim_get_current_line() == 'onef(x, b)'")
    nvim.keys("<Tab>")
    nvim.until("return vim.fn.col('.') > 7")
    assert nvim.lines == ["onef(x, b)", "two", "three"]
    assert not nvim.lua(VISIBLE)
    assert not nvim.lua(DRAWN)
    nvim.lua("vim.wait(200) return true")  # the pause after which one would be asked for takes 30 ms
    assert len(said(folder, "palimpsest/nextEdit")) == n


@pytest.mark.parametrize("backend", ["native", "own"])
def test_grey_text_and_a_next_edit_are_never_shown_together(begin: Begin, folder: Path, backend: str) -> None:
    """What came first stays, and the key is for that."""
    grey = {"items": [{"insertText": "one"}]}
    nvim = begin(**{"textDocument/inlineCompletion": grey})
    run(nvim, f"require('palimpsest').setup({{ inline = {{ backend = '{backend}' }} }})")
    nvim.keys("ggA")
    assert nvim.ghost() == "one"
    tell(folder, **{"palimpsest/nextEdit": edit((2, 0), (2, 5), "3"), "textDocument/inlineCompletion": grey})
    run(nvim, "require('palimpsest.next_edits').take()")
    nvim.until("return vim.fn.execute('messages'):find('no next edit') ~= nil")
    assert not nvim.lua(DRAWN)
    nvim.keys("<Tab>")
    until(lambda: nvim.lines == ["oneone", "two", "three"], nvim.messages)


def test_no_grey_text_comes_beside_a_next_edit(begin: Begin, folder: Path) -> None:
    nvim = offered(begin)
    tell(folder, **{"textDocument/inlineCompletion": {"items": [{"insertText": "one"}]}})
    run(nvim, "require('palimpsest.completion').on_told(nil, {})")
    nvim.keys("<Left><Right>")
    nvim.lua("vim.wait(400) return true")  # Neovim's own asks 200 ms after a key
    assert nvim.ghost_now() is None
    nvim.keys("<Tab>")
    until(lambda: nvim.lines == ["one", "two", "3"], nvim.messages)


def test_tab_indents_where_nothing_is_shown(begin: Begin) -> None:
    nvim = begin()
    nvim.keys(":set expandtab shiftwidth=4 softtabstop=4<CR>ggO<Tab>x")
    until(lambda: nvim.lines[0] == "    x", nvim.messages)


def test_escape_dismisses_for_good_in_normal_mode_and_leaves_insert_mode_before_that(
    begin: Begin, folder: Path
) -> None:
    nvim = offered(begin)
    run(nvim, "vim.keymap.set('n', '<Esc>', '<Cmd>let g:escaped = get(g:, \"escaped\") + 1<CR>')")
    nvim.keys("<Esc>")
    nvim.until("return vim.api.nvim_get_mode().mode == 'n'")
    assert nvim.lua(VISIBLE), "who leaves Insert mode wants to see it"
    tell(folder, **{"palimpsest/nextEdit": {"edits": [], "total": 0}})
    nvim.keys("<Esc>")
    until(lambda: said(folder, "palimpsest.nextEdit.dismiss"), nvim.messages)
    assert said(folder, "palimpsest.nextEdit.dismiss")[0]["params"]["arguments"] == [{"id": "1"}]
    assert not nvim.lua(DRAWN)
    nvim.keys("<Esc>")
    nvim.until("return vim.g.escaped == 1")
    nvim.lua("vim.wait(200) return true")
    assert len(said(folder, "palimpsest/nextEdit")) == 1, "nothing else is shown in its place"


# Quiet --------------------------------------------------------------------------------------------------------


def test_who_edits_nothing_is_shown_nothing_and_nothing_is_asked(begin: Begin, folder: Path) -> None:
    (folder / "work" / "b.py").write_text("four\nfive\n")
    nvim = begin(**{"palimpsest/nextEdit": edit((2, 0), (2, 5), "3")})
    nvim.keys("jjkG$ggi<Esc>Vy:edit b.py<CR>jk:edit #<CR>v<Esc>i<Right><Esc>")
    nvim.lua("vim.wait(300) return true")
    assert said(folder, "palimpsest/nextEdit") == []
    assert not nvim.lua(DRAWN)


@pytest.mark.parametrize("keys", ["dd", "x", "cw1<Esc>", "p", ">>", "A;<Esc>", "~"])
def test_an_edit_in_normal_mode_is_followed_after_a_pause(begin: Begin, folder: Path, keys: str) -> None:
    nvim = begin()
    tell(folder, **{"palimpsest/nextEdit": edit((0, 0), (0, 1), "1")})
    nvim.keys(f":let @\" = 'x'<CR>gg{keys}")
    nvim.until(VISIBLE)
    assert len(said(folder, "palimpsest/nextEdit")) == 1
    assert said(folder, "palimpsest/nextEdit")[0]["params"]["trigger"] == "automatic"
