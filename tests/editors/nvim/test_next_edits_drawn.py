"""How a next edit looks: what comes and what goes is read beside the code, which stays readable, and nothing of it is
out of sight."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.editors.answers import edit, tell
from tests.editors.conftest import until
from tests.editors.nvim.conftest import Begin, Plugged, ask, run

pytestmark = pytest.mark.slow(part="editors")

SCREEN = """
  vim.cmd.redraw()
  local rows = {}
  for row = 1, vim.api.nvim_win_get_height(0) do
    local cells = {}
    for column = 1, vim.o.columns do table.insert(cells, vim.fn.screenstring(row, column)) end
    rows[row] = table.concat(cells):gsub('%s+$', ''):gsub('^~$', '')
  end
  while rows[#rows] == '' do table.remove(rows) end
  return rows
"""
STRUCK = """
  local space, found = vim.api.nvim_get_namespaces()['palimpsest.next_edit'], {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
    local row, column, details = mark[2], mark[3], mark[4]
    if details.hl_group then
      table.insert(found, vim.api.nvim_buf_get_text(0, row, column, row, details.end_col, {})[1])
    end
  end
  return found
"""
TAKE = "require('palimpsest.next_edits').take()"
HINT = "  Tab accepts: a change"
CODE = "def f(a):\n    b = a\n    return b\n\n\nprint(f(1))\n"


def screen(nvim: Plugged) -> list[str]:
    rows: list[str] = nvim.lua(SCREEN)
    return rows


@dataclass(frozen=True)
class Case:
    at: str
    """Keys that lead to where it is looked at."""
    start: tuple[int, int]
    end: tuple[int, int]
    put: str
    shown: list[str]
    struck: list[str]
    text: str = CODE


CASES = {
    "a word that another takes the place of": Case(
        "gg", (1, 8), (1, 9), "c",
        ["def f(a):" + HINT, "    b = ac", "    return b", "", "", "print(f(1))"], ["a"],
    ),
    "a word that grows": Case(
        "gg", (0, 4), (0, 5), "total_of",
        ["def total_of(a):" + HINT, "    b = a", "    return b", "", "", "print(f(1))"], [],
    ),
    "lines put in": Case(
        "gg", (1, 0), (1, 0), "    if not a:\n        return a\n",
        ["def f(a):" + HINT, "    if not a:", "        return a", *CODE.splitlines()[1:]], [],
    ),
    "a line above the first": Case(
        "gg", (0, 0), (0, 0), "import os\n\n\n",
        ["import os", "", "", "def f(a):" + HINT, "    b = a", "    return b", "", "", "print(f(1))"], [],
    ),
    "a line behind the last": Case(
        "G", (6, 0), (6, 0), "print(f(2))\n",
        ["def f(a):", "    b = a", "    return b", "", "", "print(f(1))" + HINT, "print(f(2))"], [],
    ),
    "lines that go": Case(
        "j", (1, 0), (3, 0), "",
        ["def f(a):", "    b = a" + HINT, "    return b", "", "", "print(f(1))"], ["b = a", "return b"],
    ),
    "the last line goes": Case(
        "G", (5, 0), (6, 0), "",
        ["def f(a):", "    b = a", "    return b", "", "", "print(f(1))" + HINT], ["print(f(1))"],
    ),
    "two lines that become one": Case(
        "j", (1, 0), (2, 12), "    return a",
        ["def f(a):", "    b = a" + HINT, "    return b", "    return a", "", "", "print(f(1))"], ["b = a", "return b"],
    ),
    "a line that becomes two": Case(
        "j", (1, 9), (1, 9), " or 1\n    b += 1",
        ["def f(a):", "    b = a or 1" + HINT, "    b += 1", "    return b", "", "", "print(f(1))"], [],
    ),
    "a line that becomes another": Case(
        "G", (5, 0), (5, 11), "exit()",
        ["def f(a):", "    b = a", "    return b", "", "", "print(f(1))" + HINT, "exit()"], ["print(f(1))"],
    ),
    "places in two lines": Case(
        "j", (1, 4), (2, 12), "c = a\n    return c",
        ["def f(a):", "    bc = a" + HINT, "    return bc", "", "", "print(f(1))"], ["b", "b"],
    ),
    "tabs": Case(
        "gg", (1, 0), (1, 0), "\tb()\n", ["a {" + HINT, "        b()", "}"], [], "a {\n}\n",
    ),
    "characters of several bytes": Case(
        "gg", (0, 5), (0, 6), "ö", ["é = 'äö'" + HINT], ["ä"], "é = 'ä'\n",
    ),
}  # fmt: skip


def made(case: Case) -> list[str]:
    lines = case.text.split("\n")
    (row, column), (end_row, end_column) = case.start, case.end
    whole = "\n".join([*lines[:row], lines[row][:column]]) + case.put
    whole += "\n".join([lines[end_row][end_column:], *lines[end_row + 1 :]])
    return whole.removesuffix("\n").split("\n")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_comes_stands_beside_the_code_and_what_goes_is_struck_through(begin: Begin, case: Case) -> None:
    nvim = begin(case.text, **{"palimpsest/nextEdit": edit(case.start, case.end, case.put)})
    nvim.keys(f":set tabstop=8<CR>{case.at}")
    ask(nvim)
    assert screen(nvim) == case.shown
    assert nvim.lua(STRUCK) == case.struck
    run(nvim, TAKE)
    assert nvim.lines == made(case)
    assert "\n".join(screen(nvim)) == "\n".join(nvim.lines).expandtabs().rstrip(), "nothing is left of it"


@pytest.mark.parametrize("wraps", [False, True])
def test_what_comes_at_the_end_of_a_long_line_is_seen(begin: Begin, wraps: bool) -> None:
    line = "print(" + "1, " * 23 + "1)"
    nvim = begin(f"{line}\nprint()\n", **{"palimpsest/nextEdit": edit((0, 75), (0, 76), "1, end='no end')")})
    nvim.keys(f":set columns=80 {'' if wraps else 'no'}wrap<CR>")
    ask(nvim)
    rows = screen(nvim)
    assert "end='no end')" in "".join(row.ljust(80) for row in rows).replace(" " * 3, "")
    assert any("Tab accepts" in row for row in rows)
    assert "print()" in rows


def test_lines_wider_than_the_window_come_in_several(begin: Begin) -> None:
    put = "print(" + "1, " * 60 + "1)"
    nvim = begin(CODE, **{"palimpsest/nextEdit": edit((6, 0), (6, 0), put + "\n")})
    nvim.keys(":set columns=80<CR>G")
    ask(nvim)
    assert put in "".join(row.ljust(80) for row in screen(nvim))


@pytest.mark.parametrize(("rows", "keys"), [(2, 1), (3, 2)])
def test_one_key_makes_it_two_rows_away_farther_off_the_first_one_jumps(begin: Begin, rows: int, keys: int) -> None:
    nvim = begin("1\n2\n3\n4\n5\n6\n7\n", **{"palimpsest/nextEdit": edit((3, 0), (3, 1), "four")})
    for way in (-rows, rows):
        nvim.keys(f"{4 + way}G")
        ask(nvim)
        assert any("Tab accepts" in row for row in screen(nvim)) is (keys == 1)
        for key in range(keys):
            assert nvim.lines[3] == "4", f"key {key + 1}"
            nvim.keys("<Tab>")
        until(lambda: nvim.lines[3] == "four", nvim.messages)
        nvim.keys("u")
        until(lambda: nvim.lines[3] == "4", nvim.messages)


def test_what_would_come_below_the_window_is_jumped_to_first(begin: Begin, folder: Path) -> None:
    nvim = begin("".join(f"line {n}\n" for n in range(60)))
    new = [f"new {n}" for n in range(5)]
    bottom: int = nvim.lua("vim.o.scrolloff = 0 return vim.fn.line('w$')")
    nvim.keys(f"{bottom}G")
    offered = edit((bottom, 0), (bottom, 0), "".join(f"{line}\n" for line in new))
    tell(folder, **{"palimpsest/nextEdit": offered, "palimpsest.nextEdit.accept": {"edits": [], "total": 0}})
    ask(nvim)
    run(nvim, TAKE)
    assert len(nvim.lines) == 60, "it jumps"
    rows = screen(nvim)
    assert [row for row in rows if row in new] == new
    run(nvim, TAKE)
    assert nvim.lines[bottom : bottom + 5] == new


def test_a_fold_is_opened_before_what_is_in_it_is_made(begin: Begin) -> None:
    nvim = begin(CODE, **{"palimpsest/nextEdit": edit((2, 11), (2, 12), "a")})
    nvim.keys(":2,3fold<CR>gg")
    ask(nvim)
    run(nvim, TAKE)
    assert nvim.lines == CODE.splitlines(), "it jumps"
    assert nvim.lua("return vim.fn.foldclosed(3)") == -1
    run(nvim, TAKE)
    assert nvim.lines[2] == "    return a"


def test_the_cursor_and_the_window_stay_where_they_are_until_a_key_is_pressed(begin: Begin) -> None:
    code = "".join(f"line {n}\n" for n in range(90))
    nvim = begin(code, **{"palimpsest/nextEdit": edit((80, 0), (80, 4), "row")})
    where = "local view = vim.fn.winsaveview() return { view.lnum, view.col, view.topline, view.leftcol }"
    nvim.keys("30Gztw")
    before = nvim.lua(where)
    ask(nvim)
    assert any("↓ line 81" in row for row in screen(nvim))
    assert nvim.lua(where) == before
    nvim.keys("<Tab>")
    until(lambda: nvim.lua(where)[0] == 81, nvim.messages)
    assert nvim.lines == code.splitlines(), "one key does one thing"
    nvim.keys("<C-o>")
    until(lambda: nvim.lua(where)[:2] == before[:2], nvim.messages)
    nvim.keys("<Esc>")
    until(lambda: not any("line 81" in row for row in screen(nvim)), nvim.messages)
    assert nvim.lua(where)[:2] == before[:2]
