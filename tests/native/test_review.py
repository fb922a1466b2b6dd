"""Other lines beside the likeliest, and what the code behind gives to each: plain decodes, and nothing left behind."""

from __future__ import annotations

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.review import MOST_BEFORE, around
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument
from palimpsest.wire import FimTail
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, fim, sync, text
from tests.native.test_interruption import sequences_in_use, stepped

PREFIX = "self."
SUFFIX = (
    "\n        for item in items:\n            total += item.price\n        return total\n\n\ndef other():\n    pass\n"
)


def reviewing(prefix: str = PREFIX, suffix: str = SUFFIX, **others: object) -> wire.GenerateRequest:
    """The models here hardly end a line, so letters do it."""
    return fim(prefix, suffix, **{"review": 8, "stop": ["\n", *"aeiou"], "max_tokens": 24, **others})


def likelihood(engine: NativeEngine, ids: list[int], start: int) -> float:
    """Of the tokens from `start` on, each behind all before it, in a cache of nothing else."""
    workspace, total = engine.workspaces.open("w"), 0.0
    for i in range(start, len(ids)):
        row = engine.reference.logits(workspace, ids[:i])
        total += float(row[ids[i]] - row.max() - np.log(np.exp(row - row.max()).sum()))
    return total


def written(engine: NativeEngine, ids: list[int], text: str) -> int:
    """How many of the tokens write the text."""
    n, told = 0, b""
    while len(told) < len(text.encode()):
        told += engine.vocab.pieces[ids[n]]
        n += 1
    return n


def test_of_a_block_the_first_line_counts_and_what_follows_that_or_all_of_it(make_engine: MakeEngine) -> None:
    engine = make_engine("embedded-f32", n_ctx=2048)
    sync(engine, [("a", text(1))])
    begins = "class Cart:\n    def add(self, item):\n        for "
    block = ask(engine, reviewing(begins, stop=["</editing>"], max_tokens=60))
    line = ask(engine, reviewing(begins, stop=["\n"], max_tokens=60))
    first, alone = block.candidates[0], line.candidates[0]
    assert first.text == block.choices[0].text.rstrip("\n")
    assert first.text.startswith(alone.text + "\n")
    assert first.line == pytest.approx(alone.line, abs=0.5), "but for how far a token reaches into the next line"
    fim_tail = reviewing(begins).fim
    assert fim_tail is not None
    before, begun, behind = around(fim_tail, block.healed)
    near = engine.model.tokenize(before)
    ids = [*near, *engine.model.tokenize(begun + first.text + behind)]
    n = len(near) + written(engine, ids[len(near) :], begun + first.text)
    assert first.behind == pytest.approx(max(alone.behind, likelihood(engine, ids, n)), abs=0.1)


def test_lines_are_tried_that_begin_as_the_best_of_the_others(make_engine: MakeEngine) -> None:
    engine = make_engine("embedded-f32", n_ctx=2048)
    sync(engine, [("a", text(1))])
    answer = ask(engine, reviewing("class Cart:\n    def add(self, item):\n        ", stop=["\n"], n=1))
    lines = [candidate.text for candidate in answer.candidates]
    assert len(set(lines)) == len(lines)
    begun = [line[:4] for line in lines]
    assert len(set(begun)) < len(begun), "not only other first words"
    assert all(candidate.middle < 0 for candidate in answer.candidates)


@pytest.mark.parametrize("settings", [{}, {"mode": "whole-prompt"}])
def test_the_figures_are_those_of_plain_decodes(make_engine: MakeEngine, settings: dict[str, str]) -> None:
    engine = make_engine("fim", **settings)
    sync(engine, [("a", text(1))])
    free = engine.pool.free_sequences
    answer = ask(engine, reviewing())
    assert len(answer.candidates) > 1
    assert answer.candidates[0].text == answer.choices[0].text
    assert answer.reviewed > 0
    fim_tail = reviewing().fim
    assert fim_tail is not None
    before, begun, behind = around(fim_tail, answer.healed)
    for candidate in answer.candidates[:2]:
        near = engine.model.tokenize(before)
        ids = [*near, *engine.model.tokenize(begun + candidate.text + behind)]
        n = len(near) + written(engine, ids[len(near) :], begun + candidate.text)
        assert candidate.line == pytest.approx(likelihood(engine, ids[:n], len(near)), abs=0.1)
        assert candidate.behind == pytest.approx(likelihood(engine, ids, n), abs=0.1)
    again = ask(engine, reviewing())
    assert again.candidates == answer.candidates or again.candidates[0].behind == pytest.approx(
        answer.candidates[0].behind, abs=CLOSE
    )
    assert again.reviewed < answer.reviewed, "the near code is in the cache"
    engine.workspaces.open("w").tails.drop_all()
    assert engine.pool.free_sequences >= free, "no sequence stays"
    engine.workspaces.check()


def test_it_does_not_bear_on_the_answer(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1))])
    plain = ask(engine, reviewing(review=0))
    assert plain.candidates == []
    assert ask(engine, reviewing()).choices == plain.choices
    several = ask(engine, reviewing(n=3))
    assert len(several.choices) == 3
    assert several.candidates[0].text == several.choices[0].text
    for nothing in (reviewing(suffix="\n\n"), reviewing(sampling=wire.Sampling(temperature=0.5))):
        assert ask(engine, nothing).candidates == [], "no code behind it, or chance in it"


def test_memories_that_cannot_be_cut_back_answer_without_it(make_engine: MakeEngine) -> None:
    engine = make_engine("hybrid")
    sync(engine, [("a", text(1))])
    assert ask(engine, reviewing()).candidates == []


def test_who_is_cancelled_in_it_leaves_nothing_behind(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1))])
    ask(engine, reviewing(review=0))
    held, n_steps, goes_on = sequences_in_use(engine), 0, True
    while goes_on:
        work = generate(engine.generator, engine.workspaces.open("w"), reviewing(), None)
        goes_on = stepped(work, n_steps)
        work.close()
        engine.workspaces.open("w").tails.check()
        n_steps += 1
    assert n_steps > 10
    engine.workspaces.check()
    assert sequences_in_use(engine) <= held + 1, "the near code's"


def test_a_request_for_too_many_names_the_field(make_engine: MakeEngine) -> None:
    engine = make_engine()
    with pytest.raises(InvalidArgument, match="review"):
        ask(engine, reviewing(review=17))


def test_the_near_code_begins_where_it_began_while_somebody_types() -> None:
    lines = "".join(f"line_{i} = {i}\n" for i in range(100))
    before, _, behind = around(FimTail(lines + "x = f", "(1)\n\ny\n\nz\nlast\nmore\n"), "f")
    assert before.startswith("line_7")
    assert before.endswith("\nx = ")
    assert behind == "(1)\n\ny\n\nz\nlast"
    more, *_ = around(FimTail(lines + "x = foo.b", ""), "b")
    assert more.startswith(before)
    assert around(FimTail("a", "\n  \n"), "")[2] == ""
    assert around(FimTail("a:\n    ", "\nb"), " ") == ("a:", "\n    ", "\nb"), "indentations are compared"
    assert around(FimTail("a:\n", "\nb"), "") == ("a:", "\n", "\nb")
    assert len(around(FimTail("y" * 10_000, "\nz"), "")[0]) == MOST_BEFORE
