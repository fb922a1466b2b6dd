"""The tree of files around the document."""

from __future__ import annotations

from collections.abc import Callable

from context_workspace import Workspace

Make = Callable[..., Workspace]
FILES = {
    "README.md": "",
    "main.py": "",
    "shop/__init__.py": "",
    "shop/cart.py": "def a():\n    pass$0\n\n\ndef b():\n    pass\n",
    "shop/item.py": "x = 1\n",
    "shop/parts/deep.py": "",
    "tests/test_cart.py": "",
    ".env": "TOKEN=1",
    ".gitignore": "*.log\n",
    "shop/trace.log": "",
}


def test_it_lists_the_folder_those_above_and_those_near(workspace: Make) -> None:
    block = workspace(FILES).blocks("shop/cart.py")["filesystem:shop"]
    assert block.text.split("\n") == [
        ".gitignore",
        "README.md",
        "main.py",
        "shop/",
        "shop/__init__.py",
        "shop/cart.py",
        "shop/item.py",
        "shop/parts/",
        "shop/parts/deep.py",
        "tests/",
        "tests/test_cart.py",
    ]


def test_at_the_top_it_is_named_root(workspace: Make) -> None:
    assert "filesystem:root" in workspace(FILES).blocks("main.py", "x$0")


def test_it_is_the_same_wherever_in_the_folder_the_cursor_is(workspace: Make) -> None:
    made = workspace(FILES)
    texts = {
        made.blocks("shop/cart.py")["filesystem:shop"].text,
        made.blocks("shop/cart.py", "def b():\n    return $0")["filesystem:shop"].text,
        made.blocks("shop/item.py", "y = $0")["filesystem:shop"].text,
    }
    assert len(texts) == 1


def test_a_huge_folder_is_cut_and_the_cut_is_stable(workspace: Make) -> None:
    made = workspace({f"data/f{n:04}.py": "" for n in range(800)})
    one = made.blocks("data/f0001.py", "x = $0")["filesystem:data"].text
    other = made.blocks("data/f0700.py", "x = $0")["filesystem:data"].text
    assert one == other
    assert len(one) < 1500
    assert one.startswith("data/f0000.py\ndata/f0001.py")


def test_links_to_folders_are_named_but_not_walked(workspace: Make) -> None:
    made = workspace(FILES)
    (made.root / "shop" / "again").symlink_to(made.root / "shop")
    lines = made.blocks("shop/cart.py")["filesystem:shop"].text.split("\n")
    assert "shop/again/" in lines
    assert not [line for line in lines if line.startswith("shop/again/") and line != "shop/again/"]


def test_a_file_outside_every_folder_has_no_tree(workspace: Make) -> None:
    made = workspace(FILES)
    outside = made.root.parent / "elsewhere.py"
    assert not [key for key in made.blocks(str(outside), "x = $0") if key.startswith("filesystem:")]
