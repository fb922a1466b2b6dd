"""The core as others use it: futures, cancelling, priorities, two threads."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.core.engine_thread import error_object
from palimpsest.engine.llama.native import Context
from palimpsest.errors import Cancelled, ContextTooLarge, DecodeError, EngineUnavailable, InvalidArgument
from tests.native.conftest import MakeCore
from tests.native.helpers import FOOTER, HEADER, fim, request, text

BLOCKS = [(f"b{i}", text(i, 300)) for i in range(4)]
WAIT_S = 120


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
    return make_core(make_context=Hooked, n_batch=32)


def hook(core: EngineCore, function: Callable[[int], None]) -> None:
    """From now on, call `function` with the number of each decode."""

    def install(engine: Any) -> None:
        engine.context.n_calls = 0
        engine.context.hook = function

    core.call(install).result(WAIT_S)


def test_checks_that_are_asked_for_at_once_are_one(core: EngineCore) -> None:
    go_on = threading.Event()
    held = core.call(lambda _engine: go_on.wait(WAIT_S))
    checks = [core.check() for _ in range(300)]
    n_waiting = core.n_waiting
    go_on.set()
    assert n_waiting <= 2
    assert held.result(WAIT_S)
    assert {check.result(WAIT_S).unsound for check in checks} == {""}
    assert core.check() is not checks[0], "what came after is looked at anew"


def test_it_answers(core: EngineCore) -> None:
    assert core.health().state == "ready"
    assert core.model().in_place
    answer = core.sync(request(BLOCKS)).result(WAIT_S)
    assert len(answer.blocks) == 4
    assert set(answer.ms) == {"tokenize", "plan", "evict", "move", "restore", "decode", "total"}
    made = core.generate(fim("def f(", max_tokens=4)).result(WAIT_S)
    assert made.choices[0].tokens == 4
    assert set(made.ms) == {"queue", "sync", "prefill", "sample", "decode", "review", "total"}
    header, footer, nothing = core.count([HEADER, FOOTER, ""]).result(WAIT_S)
    assert nothing == 0
    assert made.context_tokens == header + sum(report.tokens for report in answer.blocks) + footer


def test_the_map_shows_spans_that_do_not_overlap(core: EngineCore) -> None:
    core.sync(request(BLOCKS)).result(WAIT_S)
    core.sync(request(BLOCKS[1:3])).result(WAIT_S)
    core.generate(fim("def f(")).result(WAIT_S)
    found = core.cache_map("w").result(WAIT_S)
    spans = sorted((span.start, span.end, span.state) for span in found.spans)
    assert {state for _, _, state in spans} == {"header", "attached", "detached", "footer", "tail"}
    taken = sorted([*((start, end) for start, end, _ in spans), *found.free])
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(taken))
    assert found.used_cells == sum(span.end - span.start for span in found.spans) + found.header_copies
    assert found.header_copies > 0
    assert found.stats["decoded"] > 0
    assert core.cache_map("nobody").result(WAIT_S).spans == []


def test_reset_forgets_and_close_keeps_a_copy(core: EngineCore) -> None:
    first = core.sync(request(BLOCKS)).result(WAIT_S)
    core.close("w").result(WAIT_S)
    closed = core.cache_map("w").result(WAIT_S)
    assert (closed.used_cells, closed.spans) == (0, [])
    assert set(closed.stored) == {key for key, _ in BLOCKS}
    again = core.sync(request(BLOCKS)).result(WAIT_S)
    assert again.restored == sum(report.tokens for report in first.blocks)
    core.reset("w").result(WAIT_S)
    found = core.cache_map("w").result(WAIT_S)
    assert (found.used_cells, found.stored, found.stored_bytes) == (0, [], 0)
    assert core.sync(request(BLOCKS)).result(WAIT_S).decoded == first.decoded


def test_typing_overtakes_everything_and_the_rest_comes_in_order(core: EngineCore) -> None:
    """Jobs that arrive while a background sync decodes finish in the order of their slots."""
    finished: list[str] = []
    futures: list[Future[Any]] = []

    def submit(name: str, future: Future[Any]) -> None:
        future.add_done_callback(lambda _: finished.append(name))
        futures.append(future)

    def arrive(n: int) -> None:
        if n == 3:
            for slot in ("chat", "suggestion", "typing"):
                tail = wire.TextTail(f"# {slot}")
                submit(slot, core.generate(wire.GenerateRequest("v", text=tail, slot=slot, max_tokens=3)))  # type: ignore[arg-type]
            submit("typing too", core.generate(wire.GenerateRequest("u", text=wire.TextTail("#"), max_tokens=3)))

    hook(core, arrive)
    submit("background", core.sync(request(BLOCKS)))
    for _ in range(5):
        for future in list(futures):
            future.result(WAIT_S)
    assert finished == ["typing", "typing too", "suggestion", "chat", "background"]


def test_a_cancelled_sync_ends_within_one_micro_batch(core: EngineCore) -> None:
    cancel, calls = threading.Event(), list[int]()

    def at(n: int) -> None:
        calls.append(n)
        if n == 3:
            cancel.set()

    hook(core, at)
    with pytest.raises(Cancelled):
        core.sync(request(BLOCKS), cancel).result(WAIT_S)
    assert calls == [1, 2, 3]
    assert core.sync(request(BLOCKS)).result(WAIT_S).unfit == []


def test_a_cancelled_answer_ends_within_one_token(core: EngineCore) -> None:
    core.sync(request(BLOCKS)).result(WAIT_S)
    cancel, said = threading.Event(), list[str]()

    def hear(_choice: int, piece: str) -> None:
        said.append(piece)
        cancel.set()

    with pytest.raises(Cancelled):
        core.generate(fim("def f(", max_tokens=500, heal=False), cancel, hear).result(WAIT_S)
    assert len(said) == 1


def test_the_newest_request_of_a_line_replaces_the_others(core: EngineCore) -> None:
    core.sync(request(BLOCKS)).result(WAIT_S)
    futures: list[Future[wire.GenerateAnswer]] = []

    def arrive(n: int) -> None:
        if n == 2:
            for i in range(3):
                futures.append(core.generate(fim(f"import o{i}", max_tokens=3, replace="inline")))
            futures.append(core.generate(fim("another line", max_tokens=3, replace="other")))

    hook(core, arrive)
    first = core.generate(fim("def f(", max_tokens=50, replace="inline"))
    with pytest.raises(Cancelled, match="newer"):
        first.result(WAIT_S)
    outcomes = [future.exception(WAIT_S) for future in futures]
    assert [type(outcome) for outcome in outcomes] == [Cancelled, Cancelled, type(None), type(None)]


def test_a_newer_sync_replaces_an_older_background_one(core: EngineCore) -> None:
    newer: list[Future[wire.SyncAnswer]] = []

    def arrive(n: int) -> None:
        if n == 2:
            newer.append(core.sync(request(BLOCKS[:1])))
            newer.append(core.sync(request(BLOCKS[:2])))

    hook(core, arrive)
    with pytest.raises(Cancelled):
        core.sync(request(BLOCKS)).result(WAIT_S)
    assert isinstance(newer[0].exception(WAIT_S), Cancelled)
    assert len(newer[1].result(WAIT_S).blocks) == 2


def test_another_workspaces_sync_is_not_replaced(core: EngineCore) -> None:
    others: list[Future[wire.SyncAnswer]] = []
    hook(core, lambda n: others.append(core.sync(request(BLOCKS[:1], "other"))) if n == 2 else None)
    assert len(core.sync(request(BLOCKS)).result(WAIT_S).blocks) == 4
    assert len(others[0].result(WAIT_S).blocks) == 1


def test_a_sync_for_another_workspace_is_refused(core: EngineCore) -> None:
    with pytest.raises(InvalidArgument) as caught:
        core.generate(fim("x", sync=request(BLOCKS, "other"))).result(WAIT_S)
    assert caught.value.field == "sync.workspace"


def test_a_job_that_fails_fails_alone(core: EngineCore) -> None:
    def wrong(_engine: Any) -> None:
        raise ZeroDivisionError("a defect")

    with pytest.raises(ZeroDivisionError):
        core.call(wrong).result(WAIT_S)
    with pytest.raises(InvalidArgument):
        core.sync(request([("a", "x"), ("a", "y")])).result(WAIT_S)
    with pytest.raises(InvalidArgument):
        core.generate(fim("x", n=0)).result(WAIT_S)
    assert core.count(["x"]).result(WAIT_S) == [1]


def test_busy_comes_and_goes_and_listeners_hear_it(core: EngineCore) -> None:
    heard: list[bool] = []
    idle = threading.Event()

    def hear(health: wire.Health) -> None:
        heard.append(health.busy)
        if not health.busy:
            idle.set()

    stop = core.on_change(hear)
    core.sync(request(BLOCKS)).result(WAIT_S)
    assert idle.wait(WAIT_S)
    assert heard == [True, False]
    stop()
    core.count(["x"]).result(WAIT_S)
    assert heard == [True, False]


def test_stopping_cancels_what_runs_and_what_waits(core: EngineCore) -> None:
    started = threading.Event()
    hook(core, lambda n: started.set() if n == 2 else None)
    futures = [core.sync(request(BLOCKS, f"w{i}")) for i in range(3)]
    assert started.wait(WAIT_S)
    core.stop()
    core.stop()
    assert all(future.done() for future in futures)
    assert any(isinstance(future.exception(), Cancelled) for future in futures)
    with pytest.raises(EngineUnavailable):
        core.count(["x"]).result(WAIT_S)


def test_reset_ends_the_jobs_of_its_workspace_alone(core: EngineCore) -> None:
    resets: list[Future[None]] = []
    hook(core, lambda n: resets.append(core.reset("w")) if n == 3 else None)
    mine, other = core.sync(request(BLOCKS)), core.sync(request(BLOCKS, "other"))
    assert isinstance(mine.exception(WAIT_S), Cancelled)
    resets[0].result(WAIT_S)
    assert not other.result(WAIT_S).unfit


def test_more_workspaces_than_sequences_take_turns(make_core: MakeCore) -> None:
    core = make_core(n_ctx=1024)
    for i in range(40):
        wanted = fim("def f(", max_tokens=1, sync=request([("a", f"x = {i}\n")], f"w{i}"))
        core.generate(replace(wanted, workspace=f"w{i}")).result(WAIT_S)
    assert core.call(lambda engine: len(engine.workspaces)).result(WAIT_S) < 40


def test_errors_are_objects_with_what_there_is_to_say() -> None:
    assert error_object(ContextTooLarge("Too large.", fitting=7, hint="Less."))["fitting"] == 7
    assert error_object(DecodeError("No.", return_code=-3))["return_code"] == -3
    assert error_object(InvalidArgument("n", "no"))["field"] == "n"
    assert error_object(ValueError("x"))["code"] == "error"
