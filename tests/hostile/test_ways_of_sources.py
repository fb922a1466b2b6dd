"""What no block may contain, by whatever source: documents, tests, what was done lately, rules, the index.

Each source shows something of a file first.  Then that file is ignored, hidden, a link that leads outside, binary,
minified, or gets a token: nothing of it is in any block, nor its name if it is ignored or hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.context.activity.chunks import chunk_at
from palimpsest.context.activity.edits import EditTexts
from palimpsest.context.activity.origins import OriginStep
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from tests.context.context_workspace import Workspace

TOKEN = "ghp_" + "A1b2C3d4" * 5
MAIN = """\
class Cart:
    def total(self):
        \"\"\"See [[promises]].\"\"\"
        lost_class = LostClass()
        lost_function(3)
        $0
        return lost_class
"""
PLANTED = {
    "docs/promises.md": "# Promises\n\nEvery planted_promise is kept.\n",
    "docs/totals.md": "# Totals\n\n## How totals are made\n\n`Cart.total` adds up each planted_total of a cart.\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    planted_test = Cart().total()\n"
    "    assert planted_test\n",
    "shop/lost.py": "class LostClass:\n    planted_member = 1\n\n\ndef lost_function(planted_argument): ...\n",
    "shop/lately.py": "def lately():\n    planted_lately = 1\n    return planted_lately\n",
    "shop/edited.py": "def edited():\n    planted_before = 1\n    return 1\n",
    "AGENTS.md": "# Rules\n\nA planted_rule is followed.\n",
    "README.md": "# Shop\n\n## Carts\n\n`Cart.total` is a planted_readme.\n",
}
MARKS = {
    "docs/promises.md": ("planted_promise",),
    "docs/totals.md": ("planted_total",),
    "tests/test_cart.py": ("planted_test",),
    "shop/lost.py": ("planted_member", "planted_argument"),
    "shop/lately.py": ("planted_lately",),
    "shop/edited.py": ("planted_before", "planted_after"),
    "AGENTS.md": ("planted_rule",),
    "README.md": ("planted_readme",),
}
Spoil = Callable[[Path, str], None]


def ignore(root: Path, name: str) -> None:
    (root / ".gitignore").write_text(f"/{name}\n")


def hide(root: Path, name: str) -> None:
    (root / ".palimpsestignore").write_text(f"/{name}\n")


def hide_folder(root: Path, name: str) -> None:
    """All of the folder that it is in, if that is not the main file's own."""
    folder = Path(name).parent.as_posix()
    (root / ".palimpsestignore").write_text(f"/{name if folder in ('.', 'shop') else folder}\n")


def lead_outside(root: Path, name: str) -> None:
    (root / name).replace(root.parent / Path(name).name)
    (root / name).symlink_to(root.parent / Path(name).name)


def lead_to_secret(root: Path, name: str) -> None:
    (root / name).replace(root / ".env.local")
    (root / name).symlink_to(root / ".env.local")


def lead_through_folder(root: Path, name: str) -> None:
    """A link to an ignored folder inside."""
    (root / "build").mkdir()
    (root / name).replace(root / "build" / Path(name).name)
    (root / name).symlink_to(root / "build" / Path(name).name)
    (root / ".gitignore").write_text("build/\n")


def add_token(root: Path, name: str) -> None:
    (root / name).write_text(f"{(root / name).read_text()}\nTOKEN = '{TOKEN}'\n")


def make_binary(root: Path, name: str) -> None:
    (root / name).write_bytes((root / name).read_bytes() + b"\0\xff\xfe")


def minify(root: Path, name: str) -> None:
    text = (root / name).read_text()
    (root / name).write_text(f"{text}\n{'x=1;' * 1000}\n")


NAMES_TOO = (ignore, hide, hide_folder)
WAYS: tuple[Spoil, ...] = (
    *(ignore, hide, hide_folder, lead_outside, lead_to_secret, lead_through_folder),
    *(add_token, make_binary, minify),
)


def shop(folder: Path) -> Workspace:
    (folder / "work").mkdir()
    made = Workspace(folder / "work")
    made.write({**PLANTED, "shop/__init__.py": "", "shop/cart.py": MAIN.replace("$0", "pass")})
    made.build_index()
    path = made.root / "shop/lately.py"
    snapshot = Snapshot(to_uri(path), 1, "python", path.read_text())
    made.activity.chunks.add(chunk_at(parse_snapshot(snapshot, language_of("", path.name)), 1))
    path = made.root / "shop/edited.py"
    before = path.read_text()
    path.write_text(before.replace("planted_before", "planted_after"))
    old, new = (Snapshot(to_uri(path), n, "python", text) for n, text in enumerate((before, path.read_text())))
    made.activity.edits.add(EditTexts(old, (OriginStep("typed", new),)), 1, 1)
    return made


def shown(made: Workspace) -> dict[str, str]:
    return {str(key): f"{key}\n{block.text}" for key, block in made.blocks("shop/cart.py", MAIN).items()}


def test_each_source_shows_something(tmp_path: Path) -> None:
    text = "\n".join(shown(shop(tmp_path)).values())
    assert [mark for marks in MARKS.values() for mark in marks if mark not in text] == []
    assert [name for name in PLANTED if name not in text] == []


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", PLANTED)
def test_nothing_of_a_file_that_no_block_may_contain(tmp_path: Path, name: str, way: Spoil) -> None:
    made = shop(tmp_path)
    shown(made)  # whatever is cached is cached
    way(made.root, name)
    check_nothing_shown(made, name, way)  # by the old index
    made.build_index()
    check_nothing_shown(made, name, way)


def check_nothing_shown(made: Workspace, name: str, way: Spoil) -> None:
    blocks = shown(made)
    assert {key: mark for key, text in blocks.items() for mark in MARKS[name] if mark in text} == {}
    assert not [key for key, text in blocks.items() if TOKEN in text]
    if way in NAMES_TOO:
        assert [key for key, text in blocks.items() if Path(name).name in text] == []
    others = "\n".join(blocks.values())
    kept = [mark for other, marks in MARKS.items() for mark in marks if Path(other).parent != Path(name).parent]
    assert [mark for mark in kept if mark not in others] == [], "only that file is left out"
