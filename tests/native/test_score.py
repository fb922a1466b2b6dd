"""How likely lines are with others instead: sums of the model's own probabilities, whatever order they come in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.generation.check import check as check_request
from palimpsest.engine.generation.score import score
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ContextTooLarge, InvalidArgument, ModelError
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import CLOSE, done, request, sync, text

LINES = ["<editing>\n", *(f"{line}\n" for line in text(3, 400).split("\n")[:7]), "</editing>\n"]
MODES: list[tuple[str, dict[str, Any]]] = [("fim", {}), ("fim", {"mode": "whole-prompt"}), ("swa", {}), ("mrope", {})]


def gains(engine: NativeEngine, lines: list[str], *variants: wire.Variant) -> list[float]:
    asked = wire.ScoreRequest("w", lines, list(variants))
    check_request(asked)
    return done(score(engine.generator, engine.workspaces.open("w"), asked)).gains


def instead(lines: list[str], start: int, *new: str) -> wire.Variant:
    """One line becomes others; all that follows bears on it."""
    return wire.Variant(start, len(lines), [*new, *lines[start + 1 :]])


@pytest.mark.parametrize(("kind", "settings"), MODES)
def test_a_change_gains_what_its_way_back_loses(make_engine: MakeEngine, kind: str, settings: dict[str, Any]) -> None:
    engine = make_engine(kind, **settings)
    sync(engine, [("a", text(1)), ("b", text(2))])
    free = engine.pool.free_sequences
    changes = [instead(LINES, 4, "other = 1\n"), instead(LINES, 2), instead(LINES, 6, "a\n", "b\n")]
    found = gains(engine, LINES, *changes)
    assert engine.pool.free_sequences == free, "no sequence stays"
    assert gains(engine, LINES, *reversed(changes)) == pytest.approx(found[::-1], abs=CLOSE), "in any order"
    for change, gain in zip(changes, found, strict=True):
        changed = [*LINES[: change.start], *change.lines]
        back = wire.Variant(change.start, len(changed), LINES[change.start :])
        assert gains(engine, changed, back) == pytest.approx([-gain], abs=0.02)
        assert abs(gain) > 0.01
    same = instead(LINES, 3, LINES[3])
    assert gains(engine, LINES, same) == pytest.approx([0.0], abs=0.02)
    engine.workspaces.open("w").tails.check()


def test_it_is_the_sum_of_the_model_s_log_probabilities(make_engine: MakeEngine) -> None:
    """Against a cache of nothing but the prompt."""
    engine = make_engine()
    sync(engine, [("a", text(1))])
    workspace = engine.workspaces.open("w")

    def loss(lines: list[str]) -> float:
        ids = [token for line in lines for token in engine.model.tokenize(line)]
        n_first, total = len(engine.model.tokenize(lines[0])), 0.0
        for i in range(n_first, len(ids)):
            asked = engine.reference.logits(workspace, ids[:i])
            top = asked.max()
            total -= float(asked[ids[i]] - top - np.log(np.exp(asked - top).sum()))
        return total

    short = [LINES[0], "x = 1\n", "y = 2\n"]
    changed = [LINES[0], "x = 1\n", "zed = 3\n"]
    found = gains(engine, short, wire.Variant(2, 3, ["zed = 3\n"]))
    assert found == pytest.approx([loss(short) - loss(changed)], abs=0.05)


def test_requests_that_mean_nothing_name_the_field(make_engine: MakeEngine) -> None:
    engine = make_engine()
    for field, lines, variants in (
        ("lines", [], []),
        ("lines[0]", ["", "x\n"], []),
        ("variants[0].start", LINES, [wire.Variant(0, 1, ["x\n"])]),
        ("variants[0].end", LINES, [wire.Variant(3, 2, ["x\n"])]),
        ("variants[0].start", LINES, [wire.Variant(len(LINES), len(LINES), ["x\n"])]),
        ("variants", LINES, [wire.Variant(1, 2, ["x\n"])] * 65),
    ):
        with pytest.raises(InvalidArgument) as error:
            gains(engine, lines, *variants)
        assert error.value.field == field
    with pytest.raises(ContextTooLarge):
        gains(engine, [LINES[0], text(0, 60_000)])
    with pytest.raises(ContextTooLarge, match="more than can be compared"):
        gains(engine, LINES, *[wire.Variant(1, 2, ["x" * 10_000])] * 64)
    with pytest.raises(ModelError, match="cannot be cut back"):
        gains(make_engine("mamba"), LINES)


def test_it_is_a_job_like_others(make_core: MakeCore) -> None:
    core = make_core()
    asked = wire.ScoreRequest("w", LINES, [wire.Variant(1, 2, [LINES[1]])], sync=request([("a", text(1))]))
    answer = core.score(asked).result(60)
    assert answer.gains == pytest.approx([0.0], abs=0.02)
    assert answer.sync is not None
    assert answer.decoded > 0
    assert {"queue", "total"} <= answer.ms.keys()
