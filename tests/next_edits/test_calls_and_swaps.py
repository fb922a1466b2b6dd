"""Calls after a changed signature, halves of swaps, names that moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.next_edits.bursts import Burst
from palimpsest.next_edits.finder import Finder
from palimpsest.next_edits.sites import rearranged, rewrite
from palimpsest.next_edits.targets import File
from palimpsest.syntax.calls import Parameter, calls, first_argument

from .conftest import Workspace, parsed, workspace


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("a, b", "b, a", "f(1, 2)", "f(2, 1)"),
        ("a, b", "b, a", "f(1, b=2)", "f(b=2, a=1)"),
        ("a, b", "a", "f(1, 2)", "f(1)"),
        ("a, b", "b", "f(1, 2)", "f(2)"),
        ("a", "", "f(1)", "f()"),
        ("a, b", "a", "f(1, b=2)", "f(1)"),
        ("a", "a, b=0", "f(1)", None),
        ("a, b=0", "a, *, b=0", "f(1, 2)", "f(1, b=2)"),
        ("a, b=0", "a, b", "f(1)", "f(1, 0)"),
        ("a, b", "a, x=0, b=1", "f(1, 2)", "f(1, b=2)"),
        ("a, b", "b, a", "f(*x)", None),
        ("a, b", "b, a", "f(1)", None),  # it did not fit before
        ("a, b", "a", "f(1)", None),  # it fits already
        ("a, b, c", "a, c, b", "f(g(1), [2], {3})", "f(g(1), {3}, [2])"),
        ("a, b", "b, a", "f(\n    1,\n    2,\n)", "f(\n    2, 1,\n)"),
    ],
)
def test_a_call_follows_the_parameters(before: str, after: str, call: str, expected: str | None) -> None:
    source = f"def f({before}): pass\n\n{call}\n"
    made = workspace(source).edit("a.py", (f"def f({before})", f"def f({after})")).follow()
    assert made.texts["a.py"] == f"def f({after}): pass\n\n{expected or call}\n"


def test_a_value_that_has_to_be_chosen_is_left_open_unless_it_is_at_hand(shop: Workspace) -> None:
    shop.texts["app.py"] = "from shop.item import format_price\n\n\ndef show(locale, p):\n    format_price(p)\n\n\n"
    shop.texts["app.py"] += "format_price(1, 'EUR')\n"
    there = shop.edit("shop/item.py", ('currency: str = "EUR")', 'currency: str = "EUR", *, locale: str)')).places()
    app = there["app.py"]
    assert [(place.text, place.hole) for place in app] == [(", locale=locale", None), (", locale=", 9)]
    assert [place.before for place in app] == ["", ""]


def test_a_method_s_calls_follow_without_its_first_parameter(shop: Workspace) -> None:
    made = shop.edit(
        "shop/cart.py", ("add(self, item: Item, quantity: int = 1)", "add(self, quantity: int, item: Item)")
    )
    texts = made.follow().texts
    assert 'cart.add(2, Item("tea", 450))' in texts["tests/test_cart.py"]
    assert 'cart.add(1, Item("tea", 450))' in texts["tests/test_cart.py"]


def test_who_makes_one_follows_what_makes_it(shop: Workspace) -> None:
    edit = ("__init__(self, item: Item, quantity: int = 1)", "__init__(self, quantity: int, item: Item)")
    assert "self.lines.append(Line(quantity, item))" in shop.edit("shop/cart.py", edit).follow().texts["shop/cart.py"]


def test_calls_of_what_became_asynchronous_are_awaited_where_they_can_be() -> None:
    source = "def f(): pass\n\nasync def g():\n    f()\n    f().x\n    await f()\n\ndef h():\n    f()\n"
    lines = workspace(source).edit("a.py", ("def f", "async def f")).lines()
    assert lines == ["a.py: await f()", "a.py: (await f()).x"]


def test_the_other_half_of_a_swap_is_offered_where_the_first_was_made() -> None:
    source = "f(a, b)\nf(a, b)\nx = left - right\n"
    half = workspace(source).edit("a.py", ("f(a, b)", "f(b, b)"))
    assert half.follow().texts["a.py"] == "f(b, a)\nf(a, b)\nx = left - right\n"
    operands = workspace(source).edit("a.py", ("left - right", "right - right"))
    assert operands.lines() == ["a.py: x = right - left"]


def test_a_swap_is_made_in_the_same_pairs_too() -> None:
    source = "def f(a, b): pass\n\nf(x, y)\ng(x, y)\nf(x, y)\nf(y, z)\n"
    assert workspace(source).edit("a.py", ("f(x, y)", "f(y, x)")).lines() == ["a.py: f(y, x)"]


@pytest.mark.parametrize("edit", [("1, 2", "2, 2"), ("'a', b", "b, b"), ("a, c", "d, c")])
def test_another_value_is_no_swap(edit: tuple[str, str]) -> None:
    assert not workspace("f(1, 2)\nf('a', b)\nf(a, c)\n").edit("a.py", edit).places()


def test_a_name_that_moved_is_imported_from_there(shop: Workspace) -> None:
    shop.texts["app.py"] = "from shop.discount import Discount\nfrom shop.discount import Discount, other\n"
    lines = shop.edit("shop/cart.py", ("from shop.discount", "from shop.rebate")).lines()
    assert lines == ["app.py: from shop.rebate import Discount"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total, 3)", "total"),
        ("a", "a"),
        ("g(b)(c), d", "g(b)(c)"),
        ("x\n)\nmore(", "x"),
        (")", ""),
        ("*a)", ""),
        ("", ""),
    ],
)
def test_the_first_argument_of_what_goes_on(text: str, expected: str) -> None:
    assert first_argument(text, PYTHON) == expected


PARAMETERS = st.lists(st.sampled_from("abcd"), unique=True, max_size=4)


@given(before=PARAMETERS, after=PARAMETERS, n_positional=st.integers(0, 4))
def test_a_rewritten_call_binds_as_the_old_one_did(before: list[str], after: list[str], n_positional: int) -> None:
    """Run by the interpreter: every parameter that stays gets what it got, and nothing else is passed."""
    given_names = before[n_positional:]
    written = [*(f"'{name}'" for name in before[:n_positional]), *(f"{name}='{name}'" for name in given_names)]
    text = f"f({', '.join(written)})"
    call = calls(parsed("a.py", text), 0, 1)
    old, new = ([Parameter(name, name, "plain") for name in names] for names in (before, after))
    pieces = rearranged(call[0], old, new, {}, PYTHON)
    assert pieces is not None
    made = rewrite(call[0], pieces)
    if made is not None:
        value = "'new'" if made.hole is not None else ""
        hole = made.hole or 0
        if sum(bool(piece.wants) for piece in pieces) > 1:
            return
        text = text[: made.start] + made.text[:hole] + value + made.text[hole:] + text[made.end :]
    scope: dict[str, object] = {}
    exec(f"def f({', '.join(after)}):\n    return locals()\nmade = {text}", scope)
    assert scope["made"] == {name: name if name in before else "new" for name in after}


def test_calls_of_a_class_of_the_same_name_in_another_package_stay() -> None:
    cls = "public class Cart {\n    public void add(int count, String name) {}\n}\n"
    use = 'class Till {\n    void pay(Cart cart) { cart.add(1, "x"); }\n}\n'
    files = {
        "one/Cart.java": f"package one;\n\n{cls}",
        "two/Cart.java": f"package two;\n\n{cls}",
        "one/Till.java": f"package one;\n\n{use}",
        "two/Till.java": f"package two;\n\n{use}",
        "three/Till.java": f"package three;\n\nimport two.Cart;\n\n{use}",
        "four/Till.java": f"package four;\n\nimport one.Cart;\n\n{use}",
    }
    made = workspace(files).edit("one/Cart.java", ("add(int count, String name)", "add(String name, int count)"))
    swapped = 'void pay(Cart cart) { cart.add("x", 1); }'
    assert made.lines() == [f"one/Till.java: {swapped}", f"four/Till.java: {swapped}"]


def test_calls_in_the_other_cells_of_a_notebook_follow() -> None:
    texts = ["def add(a, b):\n    return a + b\n", "add(1, b=2)\n", "x = add(3, 4)\ncart.add(5, 6)\n"]

    def cells(first: str, more: str = "") -> list[File]:
        cells = [first, *texts[1:], *([more] if more else [])]
        return [File(parsed(f"{n}.py", text), f"{n}.py", False, "file:///a.ipynb") for n, text in enumerate(cells)]

    changed = texts[0].replace("a, b", "b, a")
    burst = Burst(parsed("0.py", texts[0]).snapshot, parsed("0.py", changed).snapshot, 0, 1)
    found = Finder([], ContextSettings()).find(cells(changed), (), burst).candidates
    assert [(one.file.name, one.place.text) for one in found] == [("1.py", "b=2, a=1"), ("2.py", "4, 3")]
    others = Finder([], ContextSettings()).find(cells(changed, "def add(c, d):\n    pass\n"), (), burst)
    assert others.candidates == (), "which of both is called, nobody can tell"
