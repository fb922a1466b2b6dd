"""What repeats an insert has the completion that was accepted in it, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.editors.conftest import until
from tests.editors.nvim.conftest import Begin, Plugged, run

REST = 'tal("é–\\n"):\n        return [1]'
OBTRUSIVE = """
vim.o.autoindent, vim.o.cindent, vim.o.textwidth, vim.o.expandtab = true, true, 12, false
vim.cmd.iabbrev("tal WRONG")
vim.paste = function() error("a person pastes nothing") end
"""


@pytest.fixture(params=["0.12", pytest.param("0.11", marks=pytest.mark.slow(part="editors"))])
def nvim(begin: Begin, nvim_tools: Path, request: pytest.FixtureRequest) -> Plugged:
    """With a completion of `self.to` below the first line."""
    program = nvim_tools / "nvim-0.11" if request.param == "0.11" else None
    start, end = ({"line": 1, "character": character} for character in (0, 7))
    item: dict[str, Any] = {"insertText": f"self.to{REST}", "range": {"start": start, "end": end}}
    return begin(program=program, **{"textDocument/inlineCompletion": {"items": [item]}})


def accept(nvim: Plugged, keys: str) -> None:
    nvim.keys(keys)
    until(lambda: (nvim.ghost_now() or ["", ""])[1] == REST, nvim.messages)
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_win_get_cursor(0)[1] > 2")


def settled(nvim: Plugged) -> list[str]:
    nvim.until("return vim.fn.mode() == 'n' and vim.fn.reg_executing() == ''")
    return nvim.lines


ONE = f"self.to{REST}".split("\n")


def test_a_dot_inserts_it_again_whatever_is_set_and_one_undo_takes_it_back(nvim: Plugged) -> None:
    accept(nvim, "ggoself.to")
    run(nvim, OBTRUSIVE.rpartition("vim.paste")[0])
    nvim.keys("<Esc>")
    before = settled(nvim)
    assert before == ["one", *ONE, "two", "three"]
    nvim.keys("G.")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 7")
    assert settled(nvim) == [*before, *ONE]
    nvim.keys("u")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 5")
    assert settled(nvim) == before


def test_a_count_inserts_it_as_often(nvim: Plugged) -> None:
    run(nvim, "vim.bo.autoindent, vim.bo.indentexpr = false, ''")  # which is for where each begins
    accept(nvim, "gg3oself.to")
    nvim.keys("<Esc>")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 9")
    assert settled(nvim) == ["one", *ONE, *ONE, *ONE, "two", "three"]


def test_it_is_inserted_as_it_is_whatever_is_done_with_what_is_pasted(nvim: Plugged) -> None:
    run(nvim, OBTRUSIVE)
    accept(nvim, "ggoself.to")
    nvim.keys("<Esc>")
    assert settled(nvim) == ["one", *ONE, "two", "three"]
    assert "pastes" not in nvim.messages()


def test_a_macro_has_it_in_place_of_the_key(nvim: Plugged) -> None:
    run(nvim, "vim.fn.setreg('q', 'gg')")
    accept(nvim, "qQoself.to")
    nvim.keys("<Esc>q")
    nvim.keys("G@q")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 7")
    assert settled(nvim) == ["one", *ONE, *ONE, "two", "three"]
    nvim.keys("G.")
    nvim.until("return vim.api.nvim_buf_line_count(0) == 9")
    assert settled(nvim)[-2:] == ONE
    assert nvim.lua("return vim.fn.getreg('q'):find('\\t') == nil")


def test_where_nothing_was_accepted_a_macro_is_what_was_typed(nvim: Plugged) -> None:
    nvim.keys("qqO–<Tab>x<Esc>q")
    nvim.until("return vim.fn.reg_recording() == ''")
    assert settled(nvim)[0].split() == ["–", "x"]
    nvim.lua("vim.wait(50) return true")
    assert nvim.lua("return vim.fn.getreg('q')") == "O–\tx\x1b"
