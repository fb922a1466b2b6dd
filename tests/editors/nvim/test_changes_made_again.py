"""A change that a person makes twice by hand is offered everywhere else in the file, one Tab after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.changes import NAMES, Change, N, each
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


@each
def test_it_is_made_in_all_other_places_by_tab(start: Start, folder: Path, change: Change) -> None:
    (folder / "work" / change.file).write_text(change.text(0), encoding="utf-8")
    nvim = start(WITHOUT_ENGINE, file=change.file)
    nvim.attached()
    run(nvim, "vim.bo.autoindent, vim.bo.copyindent, vim.bo.cindent, vim.bo.indentexpr = true, true, false, ''")
    by_hand(nvim, change, 0)
    by_hand(nvim, change, 1)
    for n in range(2, N):
        wanted, line = change.text(n + 1).split("\n")[:-1], change.at(n)[0]
        nvim.until(VISIBLE)
        nvim.keys("<Tab>")
        until(lambda wanted=wanted, line=line: nvim.lines == wanted or abs(nvim.lua(ROW) - line) < 2, nvim.messages)
        if nvim.lines != wanted:  # it goes there first
            nvim.keys("<Tab>")
        until(lambda wanted=wanted: nvim.lines == wanted, lambda: (nvim.lines, nvim.messages()))
    nvim.keys("<Cmd>write<CR>")
    until(lambda: (folder / "work" / change.file).read_text(encoding="utf-8") == change.text(N), nvim.messages)
