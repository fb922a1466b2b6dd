"""The grammar of each edit format against llama.cpp's own reading of it, and against the format's reader."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest
from byte_grammar import Admits
from shown_sample import shown_block

from palimpsest.edits.formats import FORMATS
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import LineEdit

Grammars = Callable[[str], Admits]
OTHERS = [one for name, one in FORMATS.items() if name != "ln-diff"]  # test_reply_grammar.py is about that one
ALL = pytest.mark.parametrize("format", OTHERS, ids=lambda one: one.name)
EDITING = shown_block(
    "class Cart:",
    '    """</suggestion> é"""',
    "",
    "    def add(self, item):",
    None,
    "",
    "    def drop(self, item):",
    "        self.add(item)",
    "        if item:",
    "            return item",
    "        self.add(item)",
    "        return item",
    "",
)
PLAIN = shown_block("x = 1", "=======", "<<<<<<< SEARCH", "", "```", "y = '\\n'", name='shop "&" <cart>')
LOCKED = shown_block("x", name="locked", editable=False)
BLOCKS = {block.name: block for block in (EDITING, PLAIN, LOCKED)}
LIKED = b"\n<abL+->= "


def noise(grammar: Admits, seed: int, most: int = 4000) -> str:
    """What a model of pure noise writes under the grammar, with a liking for line ends, tags and marks."""
    choose, reply = random.Random(seed), bytearray()
    every = [*range(256), Admits.END]
    while len(reply) < most:
        liked = grammar.allowed(list(LIKED)) if choose.random() < 0.7 else []
        if ord("\n") in liked and choose.random() < 0.4:
            liked = [ord("\n")]
        tokens = liked or grammar.allowed(every)
        assert tokens, bytes(reply)
        token = choose.choice(tokens)
        grammar.accept(token)
        if token == Admits.END:
            return reply.decode(errors="replace")
        reply.append(token)
    pytest.fail(f"{most} bytes and no end: {reply[-200:]!r}")


def well_formed(format: EditFormat, reply: str, shown: Iterable[ShownBlock]) -> None:
    read = format.read(reply, {block.name: block for block in shown})
    assert 1 <= len(read.written) <= 3, reply
    assert reply.count("</suggestion>\n") == len(read.written), reply
    for written in read.written:
        assert written.complete, reply
        assert not written.problem, reply


@ALL
@pytest.mark.parametrize("seed", range(5))
def test_whatever_the_grammar_lets_a_model_write_is_read(admits: Grammars, format: EditFormat, seed: int) -> None:
    reply = noise(admits(format.grammar(BLOCKS.values())), seed)
    well_formed(format, reply, BLOCKS.values())


EDITS = [
    (EDITING, [LineEdit(1, 2, ())]),
    (EDITING, [LineEdit(2, 2, ("    items = []", ""))]),
    (EDITING, [LineEdit(10, 11, ("        # <b>", "", "L3 x", "        self.add(item, '</b>')"))]),
    (EDITING, [LineEdit(8, 10, ())]),
    (EDITING, [LineEdit(12, 12, ("    def size(self):", "        return 0"))]),
    (PLAIN, [LineEdit(5, 6, ("y = '<</b>'", "z = 3"))]),
    (PLAIN, [LineEdit(1, 4, ())]),
]


@ALL
@pytest.mark.parametrize(("block", "edits"), EDITS, ids=range(len(EDITS)))
def test_what_is_written_of_one_place_is_admitted(
    admits: Grammars, format: EditFormat, block: ShownBlock, edits: list[LineEdit]
) -> None:
    reply = format.write(block, edits, "Say it.")
    assert admits(format.grammar(BLOCKS.values())).whole(reply), reply


@ALL
def test_what_was_not_shown_is_not_admitted(admits: Grammars, format: EditFormat) -> None:
    for name in ("locked", "unknown"):
        other = shown_block("x", "y = 1", name=name)
        assert not admits(format.grammar(BLOCKS.values())).whole(format.write(other, [LineEdit(1, 2, ())], "Say it."))


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("search-replace", "<<<<<<< SEARCH\nx = 2\n=======\n>>>>>>> REPLACE"),
        ("search-replace", "<<<<<<<< SEARCH\nx = 1\n\n========\n>>>>>>>> REPLACE"),
        ("udiff", "@@ @@\n-x = 2"),
        ("udiff", "@@ @@\n-x = 1\n-"),
        ("udiff", "-x = 1"),
        ("ast", '<delete node="function f"/>'),
        ("ast", '<replace node="function f">\nx\n</replace>'),
    ],
)
def test_lines_and_names_that_are_not_there_are_not_admitted(admits: Grammars, format: str, content: str) -> None:
    grammar, block = FORMATS[format].grammar([PLAIN]), shown_block("x", name=PLAIN.name)
    head = FORMATS["whole"].write(block, [], "Say it.").split("\n")[0]
    assert not admits(grammar).whole(f"{head}\n{content}\n</suggestion>\n<summary>Say it.</summary>\n")


def test_code_left_out_has_to_stand_where_it_stood(admits: Grammars) -> None:
    grammar = FORMATS["whole"].grammar([EDITING])
    lines = [line.text.replace("</sug", "&lt;/sug") for line in EDITING.lines]
    head, tail = '<suggestion name="editing">', "</suggestion>\n<summary>S</summary>\n"
    assert admits(grammar).whole("\n".join([head, *lines, "x", tail]))
    assert not admits(grammar).whole("\n".join([head, *(line for line in lines if "..." not in line), tail]))


@ALL
def test_a_line_that_stands_often_is_quoted_with_those_around_it(admits: Grammars, format: EditFormat) -> None:
    block = shown_block("a = 1", "b = 1", "c = 1", "a = 1", "b = 1", "d = 1", "a = 1", "b = 1")
    reply = format.write(block, [LineEdit(4, 5, ("b = 2",))], "Say it.")
    assert admits(format.grammar([block])).whole(reply)


@ALL
def test_many_lines_make_a_small_grammar(admits: Grammars, format: EditFormat) -> None:
    """Every second line is one of ten: such a line needs its neighbour to be told from others."""
    blocks = [shown_block("def f():", *[f"    x = {i % 10 if i % 2 else i}" for i in range(2 * n)]) for n in (50, 200)]
    sizes = [len(format.grammar([block])) for block in blocks]
    assert sizes[1] < 6 * sizes[0]
    reply = format.write(blocks[1], [LineEdit(302, 303, ("    y = 1",))], "Say it.")
    assert admits(format.grammar([blocks[1]])).whole(reply)


@ALL
def test_nothing_editable_gives_no_grammar(format: EditFormat) -> None:
    assert format.grammar([LOCKED]) == ""
    assert format.grammar([]) == ""
