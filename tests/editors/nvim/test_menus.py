"""Beside blink.cmp and nvim-cmp: nothing is drawn into what they draw, and both can show what the server has.

No package registry has them, so these are stand-ins with the functions, events and calls of sources that they document.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.editors.answers import said
from tests.editors.conftest import until
from tests.editors.nvim.conftest import Begin, Plugged, run

INLINE = "textDocument/inlineCompletion"
BLINK = """
local menu, ghost = false, false
package.loaded['blink.cmp'] = {
  is_visible = function() return menu or ghost end,
  is_ghost_text_visible = function() return ghost end,
}
function _G.theirs(a_menu, a_ghost)
  menu, ghost = a_menu, a_ghost
  vim.api.nvim_exec_autocmds('User', { pattern = (menu or ghost) and 'BlinkCmpShow' or 'BlinkCmpHide' })
end
"""
CMP = """
local menu, ghost, heard = false, false, {}
package.loaded['cmp'] = {
  visible = function() return menu end,
  event = { on = function(_, name, done) heard[name] = done end },
}
package.loaded['cmp.config'] = { get = function() return { experimental = { ghost_text = ghost } } end }
function _G.theirs(a_menu, a_ghost)
  menu, ghost = a_menu, a_ghost
  heard[menu and 'menu_opened' or 'menu_closed']()
