"""A trial of a model (`palimpsest model check`) and `training.evaluate` say the same of the same places."""

import pytest
from tests.e2e.conftest import SAMPLE

from palimpsest.checking.places import places
from palimpsest.checking.running import tried
from palimpsest.config.settings import EngineSettings
from palimpsest.models.files import embedded
from palimpsest.models.trials import Losses, TrialPlace
from training.arena import Arena
from training.examples import Tail
from training.measures import cross_entropy
from training.prompt import Order, Prompt

CLOSE = 0.03
"""Of a loss: the two place tokens at other positions."""

pytestmark = [pytest.mark.slow(part="training"), pytest.mark.timeout(900)]


def test_without_blocks_and_in_order_both_measure_the_same() -> None:
    """(In place they differ: the engine's blocks stand at the arena's beginning, those of training near the tail.)"""
    some = places(SAMPLE, 8)
    trial = tried(embedded(), EngineSettings(), some, 60)
    arena = Arena(embedded())
    try:
        prompt = Prompt(arena)

        def nats(place: TrialPlace, order: Order, blocks: dict[str, str]) -> float:
            prompt.lay_out(tuple(blocks.values()), order)
            tail = Tail("spm", place.prefix, place.suffix, place.middle, "line")
            target = arena.tokens(tail.middle)
            logits, _ = prompt.logits(tail, len(target), target[:-1])
            return float(cross_entropy(logits, target)[0].sum())

        def theirs(order: Order, *, with_blocks: bool, of: Losses) -> float:
            return sum(nats(place, order, place.blocks if with_blocks else {}) for place in some[: len(of.nats)])

        none, in_order = trial.layouts[trial.fim_layout], trial.in_order
        assert len(in_order.nats) == len(some)
        assert sum(none.nats) == pytest.approx(theirs("in_place", with_blocks=False, of=none), rel=CLOSE)
        assert sum(in_order.nats) == pytest.approx(theirs("causal", with_blocks=True, of=in_order), rel=CLOSE)
    finally:
        arena.close()
