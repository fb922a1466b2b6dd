"""Blocks of files that nobody can write, or that are outside of the workspace, are not to be edited."""

from __future__ import annotations

from collections.abc import Callable

from context_workspace import Workspace

from palimpsest.text.uris import to_uri

Make = Callable[..., Workspace]
FILES = {
    "shop/__init__.py": "",
    "shop/item.py": "class Item:\n    price: int\n",
    "docs/prices.md": "# Prices\n\nWhat things cost.\n",
    "notes.txt": "Notes.\n",
}
CODE = "from shop.item import Item\n\n\ndef total(item: Item):\n    # [[prices]]\n    return $0\n"


def editable(made: Workspace) -> set[str]:
    return {block.name for block in made.blocks("shop/cart.py", CODE).values() if block.editable}


def test_ranges_of_files_are_to_be_edited(workspace: Make) -> None:
    made = workspace(FILES)
    made.pin("notes.txt")
    assert editable(made) == {"shop.item.Item", "docs/prices.md", "notes.txt"}


def test_those_of_write_protected_files_are_not(workspace: Make) -> None:
    made = workspace(FILES)
    made.pin("notes.txt")
    for name in ("shop/item.py", "docs/prices.md", "notes.txt"):
        (made.root / name).chmod(0o444)
    assert editable(made) == set()
    assert {"class:shop.item.Item", "documentation:docs/prices.md"} <= made.blocks("shop/cart.py", CODE).keys()
    (made.root / "notes.txt").chmod(0o644)
    assert editable(made) == {"notes.txt"}


def test_nor_are_blocks_from_outside_about_files_outside(workspace: Make) -> None:
    made = workspace(FILES)
    for place in (made.root.parent / "away.py", made.root / "near.py"):
        place.write_text("x = 1\n")
        made.external.put("file", place.name, "x = 1", editable=True, uri=to_uri(place))
    assert {"near.py"} <= editable(made)
    assert "away.py" not in editable(made)


def test_every_editable_block_with_lines_is_what_the_document_says_there(workspace: Make) -> None:
    made = workspace(FILES)
    made.pin("notes.txt")
    blocks = [b for b in made.blocks("shop/cart.py", CODE).values() if b.editable and b.lines and b.type != "class"]
    assert blocks
    for block in blocks:
        lines = (made.root / block.name).read_text().split("\n")
        assert [lines[n] for n in block.lines or () if n is not None] == block.text.split("\n")
