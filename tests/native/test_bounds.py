"""A sync that may decode so much and no more, and one that is cut off: nothing is decoded twice for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.llama.native import Context
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import Cancelled
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import CLOSE, FOOTER, HEADER, ask, difference, done, fim, request, sized, sync, text

WAIT_S = 120


def bounded(engine: NativeEngine, blocks: list[tuple[str, str]], **bounds: int) -> wire.SyncAnswer:
    return done(engine.workspaces.open("w").sync(request(blocks, **bounds)))


def actions(answer: wire.SyncAnswer) -> dict[str, str]:
    return {report.key: report.action for report in answer.blocks}


def attached(engine: NativeEngine) -> set[str]:
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    assert workspace.arena is not None
    return {r.key for r in workspace.arena if r.attached}


def check(engine: NativeEngine) -> None:
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    assert workspace.arena is not None
    workspace.arena.check()
    assert workspace.verify()
    assert difference(engine, workspace) < CLOSE


def test_a_bound_is_kept_to_and_a_sync_without_one_brings_the_rest(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [])
    blocks = [("a", sized(engine, 60, 1)), ("b", sized(engine, 90, 2)), ("c", sized(engine, 30, 3))]
    first = bounded(engine, blocks, max_decode=100)
    assert actions(first) == {"a": "written", "b": "deferred", "c": "written"}
    assert first.decoded - first.replayed == 90
    assert [report.span is not None for report in first.blocks] == [True, False, True]
    assert not first.unfit
    check(engine)
    second = sync(engine, blocks)
    assert actions(second) == {"a": "kept", "b": "written", "c": "kept"}
    assert second.decoded - second.replayed == 90
    check(engine)


@pytest.mark.parametrize("grown", [True, False])
def test_a_deferred_block_is_not_seen_with_its_old_text(make_engine: MakeEngine, grown: bool) -> None:
    engine = make_engine()
    old = sized(engine, 60, 1)
    sync(engine, [("b", text(2)), ("a", old)])  # room to grow is behind the last one
    new = (old if grown else old[: len(old) // 2]) + sized(engine, 80, 3)
    answer = bounded(engine, [("a", new), ("b", text(2))], max_decode=5)
    assert actions(answer) == {"a": "deferred", "b": "kept"}
    assert attached(engine) == {"b"}
    check(engine)
    assert actions(sync(engine, [("a", new), ("b", text(2))]))["a"] == "extended", "its beginning was not lost"
    check(engine)


def test_a_bound_in_time_follows_the_measured_pace(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [])
    blocks = [("a", sized(engine, 60, 1)), ("b", sized(engine, 90, 2))]
    engine.pool.pace.seconds = 1.0
    assert set(actions(bounded(engine, blocks, max_decode_ms=59_000)).values()) == {"deferred"}
    assert actions(bounded(engine, blocks, max_decode_ms=60_000)) == {"a": "written", "b": "deferred"}
    engine.pool.pace.seconds = 1e-6
    assert actions(bounded(engine, blocks, max_decode_ms=60_000)) == {"a": "kept", "b": "written"}


class Slow(Context):
    """Takes 30 ms for each micro-batch at least."""

    def call(self, batch: Any) -> int:
        time.sleep(0.03)
        return super().call(batch)


@pytest.mark.parametrize("grown", [True, False])
def test_without_a_pace_the_time_itself_ends_it_and_what_there_is_of_a_block_stays(
    make_engine: MakeEngine, grown: bool
) -> None:
    engine = make_engine(make_context=Slow, n_batch=16)  # batches so small say nothing of the pace
    old = sized(engine, 40, 1)
    sync(engine, [("a", old)] if grown else [])
    blocks = [("a", old + sized(engine, 120, 2)), ("b", sized(engine, 20, 3))]
    first = bounded(engine, blocks, max_decode_ms=5)
    assert not engine.pool.pace.seconds
    assert set(actions(first).values()) == {"deferred"}
    assert attached(engine) == set()
    check(engine)
    decoded, rounds = first.decoded - first.replayed, 0
    while "deferred" in actions(answer := bounded(engine, blocks, max_decode_ms=5)).values():
        decoded += answer.decoded - answer.replayed
        rounds += 1
        assert rounds < 30
    decoded += answer.decoded - answer.replayed
    assert rounds > 3
    new = sum(report.tokens for report in answer.blocks) - (40 if grown else 0)
    assert decoded <= new + 1, "each token once; the last of the old text may be another"
    check(engine)


def test_a_request_is_not_planned_again_until_something_has_changed(make_engine: MakeEngine) -> None:
    engine = make_engine()
    blocks = [("a", sized(engine, 60, 1)), ("b", sized(engine, 90, 2))]
    first = sync(engine, blocks)
    again = sync(engine, blocks)
    assert (again.ms["plan"], again.revision, again.reused) == (0.0, first.revision, 150)
    assert [report.span for report in again.blocks] == [report.span for report in first.blocks]
    assert sync(engine, blocks[::-1]).ms["plan"] > 0, "their order of value is another"
    assert engine.workspaces.open("w").shrink(1, attached=True), "another workspace needs the room"
    back = sync(engine, blocks)
    assert back.restored > 0
    assert attached(engine) == {"a", "b"}
    check(engine)


def test_whole_prompts_know_no_bound(make_engine: MakeEngine) -> None:
    engine = make_engine(mode="whole-prompt")
    assert actions(bounded(engine, [("a", text(1))], max_decode=1)) == {"a": "written"}


class Hooked(Context):
    """Calls `hook(number of the call)` on the engine's thread before each decode."""

    hook: Callable[[int], None] = staticmethod(lambda n: None)
    n_calls = 0

    def call(self, batch: Any) -> int:
        self.n_calls += 1
        self.hook(self.n_calls)
        return super().call(batch)


