"""Bash: the scripts that a script reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, modules, offered, write

Make = Callable[..., Workspace]
MAIN = """\
source "$(dirname "${BASH_SOURCE[0]}")/lib/say.sh"
. ./gone.sh
. /etc/profile
. ../../outside.sh

greet() {
  say hello
}
"""
SHOP = {"bin/main.sh": MAIN, "bin/lib/say.sh": '# Says it.\nsay() {\n  echo "$1"\n}\n\nCOLOUR=red\n'}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    write(tmp_path, {"outside.sh": "out() { true; }\n"})
    return tmp_path / "shop"


def test_files(shop: Path) -> None:
    found = modules(shop, "shellscript")
    assert [module for _, _, module in imported(found, shop, "bin/main.sh")] == ["bin/lib/say.sh", None, None, None]
    assert files_of(found, shop, "bin/lib/say.sh", "bin/main.sh") == ["bin/lib/say.sh"]
    for name in ("gone.sh", "../outside.sh", ""):
        assert files_of(found, shop, name, "bin/main.sh") == []
    assert offered(found, "bin/lib/say.sh", shop / "bin/main.sh") == {"say": "say()", "COLOUR": "COLOUR=red"}


def test_a_block_for_what_the_code_uses(workspace: Make) -> None:
    made = workspace(SHOP)
    found = made.blocks("bin/main.sh", MAIN.replace("say hello", "say hello$0"))
    assert "say()" in found["package:bin/lib/say.sh"].text
