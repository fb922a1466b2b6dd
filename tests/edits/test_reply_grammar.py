"""The grammar of a request against llama.cpp's own reading of it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from byte_grammar import Admits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shown_sample import shown_block

from palimpsest.edits.formats import FORMATS
from palimpsest.edits.grammar import MAX_INSERTIONS, MAX_SUGGESTIONS, grammar_for
from palimpsest.edits.shown import ShownBlock
from palimpsest.text.markup import attribute

Grammars = Callable[[str], Admits]
EDITING = shown_block("def f(a):", "    b = a", None, "    return b")
CART = shown_block(*(f"line {i}" for i in range(1, 124)), name='shop "&" <cart>')
LOCKED = shown_block("x", name="locked", editable=False)
DELETED = re.compile(r"^L[0-9]+-$", re.MULTILINE)
SUMMARY = "<summary>Say it.</summary>\n"


def suggestion(*lines: str, name: str = "editing") -> str:
    return f"<suggestion name={attribute(name)}>\n" + "".join(f"{line}\n" for line in lines) + "</suggestion>\n"


@pytest.mark.parametrize(
    "reply",
    [
        suggestion("L2     b = a + 1"),
        suggestion("L0+ import re", "L1", "L1+     pass", "L2-", "L3+", "L3+  x"),
        suggestion("L1+ x")
        + suggestion("L7-", "L10 a", "L99 b", "L100-", "L123 <c> </c> &lt;/suggestion>", name=CART.name),
        suggestion("L1 <", "L2 </", "L3 <</su", "L3+ </summary> &lt;/suggestion>"),
        suggestion(*["L1 x", *["L1+ y"] * (MAX_INSERTIONS - 1)]),
        suggestion("L1 " + "é" * 200),
    ],
)
def test_what_the_format_allows_is_admitted(admits: Grammars, reply: str) -> None:
    assert admits(grammar_for([EDITING, CART, LOCKED])).whole(reply + SUMMARY)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        suggestion("L4 number not shown"),
        suggestion("L0 the line before the first cannot be replaced"),
        suggestion("L2 a", "L1 falling"),
        suggestion("L2 a", "L2 again"),
        suggestion(),
        suggestion("no number"),
        suggestion("L1 x </suggestion>"),
        suggestion("L1 x", name="locked"),
        suggestion("L1 x", name="unknown"),
        suggestion("L124 x", name=CART.name),
        suggestion("L12 x", "L12-", name=CART.name),
        suggestion("L20 x", "L3 x", name=CART.name),
        suggestion("L20 x", "L100 x", "L99 x", name=CART.name),
        suggestion(*["L1+ y"] * (MAX_INSERTIONS + 1)),
        suggestion("L1 x") * (MAX_SUGGESTIONS + 1),
    ],
)
def test_what_was_not_shown_is_not_admitted(admits: Grammars, reply: str) -> None:
    assert not admits(grammar_for([EDITING, CART, LOCKED])).whole(reply + SUMMARY)


def test_a_suggestion_without_a_summary_is_not_the_end(admits: Grammars) -> None:
    assert not admits(grammar_for([EDITING])).whole(suggestion("L1 x"))


def test_nothing_editable_gives_no_grammar() -> None:
    assert grammar_for([LOCKED]) == ""
    assert grammar_for([]) == ""


def read_without_a_problem(reply: str, blocks: dict[str, ShownBlock]) -> None:
    read = FORMATS["ln-diff"].read(reply, blocks)
    assert 1 <= len(read.written) <= MAX_SUGGESTIONS
    assert reply.count("</suggestion>\n") == len(read.written)
    for written in read.written:
        lines = blocks[written.name].lines
        assert written.complete
        assert not written.problem
        assert written.edits
        assert list(written.edits) == sorted(written.edits, key=lambda edit: edit.start)
        assert all(lines[i].number is not None for edit in written.edits for i in range(edit.start, edit.end))
    lines_written = sum(len(part.split("\n")) - 3 for part in reply.split("</suggestion>\n")[:-1]) + len(read.written)
    texts = sum(len(edit.lines) for written in read.written for edit in written.edits)
    assert texts + len(DELETED.findall(reply)) == lines_written


@pytest.mark.parametrize("seed", range(12))
def test_whatever_the_grammar_lets_a_model_write_is_read_whole(admits: Grammars, seed: int) -> None:
    """A model of pure noise under the grammar, with a liking for line ends, tags and few digits."""
    choose, blocks = random.Random(seed), {block.name: block for block in (EDITING, CART)}
    grammar, reply = admits(grammar_for(blocks.values())), bytearray()
    every = [*range(256), Admits.END]
    while True:
        allowed = grammar.allowed(every)
        assert allowed, bytes(reply)
        liked = [token for token in allowed if chr(token) in "\n<"] if choose.random() < 0.3 else []
        token = choose.choice(liked or allowed)
        grammar.accept(token)
        if token == Admits.END:
            break
        reply.append(token)
    read_without_a_problem(reply.decode(errors="replace"), blocks)


TEXT = st.text(st.sampled_from("ab <>/s&L1+-\t\"'é😀"), max_size=12).filter(lambda text: "</sug" not in text)
INSERTED = st.lists(TEXT, max_size=MAX_INSERTIONS - 1)


@st.composite
def written_lines(draw: Any, numbers: tuple[int, ...]) -> list[str]:
    lines = list[str]()
    for number in sorted(draw(st.sets(st.sampled_from((0, *numbers)), min_size=1, max_size=6))):
        kinds = ["+"] if number == 0 else ["", "-", "+"]
        kind, text = draw(st.sampled_from(kinds)), draw(TEXT)
        lines.append(f"L{number}-" if kind == "-" else f"L{number}{kind} {text}")
        lines += [f"L{number}+ {more}" for more in draw(INSERTED)]
    return lines


@given(first=written_lines(EDITING.editable_numbers), second=written_lines(CART.editable_numbers))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_in_rising_order_is_admitted_and_read(
    admits: Grammars, first: list[str], second: list[str]
) -> None:
    # a `<` keeps the character after it, so `</<` cannot be written
    if any("</<" in line or "</s<" in line for line in first + second):
        return
    blocks = {block.name: block for block in (EDITING, CART)}
    reply = suggestion(*first) + suggestion(*second, name=CART.name) + SUMMARY
    assert admits(grammar_for(blocks.values())).whole(reply)
    read_without_a_problem(reply, blocks)


def test_many_lines_make_a_small_grammar(admits: Grammars) -> None:
    sizes = [len(grammar_for([shown_block(*["x"] * n)])) for n in (100, 400)]
    assert sizes[1] < 6 * sizes[0]
    assert admits(grammar_for([shown_block(*["x"] * 400)])).whole(suggestion("L9-", "L399 y", "L400+ z") + SUMMARY)
