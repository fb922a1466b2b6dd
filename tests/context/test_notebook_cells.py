"""A notebook's earlier cells are one module with the cell at the cursor: what they define can be used there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.view import Cell, CursorView
from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, validated
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Block, DocumentChange, LineEdit

SCALE = '''class Scale:
    """What weighs."""

    unit: str = "g"

    def weigh(self, thing: Thing) -> float:
        total = thing.mass * 9
        return total
'''
LONG = "# %s\n" % ("long " * 10) * 30 + SCALE + "\n\ndef tared(scale: Scale, by: float) -> Scale:\n    return scale\n"
"""Too long for its block, which ends before its definitions."""


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "work").mkdir()
    return Workspace(tmp_path / "work", block_tokens=200)


def view(place: Workspace, text: str, *cells: str) -> CursorView:
    """The cursor (`$0`) in a cell that stands behind others."""
    earlier = tuple(
        Cell(
            f"a.ipynb, cell {i + 1}",
            parse_snapshot(Snapshot(f"vscode-notebook-cell:/a#{i}", 1, "python", cell), PYTHON),
        )
        for i, cell in enumerate(cells)
    )
    before, _, after = text.partition("$0")
    snapshot = Snapshot("vscode-notebook-cell:/a#last", 1, "python", before + after)
    found = place.view_of(snapshot, place.root / "a.ipynb", len(before))
    return replace(found, cells=earlier)


def blocks(place: Workspace, text: str, *cells: str) -> dict[str, Block]:
    return {str(block.key): block for block in place.gatherer.candidates(view(place, text, *cells))}


def test_a_class_of_a_cell_that_is_shown_is_not_shown_twice(place: Workspace) -> None:
    found = blocks(place, "def used(scale: Scale):\n    $0return scale\n", SCALE)
    assert "class Scale" in found["file:a.ipynb, cell 1"].text
    assert not [key for key in found if key.startswith("class:")]


def test_a_class_that_no_block_of_a_cell_shows_has_one(place: Workspace) -> None:
    found = blocks(place, "def used(scale: Scale):\n    $0return scale\n", LONG)
    assert "class Scale" not in found["file:a.ipynb, cell 1"].text
    block = found["class:a.ipynb, cell 1.Scale"]
    assert "def weigh(self, thing: Thing) -> float" in block.text
    assert "total" not in block.text, "a body is none of its interface"
    assert not block.editable


def test_a_base_class_may_be_in_an_earlier_cell(place: Workspace) -> None:
    found = blocks(place, "class Fine(Scale):\n    def weigh(self, thing):\n        return $0\n", LONG, "x = 1\n")
    assert "class:a.ipynb, cell 1.Scale" in found


def test_the_nearest_cell_says_which_class_is_meant(place: Workspace) -> None:
    later = LONG.replace("thing: Thing", "other: Other")
    found = blocks(place, "def used(scale: Scale):\n    $0return scale\n", LONG, later)
    assert "other: Other" in found["class:a.ipynb, cell 2.Scale"].text
    assert "class:a.ipynb, cell 1.Scale" not in found


def test_names_below_what_is_shown_of_a_cell_are_named(place: Workspace) -> None:
    found = blocks(place, "tar$0\n", LONG)
    assert found["scope:a.ipynb, cell 1"].text == "class Scale\ndef tared(scale: Scale, by: float) -> Scale"
    assert not any(key.startswith("scope:a.ipynb") for key in blocks(place, "tar$0\n", SCALE))


def test_blocks_of_cells_stay_while_another_one_is_written(place: Workspace) -> None:
    text, first = "def used(scale: Scale):\n    return scale.weigh(thing)\n", None
    at = text.index("return")
    for end in range(at, len(text)):
        found = blocks(place, text[:end] + "$0\n", LONG)
        shown = {key: block.text for key, block in found.items() if "cell 1" in key}
        first = first or shown
        assert shown == first


def test_a_class_of_a_cell_stays_where_it_is_correct(place: Workspace) -> None:
    here = view(place, "def used(scale: Scale):\n    $0return scale\n", LONG)
    block = next(block for block in place.gatherer.candidates(here) if block.type == "class")
    assert place.gatherer.still_valid(block, here)
    other = LONG.replace("def weigh", "def weighed")
    assert not place.gatherer.still_valid(block, view(place, "def used(scale: Scale):\n    $0pass\n", other))


def test_a_name_of_a_cell_is_none_of_another_file(place: Workspace) -> None:
    """`tared` is the cell's, though one file of the workspace defines it, too."""
    place.write({"kitchen.py": "def tared(pot):\n    return pot\n"})
    place.build_index()
    assert "package:kitchen (used)" in blocks(place, "def f():\n    $0return tared(1)\n", "x = 1\n")
    assert "package:kitchen (used)" not in blocks(place, "def f():\n    $0return tared(1)\n", LONG)


@pytest.mark.parametrize(
    "cell", ["%matplotlib inline\n!pip list\nimport os\n", "def half(", "", "\r\n", "x = '\U0001f9c0'\r\n", "\0"]
)
def test_whatever_is_in_a_cell(place: Workspace, cell: str) -> None:
    found = view(place, "def f():\n    $0return os.path\n", cell, SCALE)
    assert "Scale" in found.cell_names
    assert "file:a.ipynb, cell 2" in {str(block.key) for block in place.gatherer.candidates(found)}


def test_names_that_cells_define(place: Workspace) -> None:
    found = view(place, "$0", "import json\nfrom os import path as p\nbasket = [3]\n", SCALE)
    assert found.cell_names >= {"json", "p", "basket", "Scale"}
    assert "total" not in found.cell_names
    assert "total" in found.cell_words
    assert not found.cells_hide_names
    assert view(place, "$0", "from math import *\n").cells_hide_names


def test_a_misspelt_name_may_mean_that_of_a_cell(place: Workspace) -> None:
    found = view(place, "print(baskte)\nprint(basket)$0\n", "basket = [3]\n")
    assert slips(found.parsed, 0, 2) == []
    (slip,) = slips(found.parsed, 0, 2, found.cell_names)
    assert (slip.name, slip.meant) == ("baskte", ("basket",))


def test_a_name_of_a_cell_is_not_misspelt(place: Workspace) -> None:
    """Without its cell, `totals` would be `total` with a letter too many."""
    found = view(place, "total = 1\nprint(totals)$0\n", "totals = [3]\n")
    assert [slip.meant for slip in slips(found.parsed, 0, 2)] == [("total",)]
    assert slips(found.parsed, 0, 2, found.cell_names) == []


@pytest.mark.parametrize(
    ("words", "hides", "flags"),
    [
        (frozenset(), False, ("unknown name: tared",)),
        (frozenset({"tared"}), False, ()),
        (frozenset(), True, ()),
    ],
)
def test_edits_may_use_what_cells_define(words: frozenset[str], hides: bool, flags: tuple[str, ...]) -> None:
    edit = LineEdit(0, 1, ("print(tared)",))
    change = DocumentChange("vscode-notebook-cell:/a#1", 1, (edit,))
    assert validated(change, Baseline(("print(1)",), PYTHON, words, hides)).flags == flags
