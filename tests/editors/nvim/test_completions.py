"""Typing, grey text, and accepting all of it or a part."""

from __future__ import annotations

import pytest

from tests.editors.nvim.conftest import Start

pytestmark = pytest.mark.slow

INTERFACES = {"native": "", "own": "vim.g.palimpsest = { inline = { backend = 'own' } }"}


@pytest.mark.parametrize("backend", list(INTERFACES))
def test_a_word_a_line_and_all_are_accepted(start: Start, backend: str) -> None:
    nvim = start(INTERFACES[backend])
    nvim.ready()
    nvim.keys("/total = self.subtotal<CR>oif self.disc")
    text = nvim.ghost()
    before = nvim.line
    shown = nvim.ghost_now()
    assert shown
    assert ("nvim.lsp" in shown[0]) == (backend == "native")
    nvim.keys("<M-Right>")
    nvim.until(f"return vim.api.nvim_get_current_line() ~= [[{before}]]")
    word = nvim.line.removeprefix(before)
    assert word
    assert text.startswith(word)
    rest = nvim.ghost()
    assert word + rest == text, "the rest stays on the screen"
    nvim.keys("<Tab>")
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{before + text}]]")
