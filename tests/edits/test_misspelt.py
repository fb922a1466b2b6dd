"""Which names can be meant by one that is defined nowhere."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.edits.misspelt import MOST, Slip, meant, slips
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.parse import parse_text
from palimpsest.text.snapshot import Position

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
        ("größ", ["größe"]),
        ("grösse", []),  # two slips of a short name are too many
        ("price_by_nmae", ["prices_by_name"]),
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


def test_names_that_can_be_written_there_are_meant_and_no_others() -> None:
    text = """\
def outer(values):
    hidden = 1
    def inner(größe):
        return [member.x for member in valeus if mmber], lambda match: mathc
    return linee, strr, hiden, qqq, outre
def other(line):
    pass
"""
    parsed = parse_text(text, PYTHON)
    found = [(slip.name, slip.start, slip.meant) for slip in slips(parsed, 0, 99)]
    assert found == [
        ("valeus", Position(3, 39), ("values",)),
        ("mmber", Position(3, 49), ("member",)),
        ("mathc", Position(3, 71), ("match",)),
        ("strr", Position(4, 18), ("str",)),
        ("hiden", Position(4, 24), ("hidden",)),
        ("outre", Position(4, 36), ("outer",)),
    ]
    assert slips(parsed, 0, 4) == [Slip(*one) for one in found[:3]]
