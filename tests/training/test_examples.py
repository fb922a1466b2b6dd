"""Training examples: text that the product would write, cuts where the engine heals, damage that its reply mends."""

import ast
import re
from collections.abc import Callable
from random import Random

import pytest
from tests.training.areas import mended

from palimpsest.prompt.blocks import EDITING_END, number_line
from training import damage as damage_module
from training.corpus import Module, is_wanted, package_of
from training.damage import damage, reply_text
from training.examples import USUAL, Mix, Workspace, rename
from training.next_edit import next_edit
from training.product import Place, functions

SHOP = '''"""A shop's cart, as a module to learn from: it says in its docstring what it holds."""

from shop.items import Item

RATE = 0.2


def tax(amount: float, rate: float = RATE) -> float:
    """The tax on an amount."""
    value = amount * rate
    return round(value, 2)


class Cart:
    """Items and how many of each."""

    items: list[Item]

    def add(self, item: Item, quantity: int = 1) -> None:
        """Add an item,

        several times if wanted.
        """
        for _ in range(quantity):
            item.check(self.items)
            self.items.append(item)

    def total(self) -> float:
        amount = sum(item.price for item in self.items)
        if amount == 0:
            return 0.0
        return amount + tax(amount, RATE)
'''

ITEMS = '''"""What is sold."""


class Item:
    """A thing with a price."""

    price: float

    def check(self, others: list["Item"]) -> None:
        if self in others:
            raise ValueError("already there")
        self.checked = True
'''

FUNCTION = [
    "    def total(self, rate: float) -> float:",
    '        """What the cart costs."""',
    "        amount = sum(item.price for item in self.items)",
    "        charged = tax(amount, rate)",
    "        if amount == 0:",
    "            return charged",
    "        return amount + charged",
]


