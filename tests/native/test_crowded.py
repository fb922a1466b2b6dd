"""A cache too small for what is asked at once: what is most urgent is answered, the rest done over or told why not."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue
from random import Random
from threading import Event
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.generation.generate import generate
from palimpsest.errors import ContextTooLarge
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import ask, fim, request, sized, sync, text
from tests.native.test_core import WAIT_S
from tests.native.test_interruption import stepped

BLOCKS = [(f"b{i}", text(i, 300)) for i in range(6)]


def edit(core: EngineCore, name: str, *, stream: bool = False, n_tokens: int = 250) -> wire.GenerateRequest:
    """A long prompt and a long answer, behind most of the cache's blocks."""
    prompt = core.call(lambda engine: sized(engine, n_tokens, 20)).result(WAIT_S)
    tail = wire.TextTail(prompt)
    return wire.GenerateRequest(
        name, text=tail, slot="suggestion", max_tokens=60, stream=stream, sync=request(BLOCKS, name)
    )


def key(name: str, i: int, random: Random) -> wire.GenerateRequest:
    """A keystroke with blocks of its own."""
    blocks = [(f"k{j}", text(random.randrange(20), 400)) for j in range(4)]
    wanted = fim("def f(self):\n    " + text(i, 250), "\n" + text(i + 1, 300), max_tokens=4, sync=request(blocks, name))
    return replace(wanted, workspace=name, replace="")


class Pressed(Event):
    """The engine's thread asks before each step whether a job was cancelled: a key is pressed in mid-answer."""

    def __init__(self, core: EngineCore, n_before: int = 5) -> None:
        super().__init__()
        self._core = core
        self._stats = core.call(lambda engine: engine.pool.stats).result(WAIT_S)
        self._after = self._stats["generated"] + n_before
        self._is_pressed = False
        self.keys: SimpleQueue[Future[wire.GenerateAnswer]] = SimpleQueue()

    def is_set(self) -> bool:
        if not self._is_pressed and self._stats["generated"] > self._after:
            self._is_pressed = True
            self.keys.put(self._core.generate(key("two", 3, Random(1))))
        return False


def test_no_keystroke_and_no_edit_of_two_windows_is_lost(make_core: MakeCore) -> None:
    core, random = make_core("short", n_ctx=2048), Random(4)
    names = ("one", "two")
    edits: list[Future[Any]] = []
    keys: list[Future[Any]] = []
    for i in range(14):
        edits += [core.generate(edit(core, name)) for name in names]
        for name in random.sample(names, 2):
            keys.append(core.generate(key(name, i, random)))
            keys[-1].result(WAIT_S)
    assert all(future.result(WAIT_S).choices for future in edits)
    assert len(keys) == 28
    core.call(lambda engine: engine.workspaces.check()).result(WAIT_S)


def test_an_edit_that_makes_way_is_done_over_with_the_same_answer(
    make_core: MakeCore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "palimpsest.engine")
    core = make_core(n_ctx=768)
    expected = core.generate(edit(core, "one")).result(WAIT_S).choices
    core.reset("one").result(WAIT_S)
    pressed = Pressed(core)
    job = core.generate(edit(core, "one"), pressed)
    done = pressed.keys.get(timeout=WAIT_S).result(WAIT_S)
    assert done.choices[0].tokens == 4
    assert job.result(WAIT_S).choices == expected
    assert "makes way" in caplog.text
    core.call(lambda engine: engine.workspaces.check()).result(WAIT_S)


def test_one_of_which_a_part_was_seen_says_that_there_was_no_room(make_core: MakeCore) -> None:
    core = make_core(n_ctx=768)
    seen, pressed = list[str](), Pressed(core)
    job = core.generate(edit(core, "one", stream=True), pressed, on_text=lambda _choice, text: seen.append(text))
    done = pressed.keys.get(timeout=WAIT_S).result(WAIT_S)
    assert done.choices[0].tokens == 4
    error = job.exception(WAIT_S)
    assert seen
    assert isinstance(error, ContextTooLarge)
    assert "more urgent" in error.message
    core.call(lambda engine: engine.workspaces.check()).result(WAIT_S)


def test_blocks_that_a_suspended_job_looks_at_are_not_evicted_for_nothing(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=2048)
    blocks = [(f"b{i}", sized(engine, 150, i)) for i in range(5)]
    sync(engine, blocks)
    wanted = wire.GenerateRequest("w", text=wire.TextTail("def f("), slot="suggestion", max_tokens=10)
    slow = generate(engine.generator, engine.workspaces.open("w"), wanted, None)
    assert stepped(slow, 3)
    sync(engine, blocks[:1])
    free = engine.pool.free_cells
    workspace = engine.workspaces.open("w")
    assert not workspace.shrink(400, attached=True), "no cell would come of it"
    assert engine.pool.free_cells == free
    slow.close()
    workspace.tails.drop_all()
    assert workspace.shrink(400, attached=False)
    assert engine.pool.free_cells >= free + 400
    assert ask(engine, fim("def f(", sync=request(blocks))).sync is not None
    engine.workspaces.check()
