"""The plugin with a server that is broken or wicked, and with files that mean harm by their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.editors.answers import edit, said, tell
from tests.editors.conftest import until
from tests.editors.nvim.conftest import CURRENT, Begin, ask, run

TEXT = ["one", "two", "three"]
STATUS = "return require('palimpsest').statusline()"
DIFF = "return require('palimpsest.diff').current() ~= nil and #vim.api.nvim_tabpage_list_wins(0) == 2"

pytestmark = pytest.mark.slow(part="editors")


def suggested(draft: str, title: str = "an edit") -> dict[str, Any]:
    """An edit of the first line, after which the document would be `draft`."""
    change = {"range": edit((0, 0), (0, 3), "1")["edits"][0]["range"], "newText": "1"}
    one = {
        "id": "1", "title": title, "summary": title,
        "documents": [{"uri": "$uri", "draft": "palimpsest:/draft/1/0/a.py"}],
        "edit": {"documentChanges": [{"textDocument": {"uri": "$uri", "version": None}, "edits": [change]}]},
    }  # fmt: skip
    answer = {"suggestions": [one], "why_not": ""}
    return {"palimpsest__suggest": answer, "palimpsest__virtual__read": {"text": draft}}


def test_line_ends_of_a_file_are_no_difference(begin: Begin) -> None:
    nvim = begin("one\r\ntwo\r\n", **suggested("1\r\ntwo\r\n"))
    run(nvim, "require('palimpsest.edits').here()")
    nvim.until(DIFF)
    shown = """
      return vim.tbl_map(function(window)
        return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true)
      end, vim.api.nvim_tabpage_list_wins(0))
    """
    assert nvim.lua(shown) == [["one", "two"], ["1", "two"]]


def test_a_file_name_that_is_an_expression_is_not_evaluated_in_the_bar_over_a_diff(begin: Begin, folder: Path) -> None:
    """What 'winbar' holds is evaluated at each redraw."""
    name = "%{writefile([],'evil')}.py"
    nvim = begin(file=name, **suggested("1\ntwo\nthree\n", "%{writefile([],'evil')}"))
    run(nvim, "require('palimpsest.edits').here()")
    nvim.until(DIFF)
    bars = nvim.lua("""
      vim.cmd.redraw({ bang = true })
      return vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(function(window)
        local options = { winid = window, use_winbar = true, maxwidth = 500 }
        return vim.api.nvim_eval_statusline(vim.wo[window].winbar, options).str
      end):totable()
    """)
    assert not (folder / "work" / "evil").exists()
    assert any(name in bar for bar in bars), "it is shown as it is"


def test_the_last_line_is_deleted_by_a_next_edit(begin: Begin, folder: Path) -> None:
    nvim = begin(**{"palimpsest/nextEdit": edit((2, 0), (3, 0), "")})
    nvim.keys("G")
    ask(nvim)
    run(nvim, "require('palimpsest.next_edits').take()")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 2")
    until(lambda: said(folder, "palimpsest.nextEdit.accept"), lambda: "it is not counted")
    nvim.keys("u")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 3")


NONE = [
    edit((90, 5), (95, 0), "x"),
    edit((2, 0), (1, 0), "x"),
    edit((-1, 0), (0, 0), "x"),
    edit((0, 0), (0, 1), "x", textDocument={"uri": "command:evil", "version": 1}),
    edit((0, 0), (0, 1), "x", textDocument={"uri": "", "version": None}),
    edit((0, 0), (0, 1), "x", textDocument=None),
    edit((0, 0), (0, 1), "x", range=None),
    edit((0, 0), (0, 1), "x", text=None),
    {"edits": [None], "total": None},
    {"edits": {}, "total": "many"},
    {"edits": None},
    [],
    None,
    7,
]


def test_a_next_edit_that_cannot_be_made_is_none(begin: Begin, folder: Path) -> None:
    nvim = begin()
    for answer in NONE:
        tell(folder, **{"palimpsest/nextEdit": answer})
        run(nvim, "vim.cmd.messages('clear') require('palimpsest.next_edits').take()")
        nvim.until("return vim.fn.execute('messages'):find('no next edit') ~= nil")
        assert not nvim.lua(CURRENT), answer
    assert nvim.lines == TEXT


def test_a_file_that_was_changed_on_disk_while_it_was_closed_is_asked_about_anew(begin: Begin, folder: Path) -> None:
    other = folder / "work" / "b.py"
    other.write_text("old = 1\n")
    uri = other.as_uri()
    nvim = begin(**{"palimpsest/nextEdit": edit((0, 0), (0, 3), "new", textDocument={"uri": uri, "version": None})})
    ask(nvim)
    other.write_text("import os\nold = 1\n")
    tell(folder, **{"palimpsest/nextEdit": edit((1, 0), (1, 3), "new", id="2")})
    run(nvim, "require('palimpsest.next_edits').take()")
    nvim.until("return vim.fn.expand('%:t') == 'b.py'")
    nvim.until("local one = require('palimpsest.next_edits').current() return one and one.id == '2'")
    nvim.keys("j")
    run(nvim, "require('palimpsest.next_edits').take()")
    nvim.until("return vim.api.nvim_buf_get_lines(0, 1, 2, true)[1] == 'new = 1'")
    assert nvim.lines[0] == "import os"


def test_a_buffer_that_cannot_be_changed_is_not(begin: Begin) -> None:
    nvim = begin(**{"palimpsest/nextEdit": edit((0, 0), (0, 3), "1")})
    ask(nvim)
    run(nvim, "vim.bo.modifiable = false")
    run(nvim, "require('palimpsest.next_edits').take()")
    nvim.until("return vim.fn.execute('messages'):find('cannot be changed') ~= nil")
    assert nvim.lines == TEXT


STATUSES = [
    {}, [], None, 7, {"kind": 7, "state": 8, "busy": "yes"}, {"tokens": 7, "last": "no", "model": []},
    {"kind": "Nonsense", "state": "nonsense", "message": None, "model": None, "tokens": None, "last": None},
    {"tokens": {"used": None, "total": "x"}, "last": {"ms": None, "decoded": [], "reused": {}}},
    {"kind": "Normal", "model": "%{writefile([],'evil')}\n\x1b[31m", "message": "a\nb", "cause": "c\nd"},
]  # fmt: skip


def test_a_status_of_nonsense_is_shown_without_an_error(begin: Begin, folder: Path) -> None:
    said = [["palimpsest/status", status] for status in [*STATUSES, {"kind": "Normal", "state": "ready"}]]
    nvim = begin(**{"#notices": said})
    nvim.until("return require('palimpsest.status').now.kind == 'Normal'")
    run(nvim, "vim.o.statusline = \"%{v:lua.require'palimpsest'.statusline()}\"")
    for status in STATUSES:
        run(nvim, f"require('palimpsest.status').told(vim.json.decode([==[{json.dumps(status)}]==]))")
        run(nvim, "local status = require('palimpsest.status') status.open() vim.cmd.redraw({ bang = true })")
        assert "\n" not in nvim.lua(STATUS)
        assert nvim.lua("return vim.o.statusline") != "", "it is not switched off, as Neovim does after an error"
        nvim.keys("q")
    assert not (folder / "work" / "evil").exists()


@pytest.mark.parametrize("backend", ["native", "own"])
def test_lines_of_a_file_with_carriage_returns_get_one_each(begin: Begin, folder: Path, backend: str) -> None:
    offered = {"items": [{"insertText": "four\r\nfive"}]}
    nvim = begin("one\r\ntwo\r\n", **{"textDocument/inlineCompletion": offered})
    run(nvim, f"require('palimpsest').setup({{ inline = {{ backend = '{backend}' }} }})")
    nvim.keys("o")
    nvim.until("return require('palimpsest.completion').visible()")
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 4")
    nvim.keys("<Esc>")
    nvim.lua("vim.cmd.write({ mods = { silent = true } }) return true")
    assert (folder / "work" / "a.py").read_bytes() == b"one\r\nfour\r\nfive\r\ntwo\r\n"
    nvim.keys("u")
    nvim.until("return vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, true), { 'one', '', 'two' })")
    nvim.keys("u")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 2")


def test_an_hour_of_files_leaves_nothing_behind(begin: Begin, folder: Path) -> None:
    """Groups of autocommands, mappings and what is known of buffers go with the buffers."""
    nvim = begin()
    for name in range(200):
        (folder / "work" / f"n{name}.py").write_text("x = 1\n")
    count = """
      local groups = {}
      for _, one in ipairs(vim.api.nvim_get_autocmds({})) do
        if (one.group_name or ''):find('^palimpsest%.') then groups[one.group_name] = true end
      end
      local known = 0
      for _, one in ipairs(vim.fn.getcompletion('palimpsest', 'augroup')) do known = known + 1 end
      return { vim.tbl_count(groups), known, vim.tbl_count(require('palimpsest.keys').set_keys) }
    """
    before = nvim.lua(count)
    run(
        nvim,
        """
        for name = 0, 199 do
          vim.cmd.edit(('n%d.py'):format(name))
          local buffer = vim.api.nvim_get_current_buf()
          assert(vim.wait(20000, function() return require('palimpsest.keys').set_keys[buffer] ~= nil end))
          vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { 'y = 2' })
          vim.cmd.edit('a.py')
          vim.api.nvim_buf_delete(buffer, { force = true, unload = name % 2 == 1 })
          if name % 2 == 1 then vim.cmd.bwipeout({ buffer, bang = true }) end
        end
        """,
    )
    after = nvim.until(f"local found = (function() {count} end)() return found[3] <= {before[2]} and found")
    assert after == before


def test_a_completion_that_takes_blanks_away_is_not_put_behind_them(begin: Begin) -> None:
    place = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 4}}
    item = {"range": place, "insertText": "else:", "filterText": "    else:"}
    nvim = begin("    a\n", **{"textDocument/inlineCompletion": {"items": [item]}})
    choices = "return #require('palimpsest.shown').choices(vim.json.decode([==[{}]==]), 'utf-16', 1, 4, '    ')"
    assert nvim.lua(choices.format(json.dumps([item]))) == 0
    assert nvim.lua(choices.format(json.dumps([item | {"insertText": "    else:"}]))) == 1


@pytest.mark.parametrize("backend", ["native", "own"])
def test_an_older_answer_that_comes_late_takes_nothing_away(begin: Begin, folder: Path, backend: str) -> None:
    method, may_come = "textDocument/inlineCompletion", folder / "may-come"
    nvim = begin(**{method: {"items": [], "#wait": str(may_come)}})
    run(nvim, f"require('palimpsest').setup({{ inline = {{ backend = '{backend}' }} }})")
    nvim.keys("ggA")
    until(lambda: len(said(folder, method)) == 1, nvim.messages)
    tell(folder, **{method: {"items": [{"insertText": "four"}]}})
    nvim.keys("s")
    assert nvim.ghost() == "four"
    may_come.touch()
    nvim.until("return vim.tbl_isempty(require('palimpsest.client').get(0).requests)")
    nvim.lua("vim.wait(0) return true")  # what is scheduled by an answer
    assert (nvim.ghost_now() or ["", ""])[1] == "four"
    assert nvim.lua("return require('palimpsest.completion').visible()")
