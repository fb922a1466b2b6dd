"""More windows than there are sequences and cells for: each gets its answer, and nothing is lost on the way."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from palimpsest.engine.llama.native import Run
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import DecodeError, EngineError
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, difference, done, fim, request, sync, text
from tests.native.test_interruption import Failing, failing, in_place, sequences_in_use


def typed(engine: NativeEngine, name: str, i: int) -> str:
    """What a window's first completion comes to."""
    wanted = fim("def f(", max_tokens=3, sync=request([("a", text(i, 200)), ("b", text(i + 1, 60))], name))
    return ask(engine, replace(wanted, workspace=name)).choices[0].text


def check(engine: NativeEngine) -> None:
    assert engine.pool.free_sequences + sequences_in_use(engine) == engine.context.n_seq_max - engine.in_place
    for workspace in list(engine.workspaces.values()):
        if workspace.ready:
            assert workspace.verify()
            assert difference(engine, workspace) < CLOSE


@pytest.mark.parametrize("store_mb", [0, 64])
@pytest.mark.parametrize("n_ctx", [768, 8192])
def test_windows_take_turns_when_sequences_or_cells_or_both_run_out(
    make_engine: MakeEngine, n_ctx: int, store_mb: int
) -> None:
    engine = make_engine(n_ctx=n_ctx, store_mb=store_mb)
    expected = [typed(engine, "w", i) for i in range(4)]
    engine.workspaces.close("w")
    for i in range(50):
        assert typed(engine, f"w{i}", i % 4) == expected[i % 4], f"window {i}"
        assert engine.pool.free_sequences + sequences_in_use(engine) == engine.context.n_seq_max - engine.in_place
    assert len(engine.workspaces) < 40
    # no door: who has how many sequences is seen nowhere else
    engine.pool._give_up_sequences()
    check(engine)


def test_a_workspace_is_closed_and_kept_with_no_sequence_and_no_cell_left(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=512)
    sync(engine, [("a", text(1, 300))])
    held = [engine.pool.take() for _ in range(engine.pool.free_sequences)]
    with suppress(DecodeError):
        while True:
            engine.context.decode([Run([5], engine.context.last(held[0]) + 1, held[0])])
    engine.workspaces.close("w")
    assert engine.store.bytes > 0
    assert engine.pool.free_sequences == 3
    held += [engine.pool.take() for _ in range(3)]
    with pytest.raises(EngineError, match="in use"):
        engine.pool.take()
    for seq in held:
        engine.pool.give(seq)
    assert sync(engine, [("a", text(1, 300))]).restored > 0
    check(engine)


def test_a_workspace_in_the_middle_of_a_step_is_never_closed(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1))])
    held = [engine.pool.take() for _ in range(engine.pool.free_sequences + 1)]  # that of the header's copies
    with in_place(engine).locked(), pytest.raises(EngineError, match="in use"):
        engine.pool.take()
    assert in_place(engine).ready
    for seq in held:
        engine.pool.give(seq)
    check(engine)


@pytest.mark.parametrize("code", [2, -1, -3])
def test_closing_that_fails_on_the_way_still_gives_everything_back(make_engine: MakeEngine, code: int) -> None:
    """A copy to the store first applies a pending K-shift, by a decode that may fail."""
    engine = make_engine("short", make_context=Failing)
    sync(engine, [("a", text(1)), ("b", text(2))])
    engine.context.shift(in_place(engine).resident_seq, 0, 1, 0)
    failing(engine).fail({1: code})
    engine.workspaces.close("w")
    failing(engine).fail({})
    assert engine.workspaces == {}
    assert engine.pool.free_sequences == engine.context.n_seq_max - engine.in_place
    sync(engine, [("a", text(1)), ("b", text(2))])
    check(engine)


def test_saving_that_fails_on_the_way_leaves_books_that_are_true(make_engine: MakeEngine) -> None:
    engine = make_engine("short", make_context=Failing)
    sync(engine, [("a", text(1)), ("b", text(2))])
    engine.context.shift(in_place(engine).resident_seq, 0, 1, 0)
    failing(engine).fail({1: -3})
    done(engine.workspaces.save())
    failing(engine).fail({})
    engine.workspaces.check()
    sync(engine, [("a", text(1)), ("b", text(2))])
    engine.workspaces.check()
    check(engine)
