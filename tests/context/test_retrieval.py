"""Sections of the workspace's documents that are about the code at the cursor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.sources.answers import Answers
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.context.sources.retrieval import SectionIndex
from palimpsest.text.uris import to_uri

Make = Callable[..., Workspace]
PRICES = """\
# Prices

What things cost.

## Rounding

`gross_price` rounds half up, to whole cents.

## Shipping

Parcels above two kilograms cost more.

## The total

A total is shown with two decimals.
"""
CODE = "def net_price(item):\n    price = gross_price(item)\n    total = price\n    $0\n"


def names(made: Workspace, text: str = CODE, file: str = "shop/prices.py") -> set[str]:
    found = made.blocks(file, text).values()
    return {block.name for block in found if block.source == "retrieval"}


def test_a_section_that_names_what_the_code_uses(workspace: Make) -> None:
    made = workspace({"docs/prices.md": PRICES})
    assert names(made) == {"docs/prices.md#Rounding"}
    block = made.blocks("shop/prices.py", CODE)["documentation:docs/prices.md#Rounding"]
    assert block.text == "## Rounding\n\n`gross_price` rounds half up, to whole cents."
    assert block.editable
    assert block.uri == to_uri(made.root / "docs/prices.md")


def test_a_section_about_the_function_at_the_cursor(workspace: Make) -> None:
    made = workspace({"docs/prices.md": "# Net\n\nThe net_price is without tax.\n"})
    assert names(made, "def net_price(item):\n    $0\n") == {"docs/prices.md#Net"}


def test_an_english_word_alone_is_no_mention(workspace: Make) -> None:
    made = workspace({"docs/prices.md": PRICES})
    assert names(made, "def f(item):\n    total = item\n    $0\n") == set()


def test_the_section_that_says_most_of_it_comes_first(workspace: Make) -> None:
    rare = "# Rare\n\nOnly here gross_price and net_price are compared.\n"
    many = "".join(f"# Part {n}\n\nHere is gross_price, in words about much else.\n" for n in range(20))
    made = workspace({"docs/rare.md": rare, "docs/many.md": many})
    ranked = sorted(
        (block for block in made.blocks("shop/prices.py", CODE).values() if block.source == "retrieval"),
        key=lambda block: -block.value,
    )
    assert ranked[0].name == "docs/rare.md#Rare"
    assert len(ranked) == 2


def test_a_document_that_changes_or_goes(workspace: Make) -> None:
    made = workspace({"docs/prices.md": PRICES})
    view = made.view("shop/prices.py", CODE)
    block = next(block for block in made.gatherer.candidates(view) if block.source == "retrieval")
    assert made.gatherer.still_valid(block, view)
    made.write({"docs/prices.md": PRICES.replace("half up", "to even")})
    assert "to even" in made.blocks("shop/prices.py", CODE)["documentation:docs/prices.md#Rounding"].text
    assert not made.gatherer.still_valid(block, view)
    (made.root / "docs" / "prices.md").unlink()
    assert names(made) == set()


@pytest.mark.parametrize("name", ["LICENSE.md", "CHANGELOG.md", "requirements.txt"])
def test_documents_that_say_nothing(workspace: Make, name: str) -> None:
    assert names(workspace({name: PRICES})) == set()


def test_what_no_block_may_contain(workspace: Make, tmp_path: Path) -> None:
    secret = f"# Rounding\n\ngross_price uses AKIA{'Q7' * 8}.\n"
    outside = tmp_path / "outside.md"
    outside.write_text(PRICES)
    made = workspace(
        {
            ".gitignore": "private/\n",
            ".palimpsestignore": "hidden.md\n",
            "private/prices.md": PRICES,
            "hidden.md": PRICES,
            "docs/secret.md": secret,
        }
    )
    (made.root / "linked.md").symlink_to(outside)
    assert names(made) == set()


@pytest.mark.parametrize("name", ['"', "a OR b", "x" * 5_000, "NEAR(", "é", "*"])
def test_words_are_no_query_language(name: str) -> None:
    index = SectionIndex()
    index.put(Path("/a.md"), [("A", ["# A", f"some {name} text"])])
    index.search({name}, 3)
    assert [found.title for found in index.search({"text"}, 3)] == ["A"]
    index.remove(Path("/a.md"))
    assert index.search({"text"}, 3) == []


def test_names_are_found_as_they_are_and_words_by_their_stems() -> None:
    sections = [("Rates", ["# Rates", "Prices are `gross_prices`, rounded."])]
    for stems, found in (False, {"rounded", "gross_prices"}), (True, {"rounded", "rounding", "price", "gross_prices"}):
        index = SectionIndex(stems=stems)
        index.put(Path("/a.md"), sections)
        assert {word for word in ("rounded", "rounding", "price", "gross_prices") if index.search({word}, 1)} == found


class Later:
    """An executor whose work runs when it is told to."""

    def __init__(self) -> None:
        self.work = list[Callable[[], object]]()

    def submit(self, run: Callable[..., object], *arguments: object) -> Future[object]:
        self.work.append(lambda: run(*arguments))
        return Future()


def test_an_answer_comes_later_and_is_kept_until_the_next() -> None:
    later, told = Later(), ["one", "one", "two"]
    answers = Answers[str, str](lambda _: told.pop(0), later, "")  # type: ignore[arg-type]
    assert answers.ask("q", 1) == ""
    assert answers.ask("q", 1) == ""
    assert len(later.work) == 1, "it is being read already"
    assert not answers.wait(0)
    later.work.pop()()
    assert answers.wait(0)
    assert (answers.ask("q", 1), answers.revision) == ("one", 1)
    assert answers.ask("q", 2) == "one"
    later.work.pop()()
    assert (answers.ask("q", 2), answers.revision) == ("one", 1), "the same answer is no news"
    assert answers.ask("q", 3) == "one"
    later.work.pop()()
    assert (answers.ask("q", 3), answers.revision) == ("two", 2)


def test_a_question_that_fails_has_no_answer() -> None:
    def read(_: str) -> str:
        raise OSError("no")

    answers = Answers[str, str](read, None, "none")
    assert answers.ask("q") == "none"
    assert answers.revision == 0


def test_documents_are_read_in_the_background(workspace: Make) -> None:
    made = workspace({"docs/prices.md": PRICES})
    gatherer, view = Gatherer(made.external, made.settings, variables={}, look_s=0.0), made.view("shop/prices.py", CODE)
    try:
        gatherer.candidates(view)
        assert gatherer.wait(60)
        revision = gatherer.revision
        found = {block.name for block in gatherer.candidates(view) if block.source == "retrieval"}
        assert found == {"docs/prices.md#Rounding"}
        assert revision > 0, "who chooses blocks hears of it"
    finally:
        gatherer.close()
