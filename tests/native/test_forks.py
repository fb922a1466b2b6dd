"""Tails by name, and copies of them: a fork decodes nothing, and each copy goes on as a tail of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.arena.plan import common_prefix
from palimpsest.engine.cache.tails import MAX_TAILS
from palimpsest.engine.generation.batch import generate_batch
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument, UnknownTail
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import CLOSE, ask, done, fim, request, sync, text

WAIT_S = 120
PARENT = text(6, 700) + "\n"
"""A sliding window of the model that has one is shorter than this."""
ENDS = ("def first(self):\n", "class Second:\n    pass\n", "x = 3\n", "import os\n")
MODES: list[tuple[str, dict[str, Any]]] = [
    ("fim", {}),
    ("fim", {"mode": "whole-prompt"}),
    ("swa", {}),
    ("mrope", {}),
    ("mamba", {}),
    ("hybrid", {}),
]
IDS = [f"{kind} {settings.get('mode', '')}".strip() for kind, settings in MODES]


def said(what: str, tail: str, **others: Any) -> wire.GenerateRequest:
    return wire.GenerateRequest("w", text=wire.TextTail(what), tail=tail, **{"max_tokens": 4, "slot": "chat", **others})


def fork(engine: NativeEngine, names: list[str], tail: str = "parent") -> int:
    return engine.workspaces.open("w").tails.fork(tail, names).n_tokens


def batch(engine: NativeEngine, requests: list[wire.GenerateRequest]) -> wire.BatchAnswer:
    return done(generate_batch(engine.generator, engine.workspaces.open("w"), wire.BatchRequest("w", requests)))


def logits(engine: NativeEngine, tail: str) -> Logits:
    found = engine.workspaces.open("w").tails[tail].logits
    assert found is not None
    return found


def n_new(engine: NativeEngine, what: str) -> int:
    """Tokens of a text that the parent's has not."""
    tokens = engine.model.tokenize(what)
    return len(tokens) - common_prefix(tokens, engine.model.tokenize(PARENT))


def with_parent(make_engine: MakeEngine, kind: str, **settings: Any) -> NativeEngine:
    engine = make_engine(kind, **settings)
    sync(engine, [("a", text(1, 200)), ("b", text(2, 200))])
    ask(engine, said(PARENT, "parent", max_tokens=0))
    return engine


@pytest.mark.parametrize(("kind", "settings"), MODES, ids=IDS)
def test_a_fork_decodes_nothing_and_a_copy_only_what_is_its_own(
    make_engine: MakeEngine, kind: str, settings: dict[str, Any]
) -> None:
    engine = with_parent(make_engine, kind, **settings)
    before = engine.pool.stats["decoded"]
    cells = engine.pool.used_cells
    assert fork(engine, ["one", "two"]) == len(engine.model.tokenize(PARENT))
    assert engine.pool.stats["decoded"] == before
    assert engine.pool.used_cells == cells
    for name, end in (("one", ENDS[0]), ("two", ENDS[1])):
        before = engine.pool.stats["decoded"]
        answer = ask(engine, said(PARENT + end, name, max_tokens=1))
        assert answer.decoded == n_new(engine, PARENT + end) > 0
        assert answer.reused == answer.tail_tokens - answer.decoded > 0
        assert engine.pool.stats["decoded"] == before + answer.decoded


@pytest.mark.parametrize(("kind", "settings"), MODES, ids=IDS)
def test_a_copy_goes_on_as_a_fresh_tail_would_and_leaves_the_first_unharmed(
    make_engine: MakeEngine, kind: str, settings: dict[str, Any]
) -> None:
    engine = with_parent(make_engine, kind, **settings)
    fork(engine, ["one", "two"])
    for name, end in (("one", ENDS[0]), ("two", ENDS[1]), ("parent", ENDS[2])):
        answer = ask(engine, said(PARENT + end, name))
        fresh = ask(engine, said(PARENT + end, f"fresh {name}"))
        assert (fresh.decoded, fresh.reused) == (fresh.tail_tokens, 0)
        assert answer.decoded == n_new(engine, PARENT + end)
        assert np.abs(logits(engine, name) - logits(engine, f"fresh {name}")).max() < CLOSE
        assert answer.choices[0].text == fresh.choices[0].text


