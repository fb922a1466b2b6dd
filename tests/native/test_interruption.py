"""Jobs that are suspended, cancelled or fail on the way leave the cache equivalent."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.native import Context
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ContextTooLarge, DecodeError
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, difference, done, fim, request, sized, sync, text

BEFORE = [("a", text(1, 300)), ("b", text(2, 300)), ("c", text(3, 300))]
AFTER = [("d", text(9, 400)), ("a", text(1, 200) + "changed" + text(1, 500)[200:]), BEFORE[1], ("e", text(7, 200))]


def in_place(engine: NativeEngine, name: str = "w") -> InPlaceWorkspace:
    workspace = engine.workspaces.open(name)
    assert isinstance(workspace, InPlaceWorkspace)
    return workspace


def stepped(work: Generator[None, None, Any], n: int) -> bool:
    """Go n steps; False when the work was done before."""
    return all(next(work, work) is not work for _ in range(n))


def check(engine: NativeEngine, name: str = "w") -> None:
    workspace = in_place(engine, name)
    assert workspace.verify()
    if workspace.arena is not None:
        workspace.arena.check()
        assert difference(engine, workspace) < CLOSE


def sequences_in_use(engine: NativeEngine) -> int:
    held = sum(len({*w.base_seqs} - {-1}) for w in engine.workspaces.values() if w.ready)
    for workspace in engine.workspaces.values():
        for tail in workspace.tails.values():
            held += len({tail.seq, tail.full, tail.gen, tail.alone_seq} - {-1})
    return held


def test_a_sync_closed_at_any_yield_leaves_the_cache_equivalent(make_engine: MakeEngine) -> None:
    engine = make_engine(n_batch=64)
    n, unfinished = 0, True
    while unfinished:
        engine.workspaces.reset("w")
        sync(engine, BEFORE)
        work = in_place(engine).sync(request(AFTER))
        unfinished = stepped(work, n)
        work.close()
        check(engine)
        assert engine.pool.free_sequences + sequences_in_use(engine) == engine.context.n_seq_max - engine.in_place
        again = sync(engine, AFTER)
        assert not again.unfit
        check(engine)
        n += 1
    assert n > 6


def test_a_first_sync_closed_at_any_yield_can_be_done_again(make_engine: MakeEngine) -> None:
    engine = make_engine(n_batch=64)
    for n in range(6):
        engine.workspaces.reset("w")
        work = in_place(engine).sync(request(BEFORE))
        stepped(work, n)
        work.close()
        check(engine)
        sync(engine, BEFORE)
        check(engine)


def test_a_sync_overtaken_by_another_plans_again(make_engine: MakeEngine) -> None:
    engine = make_engine(n_batch=64, n_ctx=1536)
    for n in range(1, 12, 2):
        engine.workspaces.reset("w")
        sync(engine, BEFORE)
        slow = in_place(engine).sync(request(AFTER))
        if not stepped(slow, n):
            break
        sync(engine, [BEFORE[1], ("f", text(30, 900)), ("a", text(5, 600))])
        check(engine)
        answer = done(slow)
        assert {report.key for report in answer.blocks} == {key for key, _ in AFTER}
        workspace = in_place(engine)
        assert workspace.arena is not None
        assert {r.key for r in workspace.arena if r.attached} == {key for key, _ in AFTER}
        check(engine)


def test_a_sync_is_overtaken_by_a_reset(make_engine: MakeEngine) -> None:
    engine = make_engine(n_batch=64)
    slow = in_place(engine).sync(request(BEFORE))
    stepped(slow, 4)
    in_place(engine).forget()
    done(slow)
    check(engine)


def test_a_sync_is_overtaken_by_one_behind_another_header(make_engine: MakeEngine) -> None:
    """What it writes then is not stored as though it stood behind its own."""
    engine = make_engine(n_batch=64, store_mb=64)
    for n in range(1, 7):
        engine.workspaces.reset("w")
        sync(engine, BEFORE)
        slow = in_place(engine).sync(request(AFTER))
        stepped(slow, n)
        done(in_place(engine).sync(replace(request(BEFORE[:1]), header="# other\n")))
        done(slow)
        check(engine)
        engine.workspaces.close("w")
        sync(engine, AFTER)
        check(engine)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_sync_that_brings_back_an_older_text_is_overtaken_by_a_reset(make_engine: MakeEngine, n: int) -> None:
    engine = make_engine(n_batch=64, n_ctx=2048, store_mb=64)
    old = text(1, 900)
    sync(engine, [("a", old)])
    assert "a" in sync(engine, [(f"l{i}", sized(engine, 200, 2 + i)) for i in range(4)]).evicted_keys
    slow = in_place(engine).sync(request([("a", old[:-60] + "what_is_new\n")]))
    assert stepped(slow, n)
    in_place(engine).forget()
    assert not done(slow).unfit
    check(engine)
    engine.workspaces.check()


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_a_generation_closed_at_any_yield_leaves_the_cache_equivalent(make_engine: MakeEngine, layout: str) -> None:
    engine = make_engine(n_batch=32)
    sync(engine, BEFORE[:1])
    wanted = fim("def f(self):\n    " + text(4, 200), text(5, 200), layout=layout, n=2, max_tokens=4)
    expected = ask(engine, wanted).choices[0].text
    n, unfinished = 0, True
    while unfinished:
        engine.workspaces.open("w").tails.drop_all()
        work = generate(engine.generator, engine.workspaces.open("w"), wanted, None)
        unfinished = stepped(work, n)
        work.close()
        check(engine)
        assert engine.pool.free_sequences + sequences_in_use(engine) == engine.context.n_seq_max - engine.in_place
        answer = ask(engine, wanted)
        assert answer.choices[0].text == expected, f"closed after {n} yields"
        n += 1
    assert n > 6


def test_a_cancelled_answer_is_gone_on_with(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, BEFORE)
    wanted = fim("def f(self):\n    ret", max_tokens=8)
    expected = ask(engine, wanted).choices[0].text
    engine.workspaces.open("w").tails.drop_all()
    work = generate(engine.generator, engine.workspaces.open("w"), wanted, None)
    stepped(work, 6)
    work.close()
    answer = ask(engine, wanted)
    assert answer.choices[0].text == expected
    assert answer.decoded == 0
    assert 0 < answer.generated < 8


@pytest.mark.parametrize("store_mb", [0, 64])
def test_a_suspended_answer_sees_the_blocks_as_they_were(make_engine: MakeEngine, store_mb: int) -> None:
    """What others attach, move and evict meanwhile, and their typing, does not change it."""
    engine = make_engine("short", n_ctx=2048, store_mb=store_mb, n_batch=64)
    blocks = [(f"b{i}", sized(engine, 70, i)) for i in range(5)]
    moved = 0
    wanted = wire.GenerateRequest("w", text=wire.TextTail("def f("), slot="chat", max_tokens=10, sync=request(blocks))
    expected = ask(engine, wanted).choices[0].text
    for n in range(1, 9):
        engine.workspaces.open("w").tails.drop_all()
        sync(engine, blocks)
        slow = generate(engine.generator, engine.workspaces.open("w"), wanted, None)
        assert stepped(slow, n)
        overtaking = [blocks[1], blocks[3], ("large", sized(engine, 130, 9 + n))]
        synced = ask(engine, fim("import o", sync=request(overtaking))).sync
        assert synced is not None
        moved += synced.moved
        check(engine)
        assert done(slow).choices[0].text == expected, f"suspended after {n} yields"
        check(engine)
        assert not engine.workspaces.open("w").snapshots
    if not store_mb:
        assert moved > 0, "or moving under a snapshot was not tried"


class Failing(Context):
    """Fails the calls whose numbers are in `codes`, the way llama.cpp does."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.fail({})

    def call(self, batch: Any) -> int:
        self.n_calls += 1
        code = self.codes.get(self.n_calls, 0)
        if code == 0:
            return super().call(batch)
        if code == 2 or code < -1:  # part of the batch stays
            batch.n_tokens = max(1, batch.n_tokens // 2)
            assert super().call(batch) == 0
        return code

    def fail(self, codes: dict[int, int]) -> None:
        self.n_calls, self.codes = 0, codes


def failing(engine: NativeEngine) -> Failing:
    assert isinstance(engine.context, Failing)
    return engine.context


@pytest.mark.parametrize("code", [1, 2, -1, -3])
def test_a_sync_survives_a_decode_that_fails(make_engine: MakeEngine, code: int) -> None:
    engine = make_engine(make_context=Failing, n_batch=64)
    for call in (1, 2, 3, 5, 8):
        engine.workspaces.reset("w")
        sync(engine, BEFORE)
        failing(engine).fail({call: code})
        answer = sync(engine, AFTER)
        failing(engine).fail({})
        if code != 1:
            assert not answer.unfit
        check(engine)
        assert not sync(engine, AFTER).unfit
        check(engine)
        assert engine.pool.free_sequences + sequences_in_use(engine) == engine.context.n_seq_max - engine.in_place


@pytest.mark.parametrize("code", [2, -1, -3])
@pytest.mark.parametrize("layout", ["spm", "isolated"])
def test_an_answer_survives_a_decode_that_fails_before_its_first_word(
    make_engine: MakeEngine, code: int, layout: str
) -> None:
    engine = make_engine(make_context=Failing, n_batch=32)
    wanted = fim("def f(self):\n    " + text(4, 200), text(5, 200), layout=layout, max_tokens=4, sync=request(BEFORE))
    expected = ask(engine, wanted).choices[0].text
    for call in range(1, 5):
        engine.workspaces.open("w").tails.drop_all()
        failing(engine).fail({call: code})
        answer = ask(engine, wanted)
        failing(engine).fail({})
        assert answer.choices[0].text == expected
        check(engine)


@pytest.mark.parametrize("code", [1, 2, -1, -3])
def test_a_decode_that_keeps_failing_is_an_error_and_the_next_request_works(make_engine: MakeEngine, code: int) -> None:
    engine = make_engine(make_context=Failing, n_batch=32)
    wanted = fim("def f(", max_tokens=6, sync=request(BEFORE))
    expected = ask(engine, wanted).choices[0].text
    for first in (1, 2, 3, 5):
        engine.workspaces.open("w").tails.drop_all()
        failing(engine).fail(dict.fromkeys(range(first, 200), code))
        with pytest.raises((DecodeError, ContextTooLarge)) as caught:
            ask(engine, wanted)
        failing(engine).fail({})
        if code != 1:
            assert isinstance(caught.value, DecodeError)
            assert caught.value.return_code == code
        check(engine)
        assert ask(engine, wanted).choices[0].text == expected
        check(engine)


def test_another_workspace_survives_a_failure(make_engine: MakeEngine) -> None:
    engine = make_engine(make_context=Failing)
    sync(engine, BEFORE, "other")
    sync(engine, BEFORE)
    failing(engine).fail(dict.fromkeys(range(1, 100), -3))
    with pytest.raises(DecodeError):
        sync(engine, [*BEFORE, ("new", text(12))])
    failing(engine).fail({})
    check(engine, "other")
    assert sync(engine, BEFORE, "other").decoded == 0
