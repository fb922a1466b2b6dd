"""Which file a path names where several folders are open."""

from pathlib import Path

import pytest

from palimpsest.errors import InvalidArgument
from palimpsest.workspace.places import place, shown


@pytest.mark.parametrize("names", [("shop", "shop/parts"), ("shop", "parts")])
def test_a_path_that_several_folders_have_names_none_of_them_until_it_says_which(
    names: tuple[str, str], tmp_path: Path
) -> None:
    roots = [tmp_path / name for name in names]
    for root in roots:
        root.mkdir()
        (root / "same.py").touch()
    (roots[1] / "own.py").touch()
    for order in (roots, roots[::-1]):
        with pytest.raises(InvalidArgument, match=r"have same\.py; write (shop|parts)/same\.py or (shop|parts)/same"):
            place("same.py", order)
        assert place("shop/same.py", order) == roots[0] / "same.py"
        assert place("parts/same.py", order) == roots[1] / "same.py"
        assert place("parts/new.py", order) == roots[1] / "new.py"
        assert place("own.py", order) == roots[1] / "own.py"
        assert place(str(roots[1] / "same.py"), order) == roots[1] / "same.py"
        assert shown(roots[1] / "own.py", order) == "own.py"


def test_a_folder_called_like_the_workspace_stays_one(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    assert place("shop/new.py", [root]) == root / "shop" / "new.py"
    (root / "shop").mkdir()
    for folder in (root, root / "shop"):
        (folder / "README.md").touch()
    assert place("shop/README.md", [root]) == root / "shop" / "README.md"
    assert place("README.md", [root]) == root / "README.md"