@pytest.mark.parametrize(("kind", "settings"), MODES, ids=IDS)
def test_copies_are_decoded_side_by_side(make_engine: MakeEngine, kind: str, settings: dict[str, Any]) -> None:
    engine = with_parent(make_engine, kind, **settings)
    ends, names = ENDS[:3], ["one", "two", "three"]
    alone = list[tuple[str, Logits]]()
    for end in ends:
        engine.workspaces.open("w").tails.drop_all()
        answer = ask(engine, said(PARENT + end, "fresh", max_tokens=5))
        alone.append((answer.choices[0].text, logits(engine, "fresh").copy()))
    ask(engine, said(PARENT, "parent", max_tokens=0))
    fork(engine, names)
    calls, decode = list[int](), engine.context.decode

    def counted(runs: Any) -> Any:
        calls.append(sum(len(run.tokens) for run in runs))
        return decode(runs)

    engine.context.decode = counted  # type: ignore[method-assign]
    made = batch(engine, [said(PARENT + end, name, max_tokens=5) for name, end in zip(names, ends, strict=True)])
    engine.context.decode = decode  # type: ignore[method-assign]
    own = [n_new(engine, PARENT + end) for end in ends]
    assert [answer.decoded for answer in made.answers] == own
    assert calls[0] == sum(own), "all that is new stands in one micro-batch"
    going = [max(0, answer.generated - 1) for answer in made.answers]  # the last token of an answer is not decoded
    assert calls[1:] == [sum(n > i for n in going) for i in range(max(going))]
    assert made.steps == len(calls) - 1
    for name, answer, (expected, row) in zip(names, made.answers, alone, strict=True):
        assert answer.choices[0].text == expected
        assert np.abs(logits(engine, name) - row).max() < CLOSE


def test_a_batch_of_long_tails_takes_as_many_micro_batches_as_its_tokens_fill(make_engine: MakeEngine) -> None:
    engine = make_engine(n_batch=64)
    sync(engine, [("a", text(1, 200))])
    texts = [text(i, 400) for i in range(3, 6)]
    made = batch(engine, [said(what, f"t{i}", max_tokens=3) for i, what in enumerate(texts)])
    for i, (what, answer) in enumerate(zip(texts, made.answers, strict=True)):
        assert (answer.decoded, answer.reused) == (answer.tail_tokens, 0)
        alone = ask(engine, said(what, f"fresh {i}", max_tokens=3))
        assert answer.choices[0].text == alone.choices[0].text
    engine.workspaces.check()


def test_an_answer_goes_with_the_copy(make_engine: MakeEngine) -> None:
    engine = with_parent(make_engine, "fim")
    first = ask(engine, said(PARENT, "parent", max_tokens=6))
    fork(engine, ["one"])
    before = engine.pool.stats["decoded"]
    assert ask(engine, said(PARENT, "one", max_tokens=6)).choices == first.choices
    assert engine.pool.stats["decoded"] == before


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_a_tail_with_its_suffix_elsewhere_is_copied_whole(make_engine: MakeEngine, layout: str) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1, 200))])
    prefix, suffix = text(4, 300), "\n    return 1\n"
    ask(engine, fim(prefix, suffix, layout=layout, heal=False))
    fork(engine, ["one"], "typing")
    longer = fim(prefix + "\nx", suffix, layout=layout, heal=False, tail="one")
    ask(engine, longer)
    ask(engine, fim(prefix + "\nx", suffix, layout=layout, heal=False, tail="fresh"))
    assert np.abs(logits(engine, "one") - logits(engine, "fresh")).max() < CLOSE
    assert ask(engine, fim(prefix, suffix, layout=layout, heal=False)).decoded == 0, "the first is as it was"
    engine.workspaces.check()