Shop = Callable[..., list[Workspace]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The shop's workspaces, as the product sees its folder."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop").mkdir()
    modules = [Module("shop", "shop.cart", "shop/cart.py", SHOP), Module("shop", "shop.items", "shop/items.py", ITEMS)]
    for module in modules:
        (folder / module.path).write_text(module.source)
    place = Place(folder, folder / "described")

    def make(seed: int = 0, mix: Mix = USUAL) -> list[Workspace]:
        rng = Random(seed)
        words = ("merge", "token", "ledger", "scope")
        return [w for m in modules for w in place.workspaces(m, words, functions(m), rng, mix)]

    return make


def test_blocks_are_what_the_product_chooses(shop: Shop) -> None:
    blocks = "".join(block for seed in range(6) for workspace in shop(seed) for block in workspace.blocks)
    assert '<context type="class" name="shop.cart.Cart" editable="true">\nclass Cart:\n' in blocks
    assert "    def add(self, item: Item, quantity: int = 1) -> None: ...\n" in blocks
    assert "def tax(amount: float, rate: float = RATE) -> float" in blocks
    assert '<context type="class" name="shop.items.Item" editable="true">\n' in blocks


@pytest.mark.parametrize("seed", range(6))
def test_prefix_and_suffix_are_the_editing_block_without_the_middle(shop: Shop, seed: int) -> None:
    lines = set((SHOP + ITEMS).split("\n"))
    for workspace in shop(seed):
        for tail in workspace.tails:
            assert tail.prefix.startswith("<editing type=")
            if tail.layout == "repair":
                continue
            assert tail.suffix.endswith(EDITING_END)
            assert tail.middle
            line = tail.prefix.split("\n")[-1] + tail.middle.split("\n")[0]
            assert any(known.startswith(line) for known in lines), line


@pytest.mark.parametrize("seed", range(6))
def test_no_cut_but_those_inside_is_in_a_word_or_behind_what_the_tokenizer_joins_to_it(shop: Shop, seed: int) -> None:
    for workspace in shop(seed):
        for tail in workspace.tails:
            if tail.layout != "repair" and tail.kind != "inside" and re.match(r"\w", tail.middle):
                assert tail.prefix.endswith("\n"), (tail.prefix, tail.middle)


@pytest.mark.parametrize("seed", range(3))
def test_a_new_name_is_new_everywhere(shop: Shop, seed: int) -> None:
    text = rename(SHOP, {"Cart": "Ledger", "tax": "levy"})
    assert not re.search(r"\b(Cart|tax)\b", text)
    ast.parse(text)
    for workspace in shop(seed, Mix(renamed=1.0)):
        if "Cart" not in "".join(workspace.blocks):
            assert not any(re.search(r"\bCart\b", tail.middle) for tail in workspace.tails)


def test_a_function_is_cut_as_often_as_asked(shop: Shop) -> None:
    once, twice = (sum(len(w.tails) for seed in range(6) for w in shop(seed, Mix(n_cuts=n))) for n in (1, 2))
    assert 1.6 * once < twice <= 2.4 * once


def test_a_repair_may_come_with_what_a_person_asks_for(shop: Shop) -> None:
    asked = [
        tail
        for seed in range(8)
        for workspace in shop(seed, Mix(shares={"repair": 1.0}, asked=1.0))
        for tail in workspace.tails
        if tail.layout == "repair"
    ]
    assert asked
    for tail in asked:
        assert re.search(r"</editing>\n<instruction>[^<\n]+</instruction>\n$", tail.prefix), tail.prefix
        assert tail.middle.startswith("<suggestion")


@pytest.mark.parametrize("breaker", damage_module.BREAKERS, ids=lambda breaker: breaker.__name__)
def test_the_reply_mends_the_damage(breaker: damage_module.Breaker) -> None:
    broken = [found for seed in range(20) if (found := breaker(FUNCTION, Random(seed), {"charged"}))]
    assert broken
    for each in broken:
        assert list(each.lines) != FUNCTION
        assert mended(each) == FUNCTION
        reply = reply_text(each)
        assert reply.startswith('<suggestion name="editing">\nL')
        assert reply.endswith("</summary>\n")
        assert number_line(1, FUNCTION[0]).startswith("L1 ")


def test_damage_is_the_same_for_the_same_seed() -> None:
    assert damage(FUNCTION, Random(4), ()) == damage(FUNCTION, Random(4), ())


def test_tests_generated_and_vendored_files_are_left_out() -> None:
    assert is_wanted("area/cart.py", SHOP)
    assert not is_wanted("area/tests/cart.py", SHOP)
    assert not is_wanted("area/_vendor/cart.py", SHOP)
    assert not is_wanted("area/cart.py", "# @generated\n" + SHOP)


def test_secrets_and_this_projects_own_workspaces_are_left_out() -> None:
    assert not is_wanted("area/cart.py", SHOP + 'API_KEY = "abcdefghijklmnopqrstuvwxyz0123"\n')
    assert not is_wanted("area/cart.py", SHOP + "# -----BEGIN RSA PRIVATE KEY-----\n")
    assert not is_wanted("shop/cart.py", SHOP)


@pytest.mark.parametrize(
    ("said", "permissive"),
    [
        ("License-Expression: MIT", True),
        ("Classifier: License :: OSI Approved :: BSD License", True),
        ("License: LGPL-3.0", False),
        ("Summary: nothing said", False),
    ],
)
def test_only_packages_that_say_a_permissive_licence_are_read(said: str, permissive: bool) -> None:
    assert package_of(f"Name: Shop\nVersion: 1\n{said}\n").is_permissive is permissive


@pytest.mark.parametrize("seed", range(40))
def test_a_change_made_elsewhere_is_made_here_by_the_reply(seed: int) -> None:
    found = next_edit(FUNCTION, Random(seed), ("merge", "token", "ledger", "scope"))
    assert found is not None
    broken, said = found
    assert list(broken.lines) != FUNCTION
    assert mended(broken) == FUNCTION
    match = re.fullmatch(r"In another place `(.+)` became `(.+)`\. Make the same change here\.", said)
    assert match
    (here,) = {*FUNCTION} - {*broken.lines}
    before, after = match.groups()
    assert before != after
    assert after != here.strip(), "the line there has other names"


def test_a_change_made_elsewhere_is_asked_for_as_the_product_does(shop: Shop) -> None:
    mix = Mix(shares={"repair": 1.0}, followed=1.0)
    tails = [t for seed in range(6) for w in shop(seed, mix) for t in w.tails if t.layout == "repair"]
    assert tails
    for tail in tails:
        assert re.search(r"</editing>\n<instruction>In another place `.+</instruction>\n$", tail.prefix), tail.prefix
        assert tail.kind == "next-edit"
