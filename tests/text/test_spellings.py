"""How an editor writes the URIs of files."""

from pathlib import Path

import pytest

from palimpsest.text.spellings import Spellings
from palimpsest.text.uris import to_uri


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#c", "git:/a.py", "", "file://["])
def test_what_is_no_file_stays_as_it_is(uri: str) -> None:
    spellings = Spellings()
    assert [spellings.identity(uri), spellings.opened(uri), spellings.written(uri), spellings.closed(uri)] == [uri] * 4


def test_an_open_document_is_answered_as_it_was_opened_until_it_is_closed(tmp_path: Path) -> None:
    spellings, real = Spellings(), to_uri(tmp_path / "größe" / "a+b.py")
    written = real.replace("%C3%B6", "ö").replace("%C3%9F", "%c3%9f").replace("%2B", "+")
    assert spellings.opened(written) == spellings.identity(written) == real
    assert spellings.written(real) == written
    assert spellings.written(f"{real}#L3,1-L4,1") == f"{written}#L3,1-L4,1"
    assert spellings.closed(written) == real
    assert spellings.written(real) == real


def test_an_open_document_stays_what_it_was_though_its_link_leads_elsewhere(tmp_path: Path) -> None:
    link, spellings = tmp_path / "link.py", Spellings()
    link.symlink_to(tmp_path / "a.py")
    assert spellings.opened(to_uri(link)) == to_uri(tmp_path / "a.py")
    link.unlink()
    link.symlink_to(tmp_path / "b.py")
    assert spellings.identity(to_uri(link)) == to_uri(tmp_path / "a.py")
    spellings.closed(to_uri(link))
    assert spellings.identity(to_uri(link)) == to_uri(tmp_path / "b.py")


def test_a_file_that_is_open_by_two_names_has_two_texts_and_so_two_identities(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    names = [to_uri(tmp_path / name) for name in ("link.py", "a.py")]
    for order in (names, names[::-1]):
        spellings = Spellings()
        identities = [spellings.opened(name) for name in order]
        assert len(set(identities)) == 2
        assert [spellings.written(one) for one in identities] == order
        assert [spellings.closed(name) for name in order] == identities


def test_what_is_not_open_is_answered_as_the_innermost_folder_is_written(tmp_path: Path) -> None:
    (tmp_path / "data" / "in").mkdir(parents=True)
    (tmp_path / "home").symlink_to(tmp_path / "data", target_is_directory=True)
    home, inner = f"file://{tmp_path}/home", f"file://{tmp_path}/%64ata/in"
    spellings = Spellings()
    spellings.folders([f"{home}/", inner, "vsls:/x"])
    assert spellings.written(to_uri(tmp_path / "data" / "ä b.py")) == f"{home}/%C3%A4%20b.py"
    assert spellings.written(to_uri(tmp_path / "data" / "in" / "a.py")) == f"{inner}/a.py"
    assert spellings.written(to_uri(tmp_path / "else.py")) == to_uri(tmp_path / "else.py")
    spellings.folders(["file:///"])
    assert spellings.written("file:///a.py") == "file:///a.py"