def test_a_tail_that_is_not_kept_cannot_be_copied(make_engine: MakeEngine, make_core: MakeCore) -> None:
    engine = with_parent(make_engine, "fim")
    with pytest.raises(UnknownTail, match="'nobody'"):
        fork(engine, ["one"], "nobody")
    sync(engine, [("a", text(3, 200))])
    with pytest.raises(UnknownTail, match="'parent'"):  # what stood before it is another text now
        fork(engine, ["one"])
    core = make_core()
    with pytest.raises(UnknownTail, match="'parent'"):
        core.fork(wire.ForkRequest("w", "parent", ["one"])).result(WAIT_S)
    assert core.cache_map("w").result(WAIT_S).tails == []


@pytest.mark.parametrize(
    "names", [[], ["one", "one"], ["parent"], [""], ["x" * 65], [str(i) for i in range(MAX_TAILS)]]
)
def test_names_that_cannot_be_given_are_refused(make_core: MakeCore, names: list[str]) -> None:
    core = make_core()
    core.generate(said(PARENT, "parent", max_tokens=0)).result(WAIT_S)
    with pytest.raises(InvalidArgument, match="names"):
        core.fork(wire.ForkRequest("w", "parent", names)).result(WAIT_S)
    assert core.cache_map("w").result(WAIT_S).tails == ["parent"]


@pytest.mark.parametrize(
    "requests",
    [
        [],
        [said("a", "one"), said("b", "one")],
        [wire.GenerateRequest("w", text=wire.TextTail("a"))],
        [wire.GenerateRequest("other", text=wire.TextTail("a"), tail="one")],
        [said("a", "one", n=2)],
        [said("a", "one", sync=request([]))],
    ],
    ids=["none", "one name twice", "no name", "another workspace", "alternatives", "a sync of its own"],
)
def test_a_batch_that_means_nothing_is_refused(make_core: MakeCore, requests: list[wire.GenerateRequest]) -> None:
    with pytest.raises(InvalidArgument, match="requests"):
        make_core().generate_batch(wire.BatchRequest("w", requests)).result(WAIT_S)


def test_the_least_recently_used_tail_is_given_up_first(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1, 100))])
    for i in range(MAX_TAILS):
        ask(engine, said(f"{PARENT}{i}", f"t{i}", max_tokens=0))
    ask(engine, said(f"{PARENT}0", "t0", max_tokens=0))
    ask(engine, said(f"{PARENT}more", "more", max_tokens=0))
    assert engine.map("w").tails == [*(f"t{i}" for i in range(2, MAX_TAILS)), "t0", "more"]
    assert ask(engine, said(f"{PARENT}2", "t2", max_tokens=0)).decoded == 0
    assert ask(engine, said(f"{PARENT}1", "t1", max_tokens=0)).reused == 0
    engine.workspaces.check()


def test_two_conversations_of_one_urgency_keep_a_tail_each(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1, 100))])
    for what in ("one", "two"):
        ask(engine, said(text(4 if what == "one" else 9, 400), what))
    for what in ("one", "two"):
        assert ask(engine, said(text(4 if what == "one" else 9, 400), what)).decoded == 0


def test_where_sequences_run_short_tails_make_way_one_by_one(make_engine: MakeEngine) -> None:
    engine = with_parent(make_engine, "fim")
    for i in range(4):
        ask(engine, said(f"{PARENT}{i}", f"t{i}", max_tokens=0))
    taken = [engine.pool.take() for _ in range(engine.pool.free_sequences + 3)]  # that of the header's copies first
    assert list(engine.workspaces.open("w").tails) == ["t1", "t2", "t3"], "the parent and the oldest copy went"
    for seq in taken:
        engine.pool.give(seq)
    engine.workspaces.check()


def test_a_copy_of_a_tail_at_work_has_what_is_decoded_so_far(make_engine: MakeEngine) -> None:
    engine = make_engine(n_batch=32)
    sync(engine, [("a", text(1, 100))])
    workspace = engine.workspaces.open("w")
    work = generate(engine.generator, workspace, said(PARENT, "parent"), None)
    for _ in range(4):
        next(work)
    n = fork(engine, ["one"])
    assert 0 < n < len(engine.model.tokenize(PARENT))
    copied = ask(engine, said(PARENT, "one"))
    assert copied.reused == n
    assert done(work).choices[0].text == copied.choices[0].text
    engine.workspaces.check()
