"""Edit equivalence: after any operations the logits are those of a cache built from scratch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bench.measure.equivalence import edited
from bench.measure.measure import measure
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, PROBE, TestedEngine, difference, done, request, sized, sync, text


def in_place(engine: NativeEngine, name: str = "w") -> InPlaceWorkspace:
    workspace = engine.workspaces.open(name)
    assert isinstance(workspace, InPlaceWorkspace)
    return workspace


def test_a_first_sync_equals_a_fresh_build(make_engine: MakeEngine) -> None:
    engine = make_engine()
    answer = sync(engine, [(f"class:{i}", text(i)) for i in range(5)])
    assert [report.action for report in answer.blocks] == ["written"] * 5
    assert difference(engine, in_place(engine)) < CLOSE


def test_another_text_in_one_block_makes_a_large_difference(make_engine: MakeEngine) -> None:
    """The scale against which `CLOSE` is close."""
    engine = make_engine()
    sync(engine, [("a", text(1)), ("b", text(2))])
    workspace = in_place(engine)
    assert workspace.arena is not None
    tail = engine.model.tokenize(PROBE)
    other = tuple(reversed(workspace.arena["b"].tokens))
    blocks = [(workspace.arena["a"].tokens, workspace.arena["a"].span.start), (other, workspace.arena["b"].span.start)]
    assert isinstance(engine, TestedEngine)
    changed = engine.reference.logits_of(workspace, blocks, tail)
    assert np.abs(edited(engine, workspace, tail) - changed).max() > 100 * CLOSE


def test_a_changed_block_goes_on_from_its_first_difference(make_engine: MakeEngine) -> None:
    engine = make_engine()
    blocks = [("a", text(1, 600)), ("b", text(2, 600))]
    sync(engine, blocks)
    blocks[0] = ("a", blocks[0][1][:400] + "    changed = True\n" + blocks[0][1][400:])
    answer = sync(engine, blocks)
    assert answer.blocks[0].action == "extended"
    assert answer.decoded - answer.replayed < answer.blocks[0].tokens // 2
    assert difference(engine, in_place(engine)) < CLOSE


def test_what_comes_where_something_stood_is_decoded_behind_the_copy_of_the_header_that_is_there(
    make_engine: MakeEngine,
) -> None:
    engine = make_engine()
    assert sync(engine, [("a", text(1))]).replayed
    other = sync(engine, [("a", text(2))])
    assert other.decoded > other.replayed == 0
    assert difference(engine, in_place(engine)) < CLOSE
    assert sync(engine, [("a", text(2)), ("b", text(3))]).replayed
    engine.workspaces.check()


def test_copies_of_the_header_make_way(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("a", text(1))])
    workspace = in_place(engine)
    held = [engine.pool.take() for _ in range(engine.pool.free_sequences + 1)]
    assert workspace.copies.n_cells == 0
    for seq in held:
        engine.pool.give(seq)
    assert sync(engine, [("a", text(2))]).replayed
    engine.workspaces.check()


def test_a_block_shorter_than_before_decodes_nothing(make_engine: MakeEngine) -> None:
    engine = make_engine()
    lines = "".join(f"line {i}\n" for i in range(60))
    sync(engine, [("a", lines)])
    answer = sync(engine, [("a", lines[: lines.index("line 30")])])
    assert answer.decoded == 0
    assert difference(engine, in_place(engine)) < CLOSE


def test_a_block_that_comes_back_with_a_new_end_decodes_that_alone(make_engine: MakeEngine) -> None:
    """It was evicted: what it was is in the store, under the digest of its old text."""
    engine = make_engine(n_ctx=2048, store_mb=64)
    old, other = text(1, 900), [(f"l{i}", sized(engine, 200, 2 + i)) for i in range(4)]
    n_all = sync(engine, [("a", old)]).decoded
    assert "a" in sync(engine, other).evicted_keys
    new = old[:-60] + "\n    return what_is_new\n"
    answer = sync(engine, [("a", new), *other[:1]])
    assert answer.decoded < n_all // 3
    assert answer.restored > n_all // 2
    assert {report.key: report.action for report in answer.blocks} == {"a": "extended", "l0": "kept"}
    assert difference(engine, in_place(engine)) < CLOSE
    engine.workspaces.check()


def test_the_version_that_has_most_of_it_is_taken(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=2048, store_mb=64)
    lines, other = [text(i, 300) for i in range(5)], [(f"l{i}", sized(engine, 200, 2 + i)) for i in range(4)]
    for n in (4, 2, 3):
        sync(engine, [("a", "".join(lines[:n]) + "the end\n")])
        sync(engine, other)
    first = sync(engine, [("a", "".join(lines[:4]) + "another end\n")])
    assert first.decoded - first.replayed < len(engine.model.tokenize("another end\n")) + 4
    assert difference(engine, in_place(engine)) < CLOSE


def test_nothing_wanted_makes_way_for_what_a_block_was(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=2048, store_mb=64)
    lines = "".join(text(i, 300) for i in range(10))
    beside = [("b", sized(engine, 350, 5)), ("c", sized(engine, 350, 9))]
    sync(engine, [("a", lines)])
    sync(engine, [(f"l{i}", sized(engine, 200, 20 + i)) for i in range(5)])
    assert not sync(engine, beside).unfit
    answer = sync(engine, [("a", lines[:350] + " new\n"), *beside])
    assert not answer.unfit
    assert not {"b", "c"} & set(answer.evicted_keys)
    assert difference(engine, in_place(engine)) < CLOSE


def test_what_a_block_was_is_not_decoded(make_engine: MakeEngine) -> None:
    """Where its copy cannot be loaded."""
    engine = make_engine(n_ctx=2048, store_mb=64)
    old = text(1, 900)
    sync(engine, [("a", old)])
    engine.workspaces.close("w")
    for digest, item in engine.store.memory.items():
        engine.store.put(digest, replace(item, data=b"no KV"))
    new = old[:500] + "\n    return what_is_new\n"
    assert sync(engine, [("a", new)]).blocks[0].decoded == len(engine.model.tokenize(new))
    assert difference(engine, in_place(engine)) < CLOSE


def test_what_a_block_was_in_another_workspace_does_not_come_back(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=2048, store_mb=64)
    old = text(1, 900)
    sync(engine, [("a", old)], "other")
    engine.workspaces.close("other")
    answer = sync(engine, [("a", old[:-60] + "\n    return what_is_new\n")])
    assert answer.restored == 0
    assert engine.store.keys_of("w") == []


@pytest.mark.parametrize(("kind", "store_mb"), [("short", 0), ("short", 64), ("swa", 64), ("moe", 64), ("mla", 64)])
def test_random_operations_keep_it_equivalent(make_engine: MakeEngine, kind: str, store_mb: int) -> None:
    """Write, change, grow, shorten, remove, reorder, evict, restore, move: a small cache has to do all of them, some
    hundred times, with every kind of memory that can be edited."""
    engine = make_engine(kind, n_ctx=1536, store_mb=store_mb)
    random = Random(store_mb)
    blocks: dict[str, str] = {}
    gone: dict[str, str] = {}
    seen = set[str]()
    totals = dict.fromkeys(("restored", "moved", "evicted"), 0)
    for step in range(50):
        for _ in range(random.randint(1, 3)):
            change(blocks, gone, random)
        order = list(blocks.items())
        random.shuffle(order)
        answer = sync(engine, order)
        seen |= {report.action for report in answer.blocks}
        for name in totals:
            totals[name] += getattr(answer, name)
        workspace = in_place(engine)
        assert workspace.arena is not None
        workspace.arena.check()
        assert workspace.verify()
        assert {r.key for r in workspace.arena if r.attached} == set(blocks) - set(answer.unfit)
        if step % 4 == 0:
            assert difference(engine, workspace) < CLOSE, f"step {step}"
    assert {"written", "kept", "extended"} <= seen
    assert sum(totals.values()) > 0, "a cache so small has to give something up"


def change(blocks: dict[str, str], gone: dict[str, str], random: Random) -> None:
    key = f"k{random.randrange(7)}"
    old = blocks.get(key, "")
    kind = random.choice(["write", "write", "change", "grow", "shorten", "remove", "remove", "return", "return"])
    if kind == "remove":
        gone.clear()
        gone.update({key: blocks.pop(key)} if key in blocks else {})
    elif kind == "return":
        blocks.update(gone)
        gone.clear()
    elif kind == "change" and old:
        at = random.randrange(len(old))
        blocks[key] = old[:at] + random.choice(["x", " = None\n", "é"]) + old[at:]
    elif kind == "grow" and old:
        blocks[key] = (old + text(random.randrange(20), 120))[:500]
    elif kind == "shorten" and len(old) > 60:
        blocks[key] = old[: random.randrange(30, len(old))]
    else:
        blocks[key] = text(random.randrange(14), random.randrange(40, random.choice([150, 400])))


def test_a_moved_block_is_equivalent(make_engine: MakeEngine) -> None:
    engine = make_engine("short", n_ctx=2048, store_mb=0)
    blocks = [(f"b{i}", sized(engine, 90, i)) for i in range(4)]
    sync(engine, blocks)
    answer = sync(engine, [blocks[1], blocks[3], ("large", sized(engine, 130, 9))])
    assert answer.moved > 0
    assert not answer.unfit
    assert answer.decoded - answer.replayed == 130
    assert difference(engine, in_place(engine)) < CLOSE


def test_two_workspaces_do_not_see_each_other(make_engine: MakeEngine) -> None:
    engine = make_engine()
    one, two = [("a", text(1)), ("b", text(2))], [("a", text(5)), ("c", text(6))]
    sync(engine, one, "one")
    tail = engine.model.tokenize(PROBE)
    alone = edited(engine, in_place(engine, "one"), tail)
    sync(engine, two, "two")
    sync(engine, [*two, ("d", text(9))], "two")
    assert np.abs(edited(engine, in_place(engine, "one"), tail) - alone).max() < CLOSE
    assert difference(engine, in_place(engine, "two")) < CLOSE
    assert sync(engine, one, "one").decoded == 0


def test_a_workspace_makes_way_for_another_and_comes_back_from_the_store(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=2048)
    mine = [(f"m{i}", sized(engine, 240, i)) for i in range(3)]
    first = sync(engine, mine, "one")
    assert not first.unfit
    sync(engine, [(f"y{i}", sized(engine, 240, 20 + i)) for i in range(4)], "two")
    assert engine.pool.used_cells <= engine.sizes.n_ctx
    back = sync(engine, mine, "one")
    assert not back.unfit
    assert back.restored > 0
    assert back.decoded == back.replayed == 0
    assert difference(engine, in_place(engine, "one")) < CLOSE


def test_what_does_not_fit_is_named(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=1024)
    blocks = [(f"b{i}", text(i, 1200)) for i in range(8)]
    answer = sync(engine, blocks)
    assert answer.unfit
    assert answer.unfit == [report.key for report in answer.blocks if report.action == "unfit"]
    assert answer.blocks[0].action == "written", "the most valuable block comes first"
    assert difference(engine, in_place(engine)) < CLOSE


def test_another_header_begins_anew(make_engine: MakeEngine) -> None:
    engine = make_engine("plain")
    sync(engine, [("a", text(1))])
    workspace = in_place(engine)
    assert workspace.header[0] == 0, "the model wants its BOS token"
    answer = done(workspace.sync(replace(request([("a", text(1))]), header="# other\n")))
    assert answer.blocks[0].action == "written"
    assert difference(engine, workspace) < CLOSE


def test_a_sliding_window_is_edited_in_place(make_engine: MakeEngine) -> None:
    engine = make_engine("swa")
    assert engine.in_place
    blocks = [("a", text(1, 600)), ("b", text(2, 600)), ("c", text(3))]
    sync(engine, blocks)
    sync(engine, blocks[:1])
    sync(engine, [*blocks, ("d", text(4))])
    assert difference(engine, in_place(engine)) < CLOSE


def test_the_measurement_finds_no_difference_and_a_scale(models: Callable[[str], Path]) -> None:
    found: dict[str, Any] = measure(models("fim"), operations=40, seed=3)
    assert found["max_logit_difference"] < CLOSE < 10 * CLOSE < found["scale"]
    assert (found["operations"], found["kv_type"], found["flash_attention"]) == (40, "f32", False)
    assert [(other["kv_type"], other["flash_attention"]) for other in found["others"]][1:] == [
        ("f16", False),
        ("f16", True),
    ]
    assert sum(found["kinds"].values()) == 40
    assert found["kinds"]["visit"] > 0
    assert found["kept_at_places"] > 0
