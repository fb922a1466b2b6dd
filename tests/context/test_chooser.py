"""The choice: when it is made anew, and what leaves it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest
from context_workspace import Workspace

from bench.gathering.long_file import long_file
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.types import Block

Make = Callable[..., Workspace]

CODE = (
    "import json\nimport re\n\n\n"
    "def one(s):\n    return json.dumps(s)$0\n\n\n"
    "def two(s):\n    return re.match('a', s)\n"
)
OTHER = CODE.replace("$0", "").replace("('a', s)\n", "('a', s)$0\n")


def keys(chooser: Chooser, made: Workspace, text: str, *, fresh: bool = False) -> set[str]:
    return {str(block.key) for block in chooser.choose(made.view("a.py", text), fresh=fresh)}


@pytest.fixture
def made(workspace: Make) -> Workspace:
    return workspace({"a.py": CODE.replace("$0", "")})


@pytest.fixture
def chooser(made: Workspace) -> Chooser:
    return Chooser(made.gatherer, made.external, made.settings)


@pytest.fixture
def slow(made: Workspace, tmp_path: Path) -> Iterator[Chooser]:
    """One whose packages are read on a thread, as an editor's window does."""
    gatherer = Gatherer(made.external, made.settings, cache=tmp_path / "other", variables={}, look_s=0.0)
    yield Chooser(gatherer, made.external, made.settings)
    gatherer.wait()
    gatherer.close()


def test_the_choice_stands_while_one_types_in_a_scope(chooser: Chooser, made: Workspace) -> None:
    first = keys(chooser, made, CODE)
    assert "package:json" in first
    typed = CODE.replace("$0", " + s.name$0")
    assert keys(chooser, made, typed) == first


@pytest.mark.parametrize("change", ["scope", "import", "external"])
def test_it_is_made_anew_when_the_situation_changes(chooser: Chooser, made: Workspace, change: str) -> None:
    keys(chooser, made, CODE)
    if change == "scope":
        assert "package:re" in keys(chooser, made, OTHER)
    elif change == "import":
        assert "package:json" not in keys(chooser, made, CODE.replace("import json\n", ""))
    else:
        made.external.put("documentation", "tax", "VAT is 19 percent.")
        assert "documentation:tax" in keys(chooser, made, CODE)


async def test_to_look_somewhere_else_is_not_to_move_the_cursor(chooser: Chooser, made: Workspace) -> None:
    before = keys(chooser, made, CODE)
    looked = {str(block.key) for block in await chooser.settled(made.view("a.py", OTHER))}
    assert "package:re" in looked
    assert keys(chooser, made, CODE) == before


async def test_what_was_read_while_blocks_were_decoded_is_not_missed(slow: Chooser, made: Workspace) -> None:
    known = slow.revision
    keys(slow, made, CODE, fresh=True)
    await slow.settled(made.view("a.py", CODE))  # the reading ends before anyone asks whether there is more
    assert await slow.knows_more_than(known)
    assert "package:json" in keys(slow, made, CODE, fresh=True)


async def test_blocks_can_wait_until_the_sources_have_read(slow: Chooser, made: Workspace) -> None:
    known = slow.revision
    assert "package:json" not in keys(slow, made, CODE, fresh=True)
    assert await slow.has_read(known, 60)
    known = slow.revision
    assert "package:json" in keys(slow, made, CODE, fresh=True)
    assert not await slow.has_read(known, 60)


def test_the_engines_own_count_replaces_the_estimate(chooser: Chooser, made: Workspace) -> None:
    blocks = chooser.choose(made.view("a.py", CODE))
    block = next(b for b in blocks if b.key == ("package", "json"))
    estimated = chooser.count(block)
    chooser.counted({block.key: estimated + 7}, blocks)
    assert chooser.count(block) == estimated + 7


async def test_what_an_estimate_left_out_is_chosen_once_the_others_are_counted(
    chooser: Chooser, made: Workspace
) -> None:
    view = made.view("a.py", CODE)
    blocks = chooser.choose(view)
    chooser.fits(2 * (sum(map(chooser.count, blocks)) - 1))
    few = chooser.choose(view, fresh=True)
    assert len(few) == len(blocks) - 1
    assert not await chooser.knows_more_than(chooser.revision), "nothing has been counted"
    chooser.counted({few[0].key: chooser.count(few[0]) - 1}, few)
    assert await chooser.knows_more_than(chooser.revision)
    assert len(chooser.choose(view, fresh=True)) == len(blocks)
    chooser.counted({few[0].key: 1}, few)
    assert not await chooser.knows_more_than(chooser.revision), "nothing is left out"
    chooser.counted({few[0].key: 1000}, few)
    assert await chooser.knows_more_than(chooser.revision), "it is more than the budget"
    kept = chooser.choose(view, fresh=True)
    assert sum(map(chooser.count, kept)) <= chooser.budget
    assert not await chooser.knows_more_than(chooser.revision)


def test_a_small_model_gets_a_small_budget(chooser: Chooser, made: Workspace) -> None:
    all_of_them = keys(chooser, made, CODE)
    chooser.fits(200)
    few = keys(chooser, made, CODE, fresh=True)
    assert few < all_of_them


def test_an_import_that_is_being_typed_changes_nothing_yet(chooser: Chooser, made: Workspace) -> None:
    typing = CODE.replace("$0", "")
    before = keys(chooser, made, typing.replace("import re\n", "import re\n$0\n"))
    half = keys(chooser, made, typing.replace("import re\n", "import re\nfrom collect$0\n"))
    whole = keys(chooser, made, typing.replace("import re\n", "import re\nfrom collections import de$0\n"))
    assert before == half == whole


def test_another_text_of_a_block_is_counted_as_its_last_one_was(chooser: Chooser) -> None:
    block = Block("class", "a.Cart", "def total(self): ...\n" * 10)
    chooser.counted({block.key: 3 * chooser.count(block)}, [block])
    grown = replace(block, text=block.text + "def add(self): ...\n")
    assert chooser.count(block) < chooser.count(grown) < 1.2 * chooser.count(block)


def test_rules_go_before_names_for_a_model_that_does_what_it_is_told(workspace: Make) -> None:
    rules = "\n\n".join(f"Rule {n}: say what you do, and do what you say." for n in range(20))
    made = workspace({"a.py": CODE.replace("$0", ""), "AGENTS.md": rules}, budget=330, rules=("AGENTS.md",))
    chooser = Chooser(made.gatherer, made.external, made.settings)
    assert "documentation:AGENTS.md" not in keys(chooser, made, CODE)
    assert keys(chooser, made, CODE)
    chooser.fits(8192, follows=True)
    assert "documentation:AGENTS.md" in keys(chooser, made, CODE, fresh=True)


def test_a_line_that_is_not_right_yet_moves_nobody(workspace: Make, tmp_path: Path) -> None:
    """Of half a statement tree-sitter may make other functions and classes around it, and lose the imports."""
    made = workspace()
    path = long_file(made.root, 200, "cpp")
    before, _, after = path.read_text("utf-8").partition("{\n        double sum")
    chooser = Chooser(made.gatherer, made.external, made.settings)

    def chosen(typed: str) -> tuple[str, set[str]]:
        view = made.view("src/day.cpp", f"{before}{{\n        {typed}$0\n        double sum{after}")
        return view.editing.name, {str(block.key) for block in chooser.choose(view)}

    seen = [chosen(typed) for typed in accumulate("double total = this->add(amount, other.note")]
    assert len({name for name, _ in seen}) > 1, "this test can fail"
    assert len({frozenset(keys) for _, keys in seen}) == 1
