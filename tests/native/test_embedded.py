"""The model that comes with the product, in the cache it was made for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.kv.cache.in_place import InPlaceWorkspace
from palimpsest.kv.engine import NativeEngine
from palimpsest.kv.llama.native import widen
from palimpsest.measure.measure import measure
from tests.native.conftest import CLOSE as SETTINGS
from tests.native.helpers import CLOSE, TestedEngine, ask, difference, fim, sync, text

MODEL = Path(str(files("palimpsest"))) / "assets" / "palimpsest-embedded.gguf"
PREFIX = '<editing type="function" file="cart.py" name="Cart.add">\n    def add(self, item):\n        self.it'
SUFFIX = "\n        return self.items\n</editing>\n"


@pytest.fixture
def engine() -> Iterator[NativeEngine]:
    made = NativeEngine(MODEL, EngineSettings(**SETTINGS))
    yield made
    made.close()


def test_it_is_edited_in_place_with_the_suffix_first(engine: NativeEngine) -> None:
    assert engine.in_place
    assert engine.facts.fim_layout == "spm"
    assert engine.facts.header_start == (0,), "the header begins with BOS"
    sync(engine, [("a", text(1))])
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    assert workspace.header[0] == 0
    assert ask(engine, fim(PREFIX, SUFFIX, layout="auto")).layout == "spm"


def test_typing_costs_few_tokens(engine: NativeEngine) -> None:
    sync(engine, [("a", text(1)), ("b", text(2))])
    first = ask(engine, fim(PREFIX, SUFFIX, layout="auto", max_tokens=24))
    assert first.healed == ".it"
    costs = []
    for typed in ("e", "em", "ems", "ems.", "ems.a", "ems.append(", "ems.append(item", "ems.append(item)\n        "):
        answer = ask(engine, fim(PREFIX + typed, SUFFIX, layout="auto", max_tokens=24))
        costs.append(answer.decoded)
    assert max(costs) <= 8, costs


def test_its_cache_is_equivalent_with_its_weights_in_f32(tmp_path: Path) -> None:
    wide = tmp_path / "wide.gguf"
    assert widen(MODEL, wide)
    engine = TestedEngine(wide, EngineSettings(**SETTINGS))
    blocks = [(f"b{i}", text(i)) for i in range(4)]
    for wanted in (blocks, blocks[1:], [blocks[0], ("b2", text(2) + "changed"), *blocks[3:]]):
        sync(engine, wanted)
        assert difference(engine, engine.workspaces.open("w")) < CLOSE
    engine.close()


@pytest.mark.slow
def test_the_measurement_finds_no_difference_and_a_scale() -> None:
    found: dict[str, Any] = measure(MODEL, operations=40, seed=3)
    assert found["max_logit_difference"] < CLOSE < 10 * CLOSE < found["scale"]
    assert (found["operations"], found["kv_type"], found["flash_attention"]) == (40, "f32", False)
    assert [(other["kv_type"], other["flash_attention"]) for other in found["others"]][1:] == [
        ("f16", False),
        ("f16", True),
    ]
    assert sum(found["kinds"].values()) == 40
