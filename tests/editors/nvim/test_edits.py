"""Edits: a diff first, one step to undo, several files at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.scripted import Scripted, scripted
from tests.editors.conftest import until
from tests.editors.nvim.conftest import Plugged, Start

pytestmark = pytest.mark.slow(part="editors")

WRONG, RIGHT = "self.discount.amount(totla)", "self.discount.amount(total)"
TAKE_FIRST = """
vim.ui.select = function(items, options, chosen)
  _G.offered = vim.tbl_map(options.format_item or tostring, items)
  chosen(items[1])
end
"""
DIFF = "return require('palimpsest.diff').current() ~= nil"
NO_DIFF = "return require('palimpsest.diff').current() == nil"
WINDOWS = """
return vim.tbl_map(function(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\\n')
  return { diff = vim.wo[window].diff, text = text, bar = vim.wo[window].winbar }
end, vim.api.nvim_tabpage_list_wins(0))
"""


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        yield it


def has(nvim: Plugged, text: str) -> bool:
    return any(text in line for line in nvim.lines)


def test_a_code_action_shows_its_diff_and_is_undone_in_one_step(start: Start) -> None:
    nvim = start(TAKE_FIRST)
    nvim.ready()
    nvim.keys("/amount(totla<CR>:lua vim.lsp.buf.code_action()<CR>")
    nvim.until(DIFF)
    assert nvim.lua("return _G.offered")[0] == "Palimpsest: improve Cart.total"
    now, then = nvim.lua(WINDOWS)
    assert now["diff"]
    assert then["diff"]
    assert WRONG in now["text"]
    assert RIGHT in then["text"]
    assert "Write `total` for `totla`" in then["bar"]
    nvim.keys("<CR>")
    nvim.until(NO_DIFF)
    until(lambda: has(nvim, RIGHT), nvim.messages)
    nvim.until("return vim.fn.execute('messages'):find('Write `total`') ~= nil")
    before = nvim.lines
    nvim.keys("u")
    until(lambda: has(nvim, WRONG), nvim.messages)
    assert len(nvim.lines) == len(before)


def test_what_is_done_is_said_once(start: Start) -> None:
    nvim = start("vim.g.palimpsest = { edits = { preview = 'never' } }")
    nvim.ready()
    nvim.keys("/amount(totla<CR>:Palimpsest edit<CR>")
    until(lambda: has(nvim, RIGHT), nvim.messages)
    nvim.keys(":Palimpsest edit<CR>")
    nvim.until("return vim.fn.execute('messages'):find('changes nothing') ~= nil")
    said = nvim.messages()
    assert said.count("Write `total` for `totla`") == 1
    assert "\nPalimpsest: Write `total` for `totla`, which is defined nowhere.\n" in said
    assert "Workspace edit" not in said


def test_a_buffer_without_a_file_is_told_as_one(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys(":enew<CR>:Palimpsest edit<CR>")
    nvim.until("return vim.fn.execute('messages'):find('this buffer is no file') ~= nil")


def test_an_edit_is_rejected_and_another_one_asked_for(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys("/amount(totla<CR>:Palimpsest edit<CR>")
    nvim.until(DIFF)
    nvim.keys("x")
    nvim.until(NO_DIFF)
    nvim.until("return vim.fn.execute('messages'):find('rejected') ~= nil")
    assert has(nvim, WRONG)
    nvim.keys(":Palimpsest edit<CR>")
    said = "vim.fn.execute('messages')"
    nvim.until(f"return ({DIFF[7:]}) or {said}:find('no edit') or {said}:find('nothing to suggest')")
    assert not any("Write `total`" in window["bar"] for window in nvim.lua(WINDOWS))


def test_an_edit_of_two_files_changes_both(start: Start, folder: Path, engine: Scripted) -> None:
    other = folder / "work" / "shop" / "discount.py"
    old, new = "        return total * self.percent // 100", "        return round(total * self.percent / 100)"
    number = other.read_text("utf-8").split("\n").index(old) + 1
    engine.replies = [
        f'<suggestion name="shop/discount.py">\nL{number} {new}\n</suggestion>\n'
        f'<suggestion name="editing">\nL5             total -= {RIGHT}\n</suggestion>\n'
        "<summary>Round, and correct the name.</summary>\n"
    ]
    nvim = start(
        f"""
        vim.g.palimpsest = {{ engine = {{ kind = 'openai', url = '{engine.url}' }} }}
        vim.ui.input = function(options, done) done('Round, and correct the name.') end
        """
    )
    nvim.ready()
    nvim.keys(":Palimpsest context.pin shop/discount.py<CR>")
    nvim.until("return vim.fn.execute('messages'):find('is pinned') ~= nil")
    nvim.keys("/amount(totla<CR>:Palimpsest edit.instruction<CR>")
    nvim.until(DIFF)
    assert "Round, and correct" in engine.prompt
    first = nvim.lua(WINDOWS)
    assert RIGHT in first[1]["text"]
    assert "file 1 of 2" in first[1]["bar"]
    nvim.keys("]f")
    until(lambda: new in nvim.lua(WINDOWS)[1]["text"], nvim.messages)
    nvim.keys("<CR>")
    nvim.until(NO_DIFF)
    until(lambda: has(nvim, RIGHT), nvim.messages)
    nvim.until("return vim.fn.execute('messages'):find('not saved: shop/discount.py') ~= nil")
    nvim.keys(":wall<CR>")
    until(lambda: new in other.read_text("utf-8"), nvim.messages)
    assert RIGHT in (folder / "work" / "shop" / "cart.py").read_text("utf-8")


def test_alternatives_stand_side_by_side(start: Start, engine: Scripted) -> None:
    def reply(line: str, summary: str) -> str:
        return f'<suggestion name="editing">\nL5             {line}\n</suggestion>\n<summary>{summary}</summary>\n'

    asked = "total -= self.discount.amount(self.subtotal())"
    engine.replies = [reply(f"total -= {RIGHT}", "Correct it."), reply(asked, "Ask again."), reply(asked, "Ask again.")]
    nvim = start(f"vim.g.palimpsest = {{ engine = {{ kind = 'openai', url = '{engine.url}' }} }}")
    nvim.ready()
    nvim.keys("/amount(totla<CR>:Palimpsest edit.alternatives<CR>")
    nvim.until(DIFF)
    windows = nvim.lua(WINDOWS)
    assert len(windows) == 3
    assert any(asked in window["text"] for window in windows)
    chosen = next(i for i, window in enumerate(windows) if asked in window["text"])
    nvim.lua(f"vim.api.nvim_set_current_win(vim.api.nvim_tabpage_list_wins(0)[{chosen + 1}]) return true")
    nvim.keys("<CR>")
    until(lambda: has(nvim, asked), nvim.messages)
