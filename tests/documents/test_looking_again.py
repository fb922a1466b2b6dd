"""A catalogue looks again where it is told to."""

from __future__ import annotations

from pathlib import Path

from palimpsest.documents.catalog import Catalog
from palimpsest.workspace.files import WorkspaceFiles


def test_what_changed_is_seen_at_once_where_somebody_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    catalog = Catalog(WorkspaceFiles([tmp_path]), look_s=3600.0)
    assert list(catalog.documents(tmp_path).by_path) == ["a.md"]
    (tmp_path / "a.md").write_text("# Another\n", encoding="utf-8")
    assert catalog.documents(tmp_path).called("another") == []
    catalog.look_again_soon()
    assert [one.path for one in catalog.documents(tmp_path).called("another")] == ["a.md"]


def test_a_text_is_read_only_where_the_files_let_it_through(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "in" / ".env").write_text("X=1\n", encoding="utf-8")
    (tmp_path / "outside.md").write_text("# O\n", encoding="utf-8")
    (tmp_path / "in" / "link.md").symlink_to(tmp_path / "outside.md")
    catalog = Catalog(WorkspaceFiles([tmp_path / "in"]))
    assert catalog.text(tmp_path / "in", "a.md") == "# A\n"
    for hidden in (".env", "../outside.md", "link.md", "nowhere.md", str(tmp_path / "outside.md")):
        assert catalog.text(tmp_path / "in", hidden) is None