@pytest.fixture
def core(make_core: MakeCore) -> EngineCore:
    core = make_core(make_context=Hooked, n_batch=32)
    core.sync(request([])).result(WAIT_S)
    return core


def hook(core: EngineCore, function: Callable[[int], None]) -> None:
    def install(engine: Any) -> None:
        engine.context.n_calls = 0
        engine.context.hook = function

    core.call(install).result(WAIT_S)


def decoded(core: EngineCore) -> int:
    return core.cache_map("w").result(WAIT_S).stats["decoded"]


BLOCKS = [(f"b{i}", text(i, 900)) for i in range(4)]


@pytest.mark.parametrize("at", [2, 4, 7, 11, 18])
def test_a_keystroke_in_the_middle_of_a_background_sync_has_nothing_decoded_twice(core: EngineCore, at: int) -> None:
    typed: list[Future[wire.GenerateAnswer]] = []
    wanted = fim("def f(self):\n    return", max_tokens=2, sync=request(BLOCKS, slot="typing"))

    def arrive(n: int) -> None:
        if n == at:
            typed.append(core.generate(wanted))

    before = decoded(core)
    hook(core, arrive)
    background = core.sync(request(BLOCKS))
    assert isinstance(background.exception(WAIT_S), Cancelled)
    answer = typed[0].result(WAIT_S)
    assert answer.sync is not None
    assert not answer.sync.unfit
    header = core.count([HEADER]).result(WAIT_S)[0]
    once = sum(report.tokens for report in answer.sync.blocks)
    tail = answer.decoded + header + answer.generated  # the suffix alone has its own copy of the header
    copies = header * (len(BLOCKS) + 2)  # one for each block, one more for each that was under way
    assert decoded(core) - before <= once + tail + copies
    fresh = core.count([content for _, content in BLOCKS]).result(WAIT_S)
    assert once == sum(fresh)


def test_a_bounded_keystroke_answers_from_what_is_there_and_the_next_pause_brings_the_rest(core: EngineCore) -> None:
    few = replace(request(BLOCKS, slot="typing"), max_decode=1)
    answer = core.generate(fim("def f(self):\n    return", max_tokens=2, sync=few)).result(WAIT_S)
    assert answer.sync is not None
    assert set(actions(answer.sync).values()) == {"deferred"}
    header, footer = core.count([HEADER, FOOTER]).result(WAIT_S)
    assert answer.context_tokens == header + footer
    rest = core.sync(request(BLOCKS)).result(WAIT_S)
    assert set(actions(rest).values()) == {"written"}


