"""The documents' snippet for ALE, in Vim."""

from __future__ import annotations

import pytest

from tests.documents import snippet
from tests.editors.conftest import until
from tests.editors.others.conftest import StartVim
from tests.editors.others.vim import Vim

CONFIGURATION = snippet("vim", "ale#linter#Define")
OURS = "let g:ale_linters = {'python': ['palimpsest']}\n"


@pytest.fixture
def vim(start_vim: StartVim) -> Vim:
    return start_vim("vim-ale", OURS + CONFIGURATION)


@pytest.mark.slow(part="editors")
def test_a_misspelt_name_is_mended(vim: Vim) -> None:
    vim.keys("/totla)\r:ALECodeAction\r")
    until(lambda: "Type number" in vim.screen(), vim.screen)
    vim.keys("1\r")
    vim.until("search('amount(total)', 'nw')")
    assert "rror" not in vim.messages()
