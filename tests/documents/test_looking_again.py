"""A catalogue looks again where it is told to."""

from __future__ import annotations

from pathlib import Path

from palimpsest.documents.catalog import DocumentCatalog
from palimpsest.workspace.files import WorkspaceFiles


def test_what_changed_is_seen_at_once_where_somebody_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    catalog = DocumentCatalog(WorkspaceFiles([tmp_path]), look_s=3600.0)
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
    catalog = DocumentCatalog(WorkspaceFiles([tmp_path / "in"]))
    assert catalog.text(tmp_path / "in", "a.md") == "# A\n"
    for hidden in (".env", "../outside.md", "link.md", "nowhere.md", str(tmp_path / "outside.md")):
        assert catalog.text(tmp_path / "in", hidden) is None


def test_very_many_folders_are_looked_into_a_portion_at_a_time(tmp_path: Path) -> None:
    """One folder for each look, here: what was found stays, what is gone goes when all were looked into again."""
    names = ["a.md", "one/b.md", "two/c.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# A\n", encoding="utf-8")
    files = WorkspaceFiles([tmp_path])
    catalog = DocumentCatalog(files, look_s=0.0, portion=1)
    assert [list(catalog.documents(tmp_path).by_path) for _ in range(3)] == [names[:1], names[:2], names]
    (tmp_path / "two" / "c.md").unlink()
    assert [list(catalog.documents(tmp_path).by_path) for _ in range(3)] == [names, names, names[:2]]
