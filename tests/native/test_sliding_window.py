"""Models with a sliding window: what their window no longer sees may be wanted again, and must still be there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.native import Context, Model
from palimpsest.engine.model import trial
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError
from tests.native.conftest import CLOSE as SETTINGS
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, difference, fim, sized, sync, text
from tests.native.test_interruption import in_place


def churn(engine: NativeEngine) -> None:
    """Every cell that can be had is used once by somebody else."""
    for i in range(4):
        sync(engine, [(f"x{i}", sized(engine, 200, 10 + i))], "other")
        engine.workspaces.reset("other")


def changed(blocks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Other text from the middle on: what is decoded sees what stands before it."""
    return [(key, f"{content[: len(content) // 2]}\nchanged = True\n") for key, content in blocks]


@pytest.mark.parametrize("mode", ["auto", "whole-prompt"])
def test_random_operations_in_a_small_cache_keep_it_equivalent(make_engine: MakeEngine, mode: str) -> None:
    engine = make_engine("swa", n_ctx=1024, n_batch=64, store_mb=16, mode=mode)
    assert engine.in_place == (mode == "auto")
    random, blocks = Random(7), dict[str, str]()
    for step in range(30):
        key = f"k{random.randrange(5)}"
        old = blocks.pop(key, "")
        if random.random() < 0.8:
            cut = old[: random.randrange(len(old))] if old and random.random() < 0.6 else ""
            blocks[key] = cut + text(random.randrange(20), random.randrange(60, 400))
        order = list(blocks.items())
        random.shuffle(order)
        sync(engine, order)
        if step % 3 == 0:
            churn(engine)
        assert difference(engine, engine.workspaces.open("w")) < CLOSE, f"step {step}"
        engine.context.check()


def test_a_detached_block_is_there_when_it_is_wanted_again(make_engine: MakeEngine) -> None:
    engine = make_engine("swa", n_ctx=1536, store_mb=0)
    blocks = [(f"b{i}", sized(engine, 150, i)) for i in range(3)]
    sync(engine, blocks)
    sync(engine, blocks[:1])
    churn(engine)
    answer = sync(engine, changed(blocks))
    assert [report.action for report in answer.blocks] == ["extended"] * 3
    assert difference(engine, in_place(engine)) < CLOSE


def test_a_restored_block_is_all_there(make_engine: MakeEngine) -> None:
    engine = make_engine("swa", n_ctx=1024, store_mb=16)
    blocks = [(f"b{i}", sized(engine, 150, i)) for i in range(3)]
    sync(engine, blocks)
    engine.workspaces.close("w")
    assert sync(engine, blocks).restored == 450
    assert [report.action for report in sync(engine, changed(blocks)).blocks] == ["extended"] * 3
    assert difference(engine, in_place(engine)) < CLOSE


@pytest.mark.parametrize("mode", ["auto", "whole-prompt"])
def test_a_tail_goes_back_to_where_the_window_no_longer_reached(make_engine: MakeEngine, mode: str) -> None:
    engine = make_engine("swa", n_ctx=1024, n_batch=64, mode=mode)
    sync(engine, [("a", text(1, 100))])
    prefix = sized(engine, 200, 4)
    half = prefix[: prefix.rindex("\n", 0, len(prefix) // 2)]
    expected = ask(engine, fim(half)).choices[0].text
    engine.workspaces.open("w").tails.drop_all()
    ask(engine, fim(prefix))
    churn(engine)
    again = ask(engine, fim(half))
    assert again.reused > 0
    assert again.choices[0].text == expected


class Plain(Context):
    """Without twins: what llama.cpp alone does."""

    def __init__(self, model: Model, params: object) -> None:
        window, model.window = model.window, 0
        super().__init__(model, params)  # type: ignore[arg-type]
        model.window = window


def test_where_the_cache_loses_what_it_was_given_it_is_not_edited_in_place(models: Callable[[str], Path]) -> None:
    for kind, why in (("swa", "sliding window"), ("fim", "")):
        engine = NativeEngine(models(kind), EngineSettings(**SETTINGS), make_context=Plain)
        assert engine.in_place == (not why)
        assert why in engine.loaded.why_not
        engine.close()
    with pytest.raises(ModelError, match="edited in place"):
        NativeEngine(models("swa"), EngineSettings(**SETTINGS, mode="in-place"), make_context=Plain)


def test_the_trial_leaves_nothing_behind(make_engine: MakeEngine) -> None:
    for kind in ("fim", "swa"):
        engine = make_engine(kind)
        assert trial.passed(engine.context, engine.model) == ""
        assert engine.context.cells.used == 0
        engine.context.check()
