"""The model that comes with the product, in the cache it was made for."""

from __future__ import annotations

import pytest

from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, difference, fim, sync, text

PREFIX = '<editing type="function" file="cart.py" name="Cart.add">\n    def add(self, item):\n        self.it'
SUFFIX = "\n        return self.items\n</editing>\n"


@pytest.fixture
def engine(make_engine: MakeEngine) -> NativeEngine:
    return make_engine("embedded")


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


def test_its_cache_is_equivalent_with_its_weights_in_f32(make_engine: MakeEngine) -> None:
    engine = make_engine("embedded-f32")
    blocks = [(f"b{i}", text(i)) for i in range(4)]
    for wanted in (blocks, blocks[1:], [blocks[0], ("b2", text(2) + "changed"), *blocks[3:]]):
        sync(engine, wanted)
        assert difference(engine, engine.workspaces.open("w")) < CLOSE
