"""The tree of files around the document."""

from __future__ import annotations

from collections.abc import Callable

from context_workspace import Workspace

from palimpsest.workspace.files import MAX_ENTRIES

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


def crowded(number: int) -> dict[str, str]:
    return {f"data/f{n:04}.py": "" for n in range(number)} | {"main.py": "", "shop/cart.py": ""}


def tree(made: Workspace, file: str) -> list[str]:
    found = [block for block in made.blocks(file, "x = $0").values() if block.type == "filesystem"]
    return found[0].text.split("\n")


def test_of_a_crowded_folder_the_files_nearest_by_name_are_listed(workspace: Make) -> None:
    lines = tree(workspace(crowded(800)), "data/f0700.py")
    shown = [line for line in lines if line.startswith("data/f")]
    assert "data/f0700.py" in shown
    assert shown == [f"data/f{n:04}.py" for n in range(int(shown[0][6:10]), int(shown[-1][6:10]) + 1)]
    assert f"data/… {800 - len(shown)} more" in lines


def test_a_crowded_folder_takes_no_room_from_what_is_around_it(workspace: Make) -> None:
    lines = tree(workspace(crowded(800)), "data/f0700.py")
    assert {"main.py", "shop/", "shop/cart.py"} <= set(lines)
    assert len("\n".join(lines)) < 1500


def test_beside_a_crowded_folder_little_of_it_is_listed(workspace: Make) -> None:
    lines = tree(workspace(crowded(800)), "shop/cart.py")
    assert 3 <= len([line for line in lines if line.startswith("data/f")]) <= 12
    assert any(line.startswith("data/… 7") and line.endswith(" more") for line in lines)


def test_files_of_the_same_kind_and_the_same_stem_come_first(workspace: Make) -> None:
    many = {f"src/data{n:03}.json": "" for n in range(300)}
    made = workspace(many | {"src/cart.py": "", "src/zoo.py": "", "src/cart.html": "", "src/old/x.py": ""})
    assert {"src/cart.py", "src/zoo.py", "src/cart.html", "src/old/"} <= set(tree(made, "src/cart.py"))


def test_more_entries_than_are_read_are_said_to_be_at_least_so_many(workspace: Make) -> None:
    lines = tree(workspace(crowded(MAX_ENTRIES + 1)), "shop/cart.py")
    assert any(line.startswith("data/… ") and line.endswith(" or more") for line in lines)


def test_long_names_are_cut_to_the_tokens_and_the_rest_is_counted(workspace: Make) -> None:
    made = workspace({f"data/{'long' * 40}{n}.py": "" for n in range(9)} | {"main.py": ""}, block_tokens=300)
    lines = tree(made, f"data/{'long' * 40}4.py")
    assert any("… " in line for line in lines)
    assert "main.py" in lines
    assert len("\n".join(lines)) < 1000


def test_folders_of_subfolders_are_listed_too(workspace: Make) -> None:
    made = workspace({"main.py": "", "a/b/c.py": "", "a/b/d/e.py": ""})
    assert tree(made, "main.py") == ["a/", "a/b/", "a/b/c.py", "a/b/d/", "main.py"]


def test_what_is_created_renamed_and_deleted_changes_the_text(workspace: Make) -> None:
    made = workspace({"shop/cart.py": ""})
    (made.root / "shop" / "new.py").touch()
    assert "shop/new.py" in tree(made, "shop/cart.py")
    (made.root / "shop" / "new.py").rename(made.root / "shop" / "newer.py")
    assert tree(made, "shop/cart.py") == ["shop/", "shop/cart.py", "shop/newer.py"]
    (made.root / "shop" / "newer.py").unlink()
    assert tree(made, "shop/cart.py") == ["shop/", "shop/cart.py"]


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
