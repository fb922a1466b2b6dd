"""Lines that no person wrote, and those that one did."""

from __future__ import annotations

import json
from itertools import product

import pytest

from palimpsest.text.minified import MOST_CHARACTERS, is_minified, without_minified_lines

SCRIPT = "!function(e,t){for(var n=0;n<t.length;n++)e[t[n]]=function(){return n}}(window,[]);" * 40
PROSE = {
    "english": "The cart keeps what a person is about to buy, and forgets it when they leave. " * 60,
    "german": "Der Warenkorb behält, was jemand kaufen möchte, bis die Bestellung abgeschickt wird. " * 60,
    "chinese": "购物车保存用户准备购买的商品，直到他们下单为止。" * 200,
}
DENSE = {
    "script": SCRIPT,
    "data": json.dumps([[n, n * n] for n in range(900)], separators=(",", ":")),
    "base64": "iVBORw0KGgoAAAANSUhEUgAA" * 200,
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_a_paragraph_on_one_line_is_a_persons(text: str) -> None:
    assert len(text) > MOST_CHARACTERS
    assert not is_minified(text)
    assert without_minified_lines(text) == text


@pytest.mark.parametrize("text", DENSE.values(), ids=DENSE)
def test_minified_code_and_data_are_nobodys(text: str) -> None:
    assert is_minified(text)
    cut = without_minified_lines(f"before = 1\n{text}\nafter = 2\n")
    assert cut.startswith("before = 1\n")
    assert cut.endswith("…\nafter = 2\n")
    assert max(map(len, cut.split("\n"))) < 100


def test_a_file_with_one_such_line_among_many_is_still_a_persons() -> None:
    text = "def total(items): ...\n" * 400 + f"ICON = '{DENSE['base64'][:2_500]}'\n"
    assert not is_minified(text)
    assert DENSE["base64"][:200] not in without_minified_lines(text)


def test_a_line_of_just_2000_characters_is_not_too_long() -> None:
    assert not is_minified("x" * MOST_CHARACTERS)
    assert is_minified("x" * (MOST_CHARACTERS + 1))


def test_a_long_line_counts_wherever_it_stands() -> None:
    before = ["", "\n", "x = 1\n", "y" * (MOST_CHARACTERS - 1) + "\n", "y" * MOST_CHARACTERS + "\n"]
    lengths = [MOST_CHARACTERS - 1, MOST_CHARACTERS, MOST_CHARACTERS + 1, 3 * MOST_CHARACTERS]
    for start, n, end in product(before, lengths, ["", "\n", "\n\n"]):
        text = f"{start}{'x' * n}{end}"
        long = sum(len(line) for line in text.split("\n") if len(line) > MOST_CHARACTERS)
        assert is_minified(text) == (2 * long > len(text)), (len(start), n, len(end))


def test_prose_with_a_picture_in_it_is_prose() -> None:
    picture = "![A diagram](data:image/png;base64," + "iVBORw0KGgo" * 900 + ")"
    assert not is_minified(f"# Drawn\n\nHow it is drawn.\n\n{picture}\n")
