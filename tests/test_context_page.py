"""`docs/context.md` names the languages and kinds of blocks that there are."""

from __future__ import annotations

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.registry import languages, modules_of
from palimpsest.types import BLOCK_TYPES
from palimpsest.workspace.files import WorkspaceFiles
from tests import documents
from tests.documents import ROOT

PAGE = ROOT / "docs" / "context.md"


def test_every_type_of_block_is_explained() -> None:
    assert sorted(documents.table(PAGE, "Blocks")) == sorted(BLOCK_TYPES)


def test_every_language_with_modules_is_listed() -> None:
    part = PAGE.read_text("utf-8").split("\n## Languages\n")[1]
    listed = [row.split("|")[1].strip() for row in part.splitlines() if row.startswith("| ")][1:]
    with_scopes = [language for language in languages() if not language.whole_file]
    assert sorted(listed) == sorted(language.name for language in with_scopes)
    text = PAGE.read_text("utf-8")
    for language in languages():
        assert language.name in text


def test_each_of_them_looks_imports_up() -> None:
    with_scopes = [language for language in languages() if not language.whole_file]
    around = Surroundings(WorkspaceFiles(()), ContextSettings(), {})
    assert [one.id for one in with_scopes if type(modules_of(one, around)) is Modules] == []
