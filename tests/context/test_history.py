"""What git knows of the function at the cursor: the change that is not committed, and the last commits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.visible import visible

Make = Callable[..., Workspace]
CART = """\
class Cart:
    def total(self):
        return sum(self.items)

    def count(self):
        return len(self.items)
"""
ROUNDED = CART.replace("return sum(self.items)", "return round(sum(self.items), 2)")
AT_TOTAL = ROUNDED.replace("2)\n", "2)$0\n")


def git(folder: Path, *arguments: str) -> str:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false")
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=folder, env=variables, check=True, capture_output=True, text=True).stdout


def commit(made: Workspace, files: dict[str, str], subject: str) -> None:
    made.write(files)
    git(made.root, "add", "-A", "-f")
    git(made.root, "commit", "-q", "-m", subject, "--date", "2026-11-02T12:00:00Z")


@pytest.fixture
def shop(workspace: Make) -> Workspace:
    made = workspace()
    git(made.root, "init", "-q")
    commit(made, {"shop/cart.py": CART}, "Carts")
    commit(made, {"shop/cart.py": ROUNDED}, "Round to whole cents")
    return made


def texts(made: Workspace, text: str | None = AT_TOTAL, file: str = "shop/cart.py") -> dict[str, str]:
    return {block.name: block.text for block in made.blocks(file, text).values() if block.source == "git"}


def test_the_last_commits_of_the_function(shop: Workspace) -> None:
    assert texts(shop) == {
        "shop/cart.py Cart.total in git": "2026-11-02 Round to whole cents\n"
        "-        return sum(self.items)\n"
        "+        return round(sum(self.items), 2)\n"
        "2026-11-02 Carts\n"
        "+    def total(self):\n"
        "+        return sum(self.items)"
    }


def test_lines_above_that_are_not_committed_do_not_mislead_it(shop: Workspace) -> None:
    above = "import math\n" * 7
    shop.write({"shop/cart.py": above + ROUNDED})
    found = texts(shop, above + AT_TOTAL)
    assert found["shop/cart.py Cart.total in git"].startswith("2026-11-02 Round to whole cents\n-        return sum")


def test_what_is_saved_and_not_committed(shop: Workspace) -> None:
    shop.write({"shop/cart.py": ROUNDED.replace("len(self.items)", "sum(i.n for i in self.items)")})
    assert texts(shop)["shop/cart.py not committed"] == (
        "...\n     def count(self):\n-        return len(self.items)\n+        return sum(i.n for i in self.items)"
    )
    typed = texts(shop, AT_TOTAL.replace("$0", " + 1$0"))
    assert typed == texts(shop), "what is typed and not saved changes no block"
    git(shop.root, "commit", "-q", "-a", "-m", "Count pieces")
    assert "shop/cart.py not committed" not in texts(shop)


def test_no_block_stays_that_is_not_so_any_more(shop: Workspace) -> None:
    shop.write({"shop/cart.py": ROUNDED.replace("len(self.items)", "0")})
    view = shop.view("shop/cart.py", AT_TOTAL)
    blocks = [block for block in shop.gatherer.candidates(view) if block.source == "git"]
    assert len(blocks) == 2
    assert all(shop.gatherer.still_valid(block, view) for block in blocks)
    elsewhere = shop.view("shop/cart.py", ROUNDED.replace("len(self.items)", "len(self.items)$0"))
    assert all(shop.gatherer.still_valid(block, elsewhere) for block in blocks), "the cursor moved, no more"
    commit(shop, {"shop/cart.py": ROUNDED.replace("2)", "3)")}, "Tenths")
    shop.gatherer.candidates(view)
    assert [shop.gatherer.still_valid(block, view) for block in blocks] == [False, False]


def test_a_new_function_a_new_file_and_no_repository(shop: Workspace, workspace: Make, tmp_path: Path) -> None:
    new = ROUNDED + "\n    def clear(self):\n        self.items = []$0\n"
    assert texts(shop, new) == {}
    assert texts(shop, "def f():\n    $0\n", "shop/new.py") == {}
    (tmp_path / "plain").mkdir()
    plain = Workspace(tmp_path / "plain")
    plain.write({"a.py": "def f():\n    pass\n"})
    assert texts(plain, "def f():\n    $0\n", "a.py") == {}


def test_nothing_of_what_a_block_may_not_contain(shop: Workspace) -> None:
    key = f"KEY = 'AKIA{'Q7' * 8}'"
    commit(shop, {"shop/keys.py": f"def key():\n    {key}\n    return KEY\n"}, "Keys")
    commit(shop, {"shop/keys.py": "def key():\n    return load()\n"}, "No keys in the code")
    commit(shop, {"secret/a.py": "def f():\n    return 1\n", ".gitignore": "secret/\n"}, "All")
    commit(shop, {"secret/a.py": "def f():\n    return 2\n"}, "Two")
    found = texts(shop, "def key():\n    return load()$0\n", "shop/keys.py")
    assert found == {"shop/keys.py key in git": "2026-11-02 No keys in the code\n2026-11-02 Keys"}
    assert texts(shop, "def f():\n    return 2$0\n", "secret/a.py") == {}


def test_a_link_is_not_followed(shop: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def f():\n    return 1\n")
    (shop.root / "linked.py").symlink_to(tmp_path / "outside.py")
    git(shop.root, "add", "linked.py")
    git(shop.root, "commit", "-q", "-m", "A link")
    assert texts(shop, "def f():\n    return 1$0\n", "linked.py") == {}


def test_no_program_that_the_repository_names_is_run(shop: Workspace, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\ncat "$1" 2>/dev/null\n')
    program.chmod(0o755)
    commit(shop, {".gitattributes": "*.py diff=odd filter=odd\n", "shop/cart.py": ROUNDED + "\n"}, "Attributes")
    for name in (
        "diff.odd.textconv",
        "diff.odd.command",
        "diff.external",
        "filter.odd.clean",
        "filter.odd.smudge",
        "filter.odd.process",
        "core.fsmonitor",
        "core.pager",
        "core.hooksPath",
        "gpg.program",
        "core.sshCommand",
        "pager.log",
        "alias.log",
    ):
        git(shop.root, "config", name, f"!{program}" if name.startswith("alias") else str(program))
    git(shop.root, "config", "log.showSignature", "true")
    git(shop.root, "config", "remote.origin.url", f"ext::{program}")
    git(shop.root, "config", "remote.origin.promisor", "true")
    shop.write({"shop/cart.py": ROUNDED + "\n\n"})
    found = texts(shop)
    assert "Round to whole cents" in found["shop/cart.py Cart.total in git"]
    assert "shop/cart.py not committed" in found
    assert not ran.exists(), ran.read_text()


def test_a_history_that_is_damaged_is_no_history(shop: Workspace) -> None:
    for path in (shop.root / ".git" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"damaged")
    assert texts(shop) == {}


def test_a_colon_and_a_dash_in_the_name_are_a_name(shop: Workspace) -> None:
    for name in ("-a:b.py", "a b\n.py", "é.py"):
        commit(shop, {name: "def f():\n    return 1\n"}, "Odd")
        assert texts(shop, "def f():\n    return 1$0\n", name) == {
            f"{visible(name)} f in git": "2026-11-02 Odd\n+def f():\n+    return 1"
        }
