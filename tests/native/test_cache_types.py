"""What the types of K and V change is measured, and types that cannot be edited in place are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.command import main
from bench.measure import cache_types
from palimpsest.errors import ModelError
from tests.models import transformer
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, difference, sync, text


@pytest.fixture(scope="module")
def wide_heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with heads of 64, whose quantized K can be shifted."""
    path = tmp_path_factory.mktemp("wide") / "wide.gguf"
    transformer(path, "qwen2", heads=1)
    return path


@pytest.mark.slow(part="benches")
def test_coarser_types_take_less_and_change_more(wide_heads: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache-types", "--json", "--positions", "40", "--shifts", "4", "--model", str(wide_heads)]) == 0
    result = json.loads(capsys.readouterr().out)
    rows = {(row["type_k"], row["type_v"], row["flash_attention"]): row for row in result["types"]}
    exact, half, eight, four = (
        rows[key]
        for key in (("f32", "f32", "off"), ("f16", "f16", "off"), ("q8_0", "f16", "off"), ("q4_0", "f16", "off"))
    )
    assert exact["max_difference"] == 0
    assert exact["after_shifts"]["max_difference"] < CLOSE
    assert exact["bytes_per_token"] == 2 * 64 * 2 * 4
    for fine, coarse in ((exact, half), (half, eight), (eight, four)):
        assert fine["bytes_per_token"] > coarse["bytes_per_token"]
        assert fine["mean_difference"] < coarse["mean_difference"]
        assert fine["after_shifts"]["mean_difference"] < coarse["after_shifts"]["mean_difference"]
    assert four["after_shifts"]["mean_difference"] > four["mean_difference"], "each move rounds anew"
    assert "bf16" in rows["bf16", "bf16", "off"]["error"]
    assert result["positions"] == 40


def test_a_recurrent_model_has_no_types(models: Callable[[str], Path]) -> None:
    with pytest.raises(ModelError, match="recurrent"):
        cache_types.measure(models("mamba"), positions=4)


@pytest.mark.parametrize("type_k", ["bf16", "q8_0"])
def test_a_type_that_cannot_be_shifted_is_not_edited_in_place(make_engine: MakeEngine, type_k: str) -> None:
    """With heads of 32; llama.cpp would end the process at the first move."""
    engine = make_engine(type_k=type_k)
    assert type_k in engine.loaded.why_not
    sync(engine, [("a", text(1)), ("b", text(2))])
    sync(engine, [("b", text(2)), ("c", text(3))])
    assert difference(engine, engine.workspaces.open("w")) < 0.05
    with pytest.raises(ModelError, match=r"engine\.type_k"):
        make_engine(type_k=type_k, mode="in-place")
