"""Which kinds of block accepted names came from, and what follows from it."""

from collections.abc import Callable
from dataclasses import replace

from context_workspace import Workspace

from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.choice.learned import DOUBLING, MOST, Learned, counted
from palimpsest.types import Block

CART = Block("class", "Cart", "class Cart:\n    def subtotal(self): ...", 90.0, source="class")
TREE = Block("filesystem", "root", "shop/\nshop/cart.py", 90.0 - DOUBLING, source="filesystem")


def test_names_that_only_a_block_has_count_for_its_kind_as_the_table_expects_them() -> None:
    learned = Learned()
    found = counted([CART, TREE], "total = cart.subtotal()", "total = 1", learned.points)
    assert {kind: (round(expected, 2), n) for kind, (expected, n) in found.items()} == {
        "class": (1.33, 1.0),
        "filesystem": (0.67, 1.0),
    }, "`total` is in the code; of two names, a kind that is worth a doubling less is expected to hold a third"
    assert counted([CART, TREE], "total = 2", "total = 1", learned.points) == {}


def test_what_holds_more_names_than_expected_is_worth_more_within_a_bound_and_nothing_without_names() -> None:
    learned = Learned({"few": (1.0, 2.0), "more": (100.0, 150.0), "less": (100.0, 0.0)})
    assert 0 < learned.points("few") < learned.points("more") < MOST
    assert (learned.points("less"), learned.points("unknown")) == (-MOST, 0.0)


def test_blocks_of_a_kind_that_holds_what_is_accepted_come_first(workspace: Callable[..., Workspace]) -> None:
    made = workspace()
    view = made.view("find.py", "import re\n\n\ndef find(text):\n    return re.match('a', text)$0\n")
    values = []
    for learn in (False, True):
        chooser = Chooser(made.gatherer, made.external, replace(made.settings, learn=learn))
        chooser.learned.add({"package": (0.0, 1_000.0)})
        values.append({block.source: block.value for block in chooser.choose(view)})
    plain, learned = values
    assert learned == {**plain, "package": plain["package"] + MOST}
