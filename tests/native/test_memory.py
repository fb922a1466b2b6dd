"""Memory: what is reported is what llama.cpp allocates, and the bound of it holds, its buffers counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.engine.model import memory
from palimpsest.engine.model.params import context_params
from palimpsest.errors import ContextTooLarge
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, difference, sync, text

ROUNDING = 1 << 14
"""llama.cpp tells hundredths of a MiB."""


@pytest.mark.parametrize("kind", ["fim", "plain", "swa", "mrope"])
@pytest.mark.parametrize("types", [("f32", "f32"), ("f16", "f16"), ("q8_0", "f16")])
def test_the_computed_size_of_the_cache_is_what_llama_cpp_allocates(
    make_engine: MakeEngine, kind: str, types: tuple[str, str]
) -> None:
    engine = make_engine(kind, type_k=types[0], type_v=types[1], mode="auto")
    computed = engine.facts.kv_bytes(engine.sizes.n_ctx, *types)
    assert abs(engine.context.cache_bytes - computed) <= ROUNDING


def test_a_block_in_the_store_takes_what_its_cells_take(make_engine: MakeEngine) -> None:
    engine = make_engine()
    tokens = sync(engine, [("a", text(1, 900))]).blocks[0].tokens
    engine.workspaces.close("w")
    cells = engine.facts.kv_bytes(tokens, "f32", "f32")
    assert cells <= engine.memory()["store"] <= cells * 1.05 + 200


def test_the_map_says_what_is_used(make_engine: MakeEngine) -> None:
    engine = make_engine(memory_mb=64)
    found = engine.map("w").memory
    assert set(found) == {"model", "cache", "compute", "store", "disk", "limit"}
    assert found["model"] == pytest.approx(engine.model.path.stat().st_size, rel=0.1)
    assert found["limit"] == 64 << 20
    assert found["cache"] > 0
    assert found["compute"] > 0
    assert found["store"] == found["disk"] == 0


@pytest.mark.parametrize("kind", ["mamba", "hybrid"])
def test_states_are_counted_too(make_engine: MakeEngine, kind: str) -> None:
    assert make_engine(kind).memory()["cache"] > 0


@pytest.mark.parametrize(("kind", "n_ctx"), [("fim", 4096), ("fim", 1 << 18), ("hybrid", 1 << 16)])
def test_what_is_said_to_fit_fits_and_little_more_would(make_engine: MakeEngine, kind: str, n_ctx: int) -> None:
    with pytest.raises(ContextTooLarge) as caught:
        make_engine(kind, n_ctx=n_ctx, memory_mb=6)
    fitting = caught.value.fitting
    assert f"{fitting}" in caught.value.hint
    engine = make_engine(kind, n_ctx=fitting, memory_mb=6)
    taken = engine.memory()
    assert taken["cache"] + taken["compute"] <= taken["limit"]
    sync(engine, [("a", text(1))])
    assert difference(engine, engine.workspaces.open("w")) < CLOSE
    with pytest.raises(ContextTooLarge):
        make_engine(kind, n_ctx=fitting + 1024, memory_mb=6)


def test_a_bound_too_small_for_anything_says_so(make_engine: MakeEngine) -> None:
    with pytest.raises(ContextTooLarge) as caught:
        make_engine(memory_mb=1)
    assert caught.value.fitting == 0
    assert "engine.memory_mb" in caught.value.hint


def test_small_caches_tell_the_size_of_large_ones(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=16384)
    fixed, for_each = memory.needed(engine.model, context_params(engine.loaded.settings, engine.facts))
    taken = engine.context.cache_bytes + engine.context.compute_bytes
    assert fixed + for_each * engine.sizes.n_ctx == pytest.approx(taken, rel=0.05)


def test_the_sizes_the_readme_gives(make_engine: MakeEngine) -> None:
    """Shapes of real models, through the same function."""
    facts = make_engine().facts
    qwen = replace(facts, n_layers=28, n_head_kv=2, n_embd_k=128, n_embd_v=128)
    assert qwen.kv_bytes(1, "f16", "f16") == 28_672
    assert qwen.kv_bytes(16_384, "f16", "f16") == 448 << 20
    assert qwen.kv_bytes(16_384, "q8_0", "q8_0") == 238 << 20
