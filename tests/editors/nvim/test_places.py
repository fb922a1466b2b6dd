"""What is shown belongs to one text and one place in it, and a key accepts it only there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.conftest import until
from tests.editors.nvim.conftest import Begin, Plugged, run

INLINE = "textDocument/inlineCompletion"
NATIVE = "vim.g.palimpsest = vim.tbl_extend('error', vim.g.palimpsest, { inline = { backend = 'native' } })\n"
REST = "al_price()"
ENDED = "return vim.fn.mode() == 'n'"


def offered(row: int = 1) -> dict[str, Any]:
    start, end = ({"line": row, "character": character} for character in (0, 8))
    return {INLINE: {"items": [{"insertText": f"self.tot{REST}", "range": {"start": start, "end": end}}]}}


def shown(nvim: Plugged) -> str:
    return (nvim.ghost_now() or ["", ""])[1]


@pytest.fixture(params=["own", pytest.param("native", marks=pytest.mark.slow(part="editors"))])
def nvim(begin: Begin, request: pytest.FixtureRequest) -> Plugged:
    """With a completion behind `self.tot` in the second line, and text keys as Vim has them."""
    nvim = begin("one\nself.tot\nthree\n", init=NATIVE if request.param == "native" else "", **offered())
    run(nvim, "vim.bo.expandtab, vim.bo.indentexpr = false, ''")
    nvim.keys("ggjA")
    until(lambda: shown(nvim) == REST, nvim.messages)
    return nvim


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("x<Tab>y", ["self.totx\ty"]),
        ("<BS><Tab>y", ["self.to\ty"]),
        ("<CR><Tab>y", ["self.tot", "\ty"]),
        ("<BS><BS>aa<Tab>y", ["self.taa\ty"]),
        ("a<Tab>y", [f"self.tot{REST}y"]),
    ],
)
def test_of_keys_that_come_at_once_the_last_is_what_it_is_behind_the_others(
    nvim: Plugged, keys: str, lines: list[str]
) -> None:
    nvim.keys(f"{keys}<Esc>")
    nvim.until(ENDED)
    assert nvim.lines == ["one", *lines, "three"]


def test_what_is_shown_goes_with_the_text_before_it(nvim: Plugged) -> None:
    run(nvim, "vim.lsp.get_clients()[1].request = function() return true, 0 end")
    nvim.keys("<BS><BS>aa")
    nvim.until("return vim.api.nvim_get_current_line() == 'self.taa'")
    until(lambda: not shown(nvim), nvim.messages)


def test_behind_the_end_of_a_line_nothing_is_shown_and_nothing_accepted(nvim: Plugged) -> None:
    run(nvim, "vim.o.virtualedit = 'all'")
    nvim.keys("<Right><Right><Right>")
    nvim.until("return vim.fn.getcurpos()[4] == 3")
    until(lambda: not shown(nvim), nvim.messages)
    nvim.keys("<Tab>y<Esc>")
    nvim.until(ENDED)
    assert REST not in nvim.lines[1]


def test_where_text_is_replaced_or_cannot_be_changed_nothing_is_accepted(nvim: Plugged) -> None:
    nvim.keys("<Insert><Tab><Esc>")
    nvim.until(ENDED)
    assert nvim.lines[1] == "self.tot\t"
    nvim.keys("u")
    nvim.until("return vim.api.nvim_get_current_line() == 'self.tot'")
    nvim.keys("A<BS>t")
    until(lambda: shown(nvim) == REST, nvim.messages)
    run(nvim, "vim.bo.modifiable = false")
    nvim.keys("<Tab><Esc>")
    nvim.until(ENDED)
    assert REST not in nvim.lines[1]
    assert "stack traceback" not in nvim.messages()
