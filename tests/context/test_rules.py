"""`documentation` blocks: the project's rules, and how they compete with code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config.settings import ContextSettings
from palimpsest.context import values
from palimpsest.context.choice.selection import select
from palimpsest.context.estimate import estimate
from palimpsest.context.sources.rules import MARK, cut
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block

Make = Callable[..., Workspace]
CODE = "def f():\n    $0\n"
RULES = "# Rules\n\nAmounts are Decimal.\n"


def found(made: Workspace) -> dict[str, str]:
    return {b.name: b.text for b in made.blocks("shop/cart.py", CODE).values() if b.source == "rules"}


def test_both_files_are_blocks_in_the_settings_order(workspace: Make) -> None:
    made = workspace({"AGENTS.md": RULES, ".palimpsest/rules.md": "Write tests.\n"})
    assert found(made) == {"AGENTS.md": "# Rules\n\nAmounts are Decimal.", ".palimpsest/rules.md": "Write tests."}
    blocks = [b for b in made.blocks("shop/cart.py", CODE).values() if b.source == "rules"]
    assert {b.type for b in blocks} == {"documentation"}
    assert [b.name for b in sorted(blocks, key=lambda b: -b.value)] == ["AGENTS.md", ".palimpsest/rules.md"]
    assert not any(b.editable for b in blocks)


def test_other_files_may_be_named_and_none(workspace: Make) -> None:
    files = {"AGENTS.md": RULES, "docs/style.md": "Short names.\n"}
    assert found(workspace(files, rules=("docs/style.md",))) == {"docs/style.md": "Short names."}
    assert found(workspace(files, rules=())) == {}
    assert found(workspace(files, sources=("class", "scope"))) == {}


def test_an_empty_or_missing_file_is_no_block(workspace: Make) -> None:
    assert found(workspace({"AGENTS.md": "\n  \n"})) == {}


def test_a_change_on_disk_and_unsaved_text_count(workspace: Make) -> None:
    made = workspace({"AGENTS.md": RULES})
    assert found(made)["AGENTS.md"].endswith("Decimal.")
    made.write({"AGENTS.md": "Amounts are whole cents now.\n"})
    assert found(made) == {"AGENTS.md": "Amounts are whole cents now."}
    uri = to_uri(made.root / "AGENTS.md")
    made.open[uri] = Snapshot(uri, 1, "markdown", "Not saved yet.\n")
    assert found(made) == {"AGENTS.md": "Not saved yet."}
    del made.open[uri]
    (made.root / "AGENTS.md").unlink()
    assert found(made) == {}


def test_nothing_secret_ignored_outside_or_huge_is_read(
    workspace: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "outside.md").write_text("from outside")
    made = workspace(
        {".gitignore": "private.md\n", "private.md": "x", ".env": "KEY=1", "huge.md": "x" * 1_000_001, "ok.md": "yes"},
        rules=("private.md", ".env", "../outside.md", "link.md", str(tmp_path / "outside.md"), "huge.md", "ok.md"),
    )
    (made.root / "link.md").symlink_to(tmp_path / "outside.md")
    assert found(made) == {"ok.md": "yes"}
    found(made)
    assert sum("outside.md is outside the workspace" in record.message for record in caplog.records) == 2  # told once


def test_rules_are_markdown_or_plain_text(workspace: Make) -> None:
    names = ("rules.txt", "RULES.MD", "config/settings.py", "rules", "deploy.yaml")
    made = workspace(dict.fromkeys(names, "Be brief."), rules=names)
    assert found(made) == {"rules.txt": "Be brief.", "RULES.MD": "Be brief."}


def test_a_long_file_is_cut_behind_a_paragraph(workspace: Make) -> None:
    paragraphs = [f"Rule {n}: do this,\nand never that." for n in range(100)]
    made = workspace({"AGENTS.md": "\n\n".join(paragraphs)}, block_tokens=100)
    text = found(made)["AGENTS.md"]
    assert estimate(text) <= 100
    kept, mark = text.rsplit("\n", 1)
    assert mark == MARK
    assert kept == "\n\n".join(paragraphs[: kept.count("Rule")])
    assert kept.count("Rule") >= 5


def test_fenced_code_is_not_cut_in_two() -> None:
    lines = ["Do it so:", "", "```", "first()", "", "second()", "", "third()", "```", "", *["behind " * 9] * 9]
    assert cut(lines, 14) == ["Do it so:", MARK]


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=30), min_size=1), st.integers(32)
)
def test_what_is_cut_is_a_beginning_that_fits(lines: list[str], max_tokens: int) -> None:
    kept = cut(lines, max_tokens)
    assert estimate("\n".join(kept)) <= max_tokens
    if kept != lines:
        assert kept[-1] == MARK
        assert kept[:-1] == lines[: len(kept) - 1]


def test_rules_never_take_the_room_of_a_block_of_code() -> None:
    """Not even where they are resident and the names are not, each as large as it may be."""
    most = ContextSettings().block_tokens
    rules = Block("documentation", "AGENTS.md", "rules", values.RULES, source="rules")
    scope = Block("scope", "scope at f", "names", values.worth("scope", "file"))
    readme = Block("documentation", "README.md#f", "prose", values.README_SECTION)
    chosen = select([rules, scope], [rules], most, lambda _: most).chosen
    assert chosen == [scope]
    chosen = select([rules, readme], [readme], most, lambda _: most).chosen
    assert chosen == [rules]