end
"""
FROM_BLINK = """
local source = require('palimpsest.blink').new({}, {})
assert(source:enabled() and #source:get_trigger_characters() > 0)
source:get_completions({}, function(answer) _G.got = answer.items end)
function _G.take(item)
  source:execute({}, item, function() _G.taken = true end, function()
    vim.lsp.util.apply_text_edits({ item.textEdit }, vim.api.nvim_get_current_buf(), 'utf-8')
  end)
end
"""
FROM_CMP = """
local source = require('palimpsest.nvim_cmp')
assert(source:is_available() and #source:get_trigger_characters() > 0)
source:complete({}, function(answer) _G.got = answer.items end)
function _G.take(item)
  vim.lsp.util.apply_text_edits({ item.textEdit }, vim.api.nvim_get_current_buf(), source:get_position_encoding_kind())
  source:execute(item, function() _G.taken = true end)
end
"""
SLOW = pytest.mark.slow(part="editors")
NATIVE = "vim.g.palimpsest = vim.tbl_extend('error', vim.g.palimpsest, { inline = { backend = 'native' } })\n"
WITH_MENU = "vim.g.palimpsest = vim.tbl_extend('error', vim.g.palimpsest, { inline = { with_menu = true } })\n"
COUNTED = "palimpsest.completion.accepted"


def answer(**more: Any) -> dict[str, Any]:
    start, end = ({"line": 1, "character": character} for character in (6, 9))
    item: dict[str, Any] = {
        "insertText": "total_price(\n    é)",
        "filterText": "total_price(\n    é)",
        "range": {"start": start, "end": end},
        "command": {"title": "", "command": COUNTED, "arguments": [{"id": "7"}]},
    }
    return {"items": [item]} | more


def shown(nvim: Plugged) -> str:
    return (nvim.ghost_now() or ["", ""])[1]


def test_neovims_own_inline_completion_with_its_delay_is_not_used_and_a_place_is_asked_for_once(
    begin: Begin, folder: Path
) -> None:
    nvim = begin(**{INLINE: answer()})
    assert nvim.lua("return vim.lsp.inline_completion.is_enabled({ bufnr = 0 })") is False
    nvim.keys("ggoéself.tot")
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)
    n = len(said(folder, INLINE))
    nvim.keys("a")
    until(lambda: shown(nvim).startswith("l_price("), nvim.messages)
    run(nvim, "vim.wait(300)")
    assert len(said(folder, INLINE)) == n + 1


@pytest.mark.parametrize("backend", ["", pytest.param(NATIVE, marks=SLOW)], ids=["own", "native"])
def test_what_is_shown_stays_until_others_that_were_asked_for_are_there(begin: Begin, backend: str) -> None:
    nvim = begin(init=backend, **{INLINE: answer()})
    nvim.keys("ggoéself.tot")
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)
    run(nvim, "vim.lsp.get_clients()[1].request = function() _G.asked = true return true, 0 end")
    nvim.keys("<M-]>")
    nvim.until("return _G.asked == true")
    assert shown(nvim).startswith("al_price(")
    nvim.keys("<M-Right>")
    nvim.until("return vim.api.nvim_get_current_line() == 'éself.total_price'")


@pytest.mark.parametrize("theirs", [BLINK, CMP], ids=["blink.cmp", "nvim-cmp"])
@pytest.mark.parametrize("backend", ["", pytest.param(NATIVE, marks=SLOW)], ids=["own", "native"])
def test_grey_text_makes_room_for_theirs_and_is_back_behind_it(begin: Begin, theirs: str, backend: str) -> None:
    nvim = begin(init=theirs + backend, **{INLINE: answer()})
    nvim.keys("ggoéself.tot<BS>t")
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)
    run(nvim, "_G.theirs(true, true)")
    until(lambda: not shown(nvim), nvim.messages)
    nvim.keys("<M-Right>x")
    nvim.until("return vim.api.nvim_get_current_line() == 'éself.totx'")
    nvim.keys("<BS>")
    run(nvim, "vim.wait(300)")
    assert not shown(nvim), "nothing is drawn while theirs is there"
    run(nvim, "_G.theirs(false, false)")
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)


def test_an_answer_that_comes_while_theirs_is_open_waits(begin: Begin, folder: Path) -> None:
    gate = folder / "gate"
    nvim = begin(init=BLINK, **{INLINE: answer(**{"#wait": str(gate)})})
    nvim.keys("ggoéself.tot")
    until(lambda: said(folder, INLINE), nvim.messages)
    run(nvim, "_G.theirs(true, false)")
    gate.touch()
    run(nvim, "vim.wait(300)")
    assert not shown(nvim)
    run(nvim, "_G.theirs(false, false)")
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)


def test_beside_a_menu_where_that_is_set_but_not_in_other_grey_text(begin: Begin) -> None:
    nvim = begin(init=BLINK + WITH_MENU, **{INLINE: answer()})
    run(nvim, "_G.theirs(true, false)")
    nvim.keys("ggoéself.tot")
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)
    run(nvim, "_G.theirs(true, true)")
    until(lambda: not shown(nvim), nvim.messages)


@pytest.mark.parametrize("source", [FROM_BLINK, FROM_CMP], ids=["blink.cmp", "nvim-cmp"])
def test_it_is_a_source_for_both(begin: Begin, folder: Path, source: str) -> None:
    gate = folder / "gate"
    counted: dict[str, Any] = {}
    nvim = begin(**{INLINE: answer(**{"#wait": str(gate)}), COUNTED: counted})
    nvim.keys("ggoéself.tot")
    nvim.until("return vim.api.nvim_get_current_line() == 'éself.tot'")
    until(lambda: said(folder, INLINE)[-1:] and said(folder, INLINE)[-1]["params"]["position"]["character"] == 9, list)
    n = len(said(folder, INLINE))
    run(nvim, source)
    gate.touch()
    nvim.until("return _G.got ~= nil")
    assert len(said(folder, INLINE)) == n, "it asks with the grey text, which it would take the answer from"
    (item,) = nvim.lua("return _G.got")
    assert item["label"] == "total_price( …"
    assert item["filterText"] == "total_price(\n    é)"
    assert item["textEdit"]["range"] == {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 10}}
    until(lambda: shown(nvim).startswith("al_price("), nvim.messages)
    run(nvim, "_G.take(_G.got[1])")
    assert nvim.lines[1:3] == ["éself.total_price(", "    é)"]
    assert nvim.lua("return _G.taken")
    until(lambda: said(folder, COUNTED), nvim.messages)
    assert said(folder, COUNTED)[0]["params"]["arguments"] == [{"id": "7"}]


def test_a_source_that_a_person_went_on_from_has_nothing(begin: Begin, folder: Path) -> None:
    nvim = begin(**{INLINE: answer(**{"#wait": str(folder / "gate")})})
    nvim.keys("ggoéself.tot")
    nvim.until("return vim.api.nvim_get_current_line() == 'éself.tot'")
    run(nvim, FROM_BLINK)
    nvim.keys("x")
    nvim.until("return _G.got ~= nil")
    assert nvim.lua("return #_G.got") == 0
