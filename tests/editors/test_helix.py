"""The documents' `languages.toml`, in Helix: it finds the server, and a code action is made in it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import snippet
from tests.editors.conftest import environment, until
from tests.editors.terminal import Terminal

TITLE = "Palimpsest: improve"


@pytest.fixture
def configured(folder: Path) -> Path:
    own = folder / "config" / "helix" / "languages.toml"
    own.parent.mkdir()
    own.write_text(snippet("toml", "language-server"), encoding="utf-8")
    return folder


@pytest.mark.slow(part="editors")
def test_helix_finds_the_server(editors: Path, configured: Path) -> None:
    health = subprocess.run(
        [editors / "hx", "--health", "python"], env=environment(configured), capture_output=True, text=True, check=True
    )
    told = re.sub(r"\x1b\[[0-9;]*m", "", health.stdout)
    assert re.search(r"✓ palimpsest: \S*/palimpsest", told), told


@pytest.fixture
def terminal(editors: Path, configured: Path) -> Iterator[Terminal]:
    made = Terminal([str(editors / "hx"), "shop/cart.py:60"], configured / "work", environment(configured))
    yield made
    made.close()


@pytest.mark.slow(part="editors")
def test_a_code_action_is_made(terminal: Terminal, configured: Path) -> None:
    """The sample has a slip in that line."""
    file = configured / "work" / "shop" / "cart.py"
    assert "amount(totla)" in file.read_text(encoding="utf-8")
    seen = ""

    def offered() -> bool:
        """Asked again for as long as the model is being loaded."""
        nonlocal seen
        terminal.keys("\x1b a")
        seen = terminal.screen()
        return TITLE in seen

    until(offered, lambda: seen)
    terminal.keys("\r")

    def corrected() -> bool:
        terminal.keys(":w\r")
        return "amount(total)" in file.read_text(encoding="utf-8")

    until(corrected, terminal.screen)
    assert "CANCELLED" not in seen
    assert "Error in server" not in terminal.screen()
