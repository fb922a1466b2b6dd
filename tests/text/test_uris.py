"""URIs and paths, and which files stay unread."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import InvalidArgument
from palimpsest.text.roots import Roots
from palimpsest.text.uris import is_inside, path_or_none, path_text, relative, to_path, to_uri


@pytest.mark.parametrize(
    ("uri", "windows", "path"),
    [
        ("file:///home/me/a.py", False, "/home/me/a.py"),
        ("file://localhost/home/me/a.py", False, "/home/me/a.py"),
        ("file://LocalHost/home/me/a.py", False, "/home/me/a.py"),
        ("file:///a%20b/%C3%A9.py", False, "/a b/é.py"),
        ("file:///a b/é.py", False, "/a b/é.py"),
        ("file:///a%2Bb/c%23d%3Fe.py", False, "/a+b/c#d?e.py"),
        ("file:///a/b#c?d.py", False, "/a/b#c?d.py"),
        ("FILE:///a.py", False, "/a.py"),
        ("file:/a.py", False, "/a.py"),
        ("file:///c%3A/Users/me/a.py", True, "C:\\Users\\me\\a.py"),
        ("file:///C:/Users/me/a%20b.py", True, "C:\\Users\\me\\a b.py"),
        ("file://server/share/a.py", True, "\\\\server\\share\\a.py"),
    ],
)
def test_a_file_uri_names_a_path(uri: str, windows: bool, path: str) -> None:
    assert path_text(uri, windows=windows) == path


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "http://x/a.py",
        "",
        "a.py",
        "file://other/a.py",
        "file:///a%00b",
        "file:///\ud800",
        "file:a",
        "file://[",
    ],
)
def test_what_is_no_file_here_is_refused(uri: str) -> None:
    with pytest.raises(InvalidArgument):
        path_text(uri, windows=False)


def test_an_untitled_document_has_no_path() -> None:
    assert path_or_none("untitled:Untitled-1") is None
    with pytest.raises(InvalidArgument):
        to_path("untitled:Untitled-1")


@given(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1).filter(
        lambda s: s.strip(".")
    )
)
def test_a_path_survives_the_way_there_and_back(name: str) -> None:
    path = Path(os.path.abspath(os.sep)) / "somewhere" / name
    assert to_path(to_uri(path)) == path


def test_a_path_of_bytes_that_are_no_utf_8_survives() -> None:
    path = Path("/somewhere/\udcff.py")
    assert to_uri(path) == "file:///somewhere/%FF.py"
    assert to_path(to_uri(path)) == path


def test_relative_paths_have_forward_slashes_and_tell_nothing_of_other_folders(tmp_path: Path) -> None:
    assert relative(tmp_path / "shop" / "cart.py", tmp_path) == "shop/cart.py"
    assert relative(tmp_path / "shop" / ".." / "a.py", tmp_path) == "a.py"
    assert relative(tmp_path / "a.py", tmp_path / "shop") == "a.py"


def test_links_and_dots_do_not_lead_out_of_the_workspace(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "a.py").touch()
    (root / "link.py").symlink_to(outside / "a.py")
    (root / "loop").symlink_to(root / "loop")
    (tmp_path / "way-in").symlink_to(root)
    assert is_inside(root / "new" / "a.py", [root])
    assert is_inside(root, [outside, root])
    assert is_inside(tmp_path / "way-in" / "a.py", [root])
    assert not is_inside(root / "link.py", [root])
    assert not is_inside(root / ".." / "outside" / "a.py", [root])
    assert not is_inside(tmp_path / "root-too", [root])
    assert not is_inside(root / "a\0b", [root])
    assert not is_inside(root / "a.py", [])


def test_of_folders_within_one_another_the_innermost_has_a_file(tmp_path: Path) -> None:
    outer, inner = tmp_path / "shop", tmp_path / "shop" / "parts"
    inner.mkdir(parents=True)
    for folders in ((outer, inner), (inner, outer)):
        roots = Roots(folders)
        assert roots.locate((inner / "a.py").as_uri()) == (inner, "a.py")
        assert roots.locate((outer / "a.py").as_uri()) == (outer, "a.py")
        assert roots.locate((tmp_path / "a.py").as_uri()) == (None, "a.py")
