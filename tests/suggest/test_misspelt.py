"""Which names can be meant by one that is defined nowhere."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.suggest.misspelt import MOST, meant

NAMES = ["item", "items", "price", "prices", "prices_by_name", "total", "name", "n", "größe"]


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ("totla", ["total"]),
        ("itesm", ["items"]),  # `item` is nearer by difflib's measure
        ("pricse", ["prices"]),
        ("naem", ["name"]),
        ("itms", ["items"]),
        ("prics", ["prices", "price"]),
        ("priice", ["price"]),
        ("grösse", ["größe"]),
        ("m", []),
        ("x", []),
        ("count", []),
        ("total", []),  # itself is no answer
    ],
)
def test_slips(wrong: str, names: list[str]) -> None:
    assert meant(wrong, NAMES) == names


@given(st.text("abcdef", min_size=3, max_size=9), st.integers(0, 8), st.sampled_from("drx+"), st.data())
def test_any_one_slip_is_recognised(name: str, at: int, slip: str, data: st.DataObject) -> None:
    at %= len(name) - 1
    letter = data.draw(st.sampled_from("abcdef"))
    a, b = name[at], name[at + 1]
    new = {"d": "", "r": letter, "x": b + a, "+": a + letter}[slip]
    wrong = name[:at] + new + name[at + 1 + (slip == "x") :]
    assume(wrong != name and len(wrong) > 1)
    assert name in meant(wrong, [name, "zzzzzz"])


@given(st.text("abc_", max_size=6), st.lists(st.text("abc_", max_size=6), max_size=20))
def test_only_names_that_there_are_each_once_and_never_the_same(name: str, names: list[str]) -> None:
    found = meant(name, names)
    assert len(found) == len(set(found)) <= MOST
    assert set(found) <= set(names) - {name}