def warm(prefix: str, **others: object) -> wire.GenerateRequest:
    made = fim(prefix, "\n    pass\n", slot="background", tail="typing", replace="typing", **others)
    return replace(made, max_tokens=0)


def test_a_warmed_tail_is_the_one_that_typing_goes_on_from(core: EngineCore) -> None:
    core.sync(request(BLOCKS[:1])).result(WAIT_S)
    code = "def f(self):\n    " + text(5, 400) + "\n    value = "
    warmed = core.generate(warm(code)).result(WAIT_S)
    assert (warmed.choices, warmed.generated) == ([], 0)
    assert warmed.decoded > 60
    typed = core.generate(fim(code + "x", "\n    pass\n", max_tokens=2, sync=request(BLOCKS[:1]))).result(WAIT_S)
    assert typed.decoded <= 2
    assert typed.reused >= warmed.tail_tokens - 2


def test_warming_never_ends_a_keystroke_and_waits_for_it(core: EngineCore) -> None:
    core.sync(request(BLOCKS[:1])).result(WAIT_S)
    order: list[str] = []
    warmed: list[Future[wire.GenerateAnswer]] = []

    def arrive(n: int) -> None:
        if n == 2:
            warmed.append(core.generate(warm("def f(self):\n    ")))
            warmed[0].add_done_callback(lambda _: order.append("warmed"))

    hook(core, arrive)
    typed = core.generate(fim("def f(self):\n    ", "\n    pass\n", max_tokens=4, replace="typing"))
    typed.add_done_callback(lambda _: order.append("typed"))
    assert typed.result(WAIT_S).choices
    assert warmed[0].result(WAIT_S).decoded == 0, "there was nothing left to do"
    assert order == ["typed", "warmed"]


def test_a_keystroke_ends_a_warming_and_goes_on_from_what_it_has(core: EngineCore) -> None:
    core.sync(request(BLOCKS[:1])).result(WAIT_S)
    typed: list[Future[wire.GenerateAnswer]] = []
    code = "def f(self):\n    " + text(5, 900) + "\n    value = "
    alone = core.generate(warm(code)).result(WAIT_S).decoded
    core.call(lambda engine: engine.workspaces.open("w").tails.drop_all()).result(WAIT_S)
    before = decoded(core)

    def arrive(n: int) -> None:
        if n == 5:
            typed.append(core.generate(fim(code + "x", "\n    pass\n", max_tokens=2, replace="typing")))

    hook(core, arrive)
    with pytest.raises(Cancelled, match="newer"):
        core.generate(warm(code)).result(WAIT_S)
    answer = typed[0].result(WAIT_S)
    header = core.count([HEADER]).result(WAIT_S)[0]
    assert decoded(core) - before <= alone + 2 + answer.generated + header


def test_a_cancelled_sync_leaves_beginnings_that_may_make_way(make_core: MakeCore) -> None:
    """What is left of a block that nobody wants any more is room like any other."""
    core = make_core(make_context=Hooked, n_batch=32, n_ctx=1024)
    core.sync(request([])).result(WAIT_S)
    cancel = Event()
    hook(core, lambda n: cancel.set() if n == 3 else None)
    with pytest.raises(Cancelled):
        core.sync(request([("gone", text(1, 900))]), cancel).result(WAIT_S)
    begun = [span for span in core.cache_map("w").result(WAIT_S).spans if span.key == "gone"]
    assert [span.state for span in begun] == ["detached"]
    others = [(f"other {i}", text(20 + i, 500)) for i in range(6)]
    answer = core.sync(request(others)).result(WAIT_S)
    assert len(answer.unfit) < len(others)
    assert "gone" not in {span.key for span in core.cache_map("w").result(WAIT_S).spans}


def test_the_tail_of_another_slot_is_named_or_refused(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [])
    ask(engine, warm("def f("))
    assert set(engine.workspaces.open("w").tails) == {"typing"}
