"""Documents that comments and docstrings link to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

from palimpsest.types import Block

Make = Callable[..., Workspace]
TOKEN = "ghp_" + "A1b2C3d4" * 5
PRICES = """\
---
title: Prices
aliases: [price list, "what it costs"]
---
# Prices

What things cost,
in cents.

More of it.

## Rounding

Half up, to whole cents.

## Empty

### Inner

Deep.
"""
FILES = {"docs/prices.md": PRICES, "docs/other.md": "# Other\n\nElse.\n"}


def linked(made: Workspace, text: str, file: str = "shop/cart.py") -> dict[str, Block]:
    return {block.name: block for block in made.blocks(file, text).values() if block.source == "linked"}


def at(link: str) -> str:
    return f"def total(items):\n    # see {link}\n    return $0\n"


@pytest.mark.parametrize(
    "link",
    [
        "[[prices]]",
        "[[Prices]]",
        "[[docs/prices]]",
        "[[docs/prices.md]]",
        "[[../docs/prices.md]]",
        "[[price list]]",
        "[[What it  costs|shown]]",
    ],
)
def test_a_link_is_the_title_and_the_first_paragraph(workspace: Make, link: str) -> None:
    blocks = linked(workspace(FILES), at(link))
    assert set(blocks) == {"docs/prices.md"}
    assert blocks["docs/prices.md"].text == "# Prices\nWhat things cost,\nin cents."
    assert blocks["docs/prices.md"].lines == (4, 6, 7)


@pytest.mark.parametrize("link", ["[[prices#Rounding]]", "[[Prices#rounding|so]]", "[[rounding]]"])
def test_a_heading_is_its_section(workspace: Make, link: str) -> None:
    block = linked(workspace(FILES), at(link))["docs/prices.md#Rounding"]
    assert block.text == "## Rounding\n\nHalf up, to whole cents."
    assert (block.editable, block.lines) == (True, (11, 12, 13))


def test_a_section_of_subsections_has_them(workspace: Make) -> None:
    assert linked(workspace(FILES), at("[[prices#Empty]]"))["docs/prices.md#Empty"].text.endswith("### Inner\n\nDeep.")


def test_docstrings_and_doc_comments_count_and_code_does_not(workspace: Make) -> None:
    made = workspace(FILES)
    assert linked(made, 'def total():\n    """As in [[prices]]."""\n    return $0\n')
    assert linked(made, "// As in [[prices]].\nfunction total() {\n  return $0\n}\n", "shop/cart.js")
    assert not linked(made, 'def total():\n    prices = 1\n    x = [[prices]]\n    y = "[[prices]]"\n    return $0\n')
    assert not linked(made, "# [[prices]]\n\n\ndef total():\n    return $0\n")


@pytest.mark.parametrize(
    "link",
    [
        "[[gone]]",
        "[[prices#gone]]",
        "[[]]",
        "[[ ]]",
        "[[#]]",
        "[[../../secret]]",
        "[[../../../../../../etc/passwd]]",
        "[[/docs/prices]]",
        "[[~/docs/prices]]",
        "[[C:\\docs\\prices]]",
        "[[.*]]",
        "[[pr.ces]]",
        "[[(a+)+$]]",
        "[[[prices]]]",
        "[[" + "x" * 5000 + "]]",
    ],
)
def test_what_means_no_document_gets_no_block(workspace: Make, link: str) -> None:
    made = workspace(FILES)
    (made.root.parent / "secret.md").write_text("# Secret\n\nOutside.\n")
    assert linked(made, at(link)) == {}


def test_of_several_only_the_one_that_is_clearly_nearest(workspace: Make) -> None:
    made = workspace({"shop/notes.md": "# N\n\nShop.\n", "docs/notes.md": "# N\n\nDocs.\n"})
    assert set(linked(made, at("[[notes]]"))) == {"shop/notes.md"}
    assert linked(made, at("[[notes]]"), "other/a.py") == {}
    assert set(linked(made, at("[[docs/notes]]"))) == {"docs/notes.md"}


def test_no_secret_ignored_or_linked_file(workspace: Make) -> None:
    made = workspace(
        {
            ".gitignore": "ignored.md\n",
            ".palimpsestignore": "private/\n",
            "ignored.md": "# Ignored\n\nA.\n",
            "private/plan.md": "# Plan\n\nA.\n",
            "key.md": f"# Key\n\n{TOKEN}\n",
            "secrets.txt": "A.\n",
        }
    )
    outside = made.root.parent / "outside.md"
    outside.write_text("# Outside\n\nA.\n")
    (made.root / "away.md").symlink_to(outside)
    for name in ("ignored", "Ignored", "plan", "private/plan", "key", "secrets", "away", "Outside", "outside"):
        assert linked(made, at(f"[[{name}]]")) == {}, name


def test_it_follows_the_document(workspace: Make) -> None:
    made = workspace(FILES)
    assert linked(made, at("[[prices#Rounding]]"))
    made.write({"docs/prices.md": PRICES.replace("Half up", "Half down")})
    assert "Half down" in linked(made, at("[[prices#Rounding]]"))["docs/prices.md#Rounding"].text
    (made.root / "docs/prices.md").unlink()
    assert linked(made, at("[[prices#Rounding]]")) == {}
    made.write({"docs/cost.md": PRICES})
    assert set(linked(made, at("[[Prices#Rounding]]"))) == {"docs/cost.md#Rounding"}


def test_a_block_stays_while_its_document_says_the_same(workspace: Make) -> None:
    made = workspace(FILES)
    (block,) = linked(made, at("[[prices]]")).values()
    view = made.view("shop/cart.py", "def other():\n    return $0\n")
    assert made.gatherer.still_valid(block, view)
    made.write({"docs/prices.md": PRICES.replace("cost", "are")})
    made.gatherer.candidates(view)
    assert not made.gatherer.still_valid(block, view)


def test_a_document_links_to_others_and_not_to_itself(workspace: Make) -> None:
    text = "# Here\n\nSee [[prices]], [[here]] and [[#Here]].$0\n"
    assert set(linked(workspace({**FILES, "docs/here.md": text}), text, "docs/here.md")) == {"docs/prices.md"}


def test_a_document_without_headings_is_its_first_paragraph_cut(workspace: Make) -> None:
    made = workspace({"notes.txt": "word " * 30 + "\n" + "more\n" * 3000, "big.md": "# Big\n\n" + "x\n" * 60_000_000})
    block = linked(made, at("[[notes]]"))["notes.txt"]
    assert len(block.text) < 1200
    assert linked(made, at("[[big]]")) == {}
