"""Whole-prompt mode: the longest common prefix is reused, and it equals a prompt decoded from scratch."""

from __future__ import annotations

from random import Random

import pytest

from palimpsest import wire
from palimpsest.engine.cache.whole import WholeWorkspace
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, difference, done, fim, request, sync, text
from tests.native.test_interruption import stepped

KINDS = ["fim", "mrope", "mamba", "swa", "hybrid", "mamba2", "delta", "moe", "mla"]


def whole(make_engine: MakeEngine, kind: str, **settings: object) -> tuple[NativeEngine, WholeWorkspace]:
    engine = make_engine(kind, mode="whole-prompt" if kind in ("fim", "swa", "moe", "mla") else "auto", **settings)
    assert not engine.in_place
    assert engine.loaded.why_not
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, WholeWorkspace)
    return engine, workspace


@pytest.mark.parametrize("kind", KINDS)
def test_random_syncs_equal_a_fresh_prompt(make_engine: MakeEngine, kind: str) -> None:
    engine, workspace = whole(make_engine, kind)
    random = Random(3)
    blocks = {f"b{i}": text(i, 150) for i in range(4)}
    for _ in range(10):
        key = f"b{random.randrange(6)}"
        if random.random() < 0.3:
            blocks.pop(key, None)
        else:
            blocks[key] = text(random.randrange(20), random.randrange(40, 300))
        answer = sync(engine, list(blocks.items()))
        assert workspace.verify()
        assert {report.key for report in answer.blocks if report.span} == set(blocks)
        assert difference(engine, workspace) < CLOSE


@pytest.mark.parametrize("kind", KINDS)
def test_one_more_block_costs_that_block_and_the_footer(make_engine: MakeEngine, kind: str) -> None:
    engine, workspace = whole(make_engine, kind)
    blocks = [("a", text(1)), ("b", text(2))]
    first = sync(engine, blocks)
    assert first.decoded == len(workspace.tokens)
    assert sync(engine, blocks).decoded == 0
    more = sync(engine, [("c", text(3)), *blocks])
    n = len(engine.model.tokenize(text(3)))
    assert n <= more.decoded <= n + len(engine.model.tokenize("</workspace>\n"))
    assert [report.action for report in more.blocks] == ["written", "kept", "kept"]


@pytest.mark.parametrize("kind", KINDS)
def test_typing_decodes_what_is_typed(make_engine: MakeEngine, kind: str) -> None:
    engine, _workspace = whole(make_engine, kind)
    sync(engine, [("a", text(1)), ("b", text(2))])
    prefix = "class Cart:\n    def add(self, item):\n        "
    ask(engine, fim(prefix, "\n    pass\n"))
    costs = []
    for typed in ("self", "self.", "self.items", "self.items.", "self.items.append(", "self.items.append(item"):
        answer = ask(engine, fim(prefix + typed, "\n    pass\n"))
        assert answer.layout == "spm"
        costs.append(answer.decoded)
    assert max(costs) <= 8, costs


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_a_cache_that_knew_nothing(make_engine: MakeEngine, kind: str) -> None:
    engine, workspace = whole(make_engine, kind)
    sync(engine, [("a", text(1))])
    prefix = "def f(self):\n    "
    for typed in ("re", "ret", "return s", "return", "return self.", "x = [", "x = [1, "):
        for n in (1, 2):
            wanted = fim(prefix + typed, "\n", max_tokens=6, n=n, sampling=wire.Sampling(seed=1))
            kept = ask(engine, wanted).choices[0].text
            workspace.tails.drop_all()
            assert ask(engine, wanted).choices[0].text == kept, typed


@pytest.mark.parametrize("kind", ["fim", "mamba"])
def test_a_sync_closed_or_overtaken_on_the_way(make_engine: MakeEngine, kind: str) -> None:
    engine, workspace = whole(make_engine, kind, n_batch=64)
    one, two = [("a", text(1, 500)), ("b", text(2, 500))], [("a", text(1, 500)), ("c", text(3, 500))]
    for n in range(1, 8, 2):
        sync(engine, one)
        slow = workspace.sync(request(two))
        if stepped(slow, n):
            sync(engine, one)
            done(slow)
        assert workspace.ready
        assert list(workspace.blocks) == ["a", "c"]
        assert difference(engine, workspace) < CLOSE
        slow = workspace.sync(request(one))
        stepped(slow, n)
        slow.close()
    sync(engine, two)
    assert difference(engine, workspace) < CLOSE


def test_an_answer_without_a_whole_base_makes_it_first(make_engine: MakeEngine) -> None:
    engine, workspace = whole(make_engine, "fim", n_batch=64)
    slow = workspace.sync(request([("a", text(1, 500))]))
    stepped(slow, 2)
    slow.close()
    answer = ask(engine, fim("def f("))
    assert answer.context_tokens == len(workspace.tokens)
    assert list(workspace.blocks) == ["a"]


def test_what_does_not_fit_is_named(make_engine: MakeEngine) -> None:
    engine, _workspace = whole(make_engine, "fim", n_ctx=512)
    answer = sync(engine, [(f"b{i}", text(i, 400)) for i in range(5)])
    assert answer.unfit
    assert "b0" not in answer.unfit


def test_two_workspaces_share_a_small_cache_by_turns(make_engine: MakeEngine) -> None:
    engine, _workspace = whole(make_engine, "fim", n_ctx=1024)
    for i in range(3):
        for name in ("one", "two", "three"):
            sync(engine, [("a", text(i, 800))], name)
            assert engine.pool.used_cells <= engine.sizes.n_ctx
            assert difference(engine, engine.workspaces.open(name)) < CLOSE


def test_in_place_cannot_be_forced_on_a_model_that_cannot(make_engine: MakeEngine) -> None:
    for kind, why in (("mamba", "recurrent"), ("mrope", "M-RoPE")):
        with pytest.raises(ModelError, match=why):
            make_engine(kind, mode="in-place")


def test_isolated_needs_editing_in_place(make_engine: MakeEngine) -> None:
    engine, _workspace = whole(make_engine, "fim")
    assert engine.loaded.info().fim_layouts == ["spm", "psm"]
    assert ask(engine, fim("def f(", layout="isolated")).layout == "psm"
