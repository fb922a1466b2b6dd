"""A change that a person makes twice by hand is offered everywhere else in the file, one Tab after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.changes import NAMES, Change, N, each, pair
from tests.editors.conftest import until
from tests.editors.nvim.conftest import WITHOUT_ENGINE, Plugged, Start, run
from tests.editors.nvim.test_next_edits import VISIBLE

pytestmark = pytest.mark.slow(part="editors")


ROW = "return vim.api.nvim_win_get_cursor(0)[1]"


def by_hand(nvim: Plugged, change: Change, n: int) -> None:
    line, column = change.at(n)
    new = change.new.replace("@", NAMES[n])
    begin = f"<Cmd>call cursor({line}, {column - len(change.old)})<CR>"
    keys = {"words": f"{begin}{len(change.old)}s{new}<Esc>", "line put in": f"{begin}o{new}<Esc>"}
    nvim.keys(keys.get(change.how, f"{begin}dd"))
    until(lambda: nvim.lines == change.text(n + 1).split("\n")[:-1], nvim.messages)


def take(nvim: Plugged, change: Change, n: int) -> None:
    """Go to the next place, where the cursor is not near it, and make it."""
    wanted, line = change.text(n + 1).split("\n")[:-1], change.at(n)[0]
    nvim.until(VISIBLE)
    nvim.keys("<Tab>")
    until(lambda: nvim.lines == wanted or abs(nvim.lua(ROW) - line) < 2, nvim.messages)
    if nvim.lines != wanted:
        nvim.until(VISIBLE)
        nvim.keys("<Tab>")
    until(lambda: nvim.lines == wanted, lambda: (nvim.lines, nvim.messages()))


@each
def test_it_is_made_in_all_other_places_by_tab(start: Start, folder: Path, change: Change) -> None:
    (folder / "work" / change.file).write_text(change.text(0), encoding="utf-8")
    nvim = start(WITHOUT_ENGINE, file=change.file)
    nvim.attached()
    run(nvim, "vim.bo.autoindent, vim.bo.copyindent, vim.bo.cindent, vim.bo.indentexpr = true, true, false, ''")
    by_hand(nvim, change, 0)
    by_hand(nvim, change, 1)
    for n in range(2, N):
        take(nvim, change, n)
    nvim.keys("<Cmd>write<CR>")
    until(lambda: (folder / "work" / change.file).read_text(encoding="utf-8") == change.text(N), nvim.messages)


def test_it_goes_on_in_a_file_that_this_one_imports_and_that_is_not_open(start: Start, folder: Path) -> None:
    here, there = pair("alone", "beside")
    for change in (here, there):
        (folder / "work" / change.file).write_text(change.text(0), encoding="utf-8")
    nvim = start(WITHOUT_ENGINE, file=here.file)
    nvim.attached()
    by_hand(nvim, here, 0)
    by_hand(nvim, here, 1)
    for n in range(2, N):
        take(nvim, here, n)
    nvim.until(VISIBLE)
    nvim.keys("<Tab>")
    nvim.until(f"return vim.fn.expand('%:t') == '{there.file}'")
    for n in range(N):
        take(nvim, there, n)


def test_all_places_of_several_files_are_asked_about_and_made_at_once(start: Start, folder: Path) -> None:
    here, there = pair("alone", "beside")
    for change in (here, there):
        (folder / "work" / change.file).write_text(change.text(0), encoding="utf-8")
    nvim = start(WITHOUT_ENGINE, file=here.file)
    nvim.attached()
    by_hand(nvim, here, 0)
    by_hand(nvim, here, 1)
    nvim.until(VISIBLE)
    title = f"in {2 * N - 2} places of 2 files"
    run(nvim, "vim.fn.confirm = function(text) _G.questions = (_G.questions or '') .. text return 1 end")
    filtered = f"function(action) return action.title:find('{title}', 1, true) ~= nil end"
    run(nvim, f"vim.lsp.buf.code_action({{ apply = true, filter = {filtered} }})")
    until(lambda: nvim.lines == here.text(N).split("\n")[:-1], nvim.messages)
    run(nvim, "vim.cmd('wall')")
    assert (folder / "work" / there.file).read_text(encoding="utf-8") == there.text(N)
    assert "once more" in nvim.lua("return _G.questions")
