"""The table of values: what it says of itself, and that blocks have the values that it gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise, product

import pytest
from context_workspace import Workspace

from palimpsest.context import values
from palimpsest.context.values import DISTANCES, KINDS, MENTIONS, PER_NEWER, worth

Make = Callable[..., Workspace]
NEAREST_FIRST = ("function", "class", "file", "imported", "installed", "elsewhere")
EXAMPLES = {
    "the class around the cursor": worth("class", "class"),
    "an earlier cell of the notebook, the nearest one": worth("cell", "file"),
    "a class of the same file in the signature": worth("class", "file", "signature"),
    "an imported class in the signature": worth("class", "imported", "signature"),
    "a class of the same file in the editing block": worth("class", "file"),
    "an imported class in the editing block": worth("class", "imported"),
    "what other files define and the lines around use": values.FILE_NAMES,
    "an imported base of the class around the cursor": worth("class", "imported", "base"),
    "an imported class that one of these is derived from": worth("class", "imported", "inherited"),
    "a fixture that the test takes": values.FIXTURE,
    "a module of the workspace that the editing block uses": worth("module", "imported"),
    "a class that only one file of the workspace defines": worth("class", "elsewhere"),
    "an installed package that the editing block uses": worth("module", "installed"),
    "names of the function that the editing block leaves out": worth("scope", "function"),
    "put from outside, priority 0": values.OUTSIDE,
    "a function that only one file of the workspace defines": worth("module", "elsewhere"),
    "the last edit of the function": worth("edit", "function"),
    "a class that is imported and not used yet": worth("class", "imported", "unused"),
    "the imported class of an attribute": worth("class", "imported", "attribute"),
    "names of the file": worth("scope", "file"),
    "what is wrong in the cursor's line": worth("problem", "function"),
    "what is wrong in the file": worth("problem", "file"),
    "a test of the function, what the test is of": values.TEST,
    "the last edit elsewhere in the file": worth("edit", "file"),
    "a header of which the editing block uses nothing": worth("module", "imported", "unused"),
    "a module that is imported and not used yet": worth("module", "imported", "unused"),
    "a file of the project's rules": values.RULES,
    "code of the file that the person worked with lately": worth("recent", "file"),
    "a document that a comment links to": values.LINKED,
    "the documentation of a function of the file that is called": worth("documentation", "file"),
    "the documentation of an imported function that is called": worth("documentation", "imported"),
    "the documentation of a function of a package": worth("documentation", "installed"),
    "the last edit of another file": worth("edit", "elsewhere"),
    "code of another file that the person worked with": worth("recent", "elsewhere"),
    "the module's docstring": values.MODULE_DOCUMENTATION,
    "what of the file is not committed": values.UNCOMMITTED,
    "a section of the README or of another document": values.README_SECTION,
    "the last commits of the function": values.COMMITS,
    "the tree of files": values.FILESYSTEM,
}
FILES = {
    "shop/__init__.py": "",
    "shop/item.py": "class Item:\n    weight: int\n\n\nclass Base:\n    size = 1\n\n\nclass Label:\n    text = ''\n",
    "shop/cart.py": (
        "from shop.item import Base, Item, Label\n\n\nclass Note:\n    text = ''\n\n\n"
        "class Cart(Base):\n    label: Label\n\n"
        "    def add(self, item: Item, note: Note) -> None:\n        Lonely(1)\n        $0\n"
    ),
    "other.py": "class Lonely:\n    def __init__(self, n: int) -> None: ...\n",
}


def said() -> dict[str, float]:
    """The table of the module's docstring."""
    text = (values.__doc__ or "").partition("have these values")[2]
    return {found[1].strip(): float(found[2]) for found in re.finditer(r"^    (\S.*?)\s{2,}(\d+)", text, re.MULTILINE)}


def test_the_docstring_tells_the_truth() -> None:
    assert said() == EXAMPLES
    assert list(said().values()) == sorted(said().values(), reverse=True)


def test_what_is_nearer_is_worth_more_whatever_it_is_and_however_it_is_mentioned() -> None:
    assert set(NEAREST_FIRST) == set(DISTANCES)
    for kind, mention in product(KINDS, MENTIONS):
        for near, far in pairwise(NEAREST_FIRST):
            assert worth(kind, near, mention) > worth(kind, far, mention)


def test_what_is_newer_is_worth_more() -> None:
    assert worth("cell", "file", newer=3) == worth("cell", "file") - 3 * PER_NEWER
    assert worth("cell", "file", rank=3) > worth("cell", "file", newer=1), "a rank decides between equals only"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("class:shop.cart.Cart", worth("class", "class")),
        ("class:shop.cart.Note", worth("class", "file", "signature")),
        ("class:shop.item.Item", worth("class", "imported", "signature")),
        ("class:shop.item.Base", worth("class", "imported", "base")),
        ("class:shop.item.Label", worth("class", "imported", "attribute")),
        ("class:other.Lonely", worth("class", "elsewhere")),
        ("scope:shop.cart", worth("scope", "file")),
        ("filesystem:shop", values.FILESYSTEM),
    ],
)
def test_a_block_has_its_value(workspace: Make, key: str, value: float) -> None:
    made = workspace(FILES)
    made.build_index()
    blocks = made.blocks("shop/cart.py")
    assert blocks[key].value == pytest.approx(value, abs=20 * values.PER_RANK)
