"""Blocks of what the person did lately."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.activity.chunks import chunk_at
from palimpsest.context.activity.edits import EditTexts
from palimpsest.context.activity.origins import OriginStep
from palimpsest.context.values import worth
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block

Make = Callable[..., Workspace]
CART = (
    "class Cart:\n    def total(self):\n        return sum(self.prices)\n\n"
    "    def clear(self):\n        self.prices = []\n"
)
HERE = "def other():\n    $0\n"
TOKEN = "ghp_" + "A1b2C3d4" * 5


def work(made: Workspace, file: str, line: int) -> None:
    """The person does something there."""
    path = made.root / file
    snapshot = made.open.get(to_uri(path)) or Snapshot(to_uri(path), 1, "python", path.read_text("utf-8"))
    made.activity.chunks.add(chunk_at(parse_snapshot(snapshot, language_of("", path.name)), line))


def edit(made: Workspace, file: str, line: int, old: str, new: str) -> None:
    uri = to_uri(made.root / file)
    text = (made.root / file).read_text("utf-8")
    after = text.replace(old, new)
    (made.root / file).write_text(after, "utf-8")
    steps = (OriginStep("typed", Snapshot(uri, 2, "python", after)),)
    made.activity.edits.add(EditTexts(Snapshot(uri, 1, "python", text), steps), line, line)


def recent(made: Workspace, file: str = "other.py", text: str = HERE) -> dict[str, Block]:
    return {block.name: block for block in made.blocks(file, text).values() if block.source == "recent"}


def test_a_piece_is_an_editable_range_of_its_file(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART})
    work(made, "shop/cart.py", 2)
    block = recent(made)["shop/cart.py Cart.total"]
    assert block.text == "    def total(self):\n        return sum(self.prices)"
    assert (block.editable, block.uri, block.lines) == (True, to_uri(made.root / "shop/cart.py"), (1, 2))
    assert block.value == pytest.approx(worth("recent", "elsewhere"))


def test_what_the_editing_block_shows_is_left_out(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART})
    work(made, "shop/cart.py", 2)
    work(made, "shop/cart.py", 5)
    inside = CART.replace("return sum", "return $0sum")
    assert list(recent(made, "shop/cart.py", inside)) == ["shop/cart.py Cart.clear"]


def test_what_is_like_the_editing_block_is_left_out(workspace: Make) -> None:
    body = "".join(f"    step_{n}()\n" for n in range(10))
    made = workspace({"a.py": f"def f():\n{body}"})
    work(made, "a.py", 3)
    assert recent(made, "b.py", f"def f():\n    $0\n{body}") == {}
    assert list(recent(made, "b.py", "def f():\n    $0\n    step_0()\n    step_1()\n")) == ["a.py f"]


def test_the_newest_piece_comes_first(workspace: Make) -> None:
    made = workspace({"a.py": CART, "b.py": "def b():\n    return 1\n"})
    work(made, "a.py", 2)
    work(made, "b.py", 1)
    work(made, "a.py", 5)
    found = sorted(recent(made).values(), key=lambda block: -block.value)
    assert [block.name for block in found] == ["a.py Cart.clear", "b.py b", "a.py Cart.total"]


def test_edits_are_small_diffs_the_nearest_first(workspace: Make) -> None:
    made = workspace({"a.py": CART, "b.py": "def b():\n    return 1\n\n\ndef c():\n    return 2\n"})
    edit(made, "b.py", 1, "return 1", "return 10")
    edit(made, "b.py", 5, "return 2", "return 20")
    edit(made, "a.py", 2, "sum(", "max(")
    text = (made.root / "b.py").read_text("utf-8").replace("return 10", "return 10$0")
    found = sorted(recent(made, "b.py", text).values(), key=lambda block: -block.value)
    assert [block.name for block in found] == ["b.py edit 1", "b.py edit 2", "a.py edit 1"]
    assert found[0].text == " def b():\n-    return 1\n+    return 10\n "
    assert not any(block.editable for block in found)


def test_a_piece_that_its_file_no_longer_has(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART})
    work(made, "shop/cart.py", 2)
    view = made.view("other.py", HERE)
    block = next(block for block in made.gatherer.candidates(view) if block.source == "recent")
    assert made.gatherer.still_valid(block, view)
    made.write({"shop/cart.py": "import math\n\n\n" + CART})
    assert recent(made)["shop/cart.py Cart.total"].lines == (4, 5), "others have changed the file"
    made.write({"shop/cart.py": CART.replace("sum", "min")})
    assert recent(made) == {}
    assert not made.gatherer.still_valid(block, view)
    (made.root / "shop/cart.py").unlink()
    assert recent(made) == {}


def test_they_can_be_switched_off(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART}, sources=("class",))
    work(made, "shop/cart.py", 2)
    assert recent(made) == {}


@pytest.mark.parametrize(
    ("rule", "text"), [(".gitignore", "shop/\n"), (".palimpsestignore", "cart.py\n"), ("nothing", "")]
)
def test_nothing_of_what_has_become_ignored_or_secret(workspace: Make, rule: str, text: str) -> None:
    made = workspace({"shop/cart.py": CART})
    work(made, "shop/cart.py", 2)
    edit(made, "shop/cart.py", 5, "self.prices = []", "self.prices.clear()")
    assert len(recent(made)) == 2
    made.write({rule: text} if text else {"shop/cart.py": f"KEY = '{TOKEN}'\n{CART}"})
    assert recent(made) == {}


def test_nothing_of_files_that_no_block_may_contain(workspace: Make, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(CART)
    made = workspace({".env": "PASSWORD=1\nUSER=me\n", "key.py": f"a = 1\nKEY = '{TOKEN}'\n", "ok.py": "a = 1\n"})
    (made.root / "linked.py").symlink_to(outside)
    for file in (".env", "key.py", "linked.py", str(outside), "ok.py"):
        work(made, file, 0)
    assert list(recent(made)) == ["ok.py"]
