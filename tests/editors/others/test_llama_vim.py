"""The documents' snippet for llama.vim, in Vim, on the engine's own port."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import snippet
from tests.editors.conftest import PATIENCE_S, environment, running, until
from tests.editors.others.conftest import StartVim

SHOWN = "filter(prop_list(line('.')), {_, prop -> prop.type == 'llama_hl_fim_hint' && has_key(prop, 'text')})"


@pytest.fixture
def port(folder: Path) -> Iterator[int]:
    """Where an engine answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    command = [sys.executable, "-P", "-m", "palimpsest", "engine", "--http", str(number)]
    engine = subprocess.Popen(command, env=environment(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: running(folder), engine.poll)
    yield number
    engine.terminate()
    engine.wait(PATIENCE_S)


@pytest.mark.slow(part="editors")
def test_a_completion_is_shown_and_accepted(start_vim: StartVim, port: int) -> None:
    vim = start_vim("vim-llama.cpp", snippet("vim", "llama_config").replace("8012", str(port)))
    vim.keys("/total = self.subtotal\roif self.disc")
    vim.until(SHOWN)
    before = vim.ask("getline('.')")
    vim.keys("\t")
    until(lambda: any(line.startswith(before) and line != before for line in vim.ask("getline(1, '$')")), vim.screen)
    assert "rror" not in vim.messages()
