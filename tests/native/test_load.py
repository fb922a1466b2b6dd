"""Loading: what is wrong is said, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.llama.native import Model
from palimpsest.errors import ContextTooLarge, EngineLoading, InvalidArgument, ModelError
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import CLOSE, difference, request, sync, text


def test_a_missing_file_is_named(make_core: MakeCore, tmp_path: Path) -> None:
    core = make_core(tmp_path / "none.gguf")
    health = core.health()
    assert health.state == "failed"
    assert health.error is not None
    assert health.error["code"] == "model"
    assert "none.gguf" in health.error["message"]
    assert health.error["hint"]
    with pytest.raises(ModelError):
        core.model()
    with pytest.raises(ModelError):
        core.sync(request([])).result()


@pytest.mark.parametrize("kept", [3, 100, 20_000, 400_000])
def test_a_file_cut_off_is_an_error(models: Callable[[str], Path], tmp_path: Path, kept: int) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(models("fim").read_bytes()[:kept])
    with pytest.raises(ModelError, match=r"cut\.gguf"):
        Model(path, n_gpu_layers=0, extra_bufts=False)


def test_a_file_of_another_kind_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "text.gguf"
    path.write_text("GGML is not GGUF")
    with pytest.raises(ModelError, match="not a GGUF file"):
        Model(path, n_gpu_layers=0, extra_bufts=False)
    with pytest.raises(ModelError):
        Model(tmp_path, n_gpu_layers=0, extra_bufts=False)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("embedding", "an embedding model"),
        ("reranker", "a reranker"),
        ("encoder", "an encoder"),
        ("adapter", "an adapter"),
        ("projector", "a projector for pictures"),
    ],
)
def test_a_file_that_does_not_write_text_is_said_to_be_what_it_is(make_core: MakeCore, kind: str, what: str) -> None:
    core = make_core(kind)
    health = core.health()
    assert (health.state, health.error and health.error["code"]) == ("failed", "model")
    assert health.error is not None
    assert what in health.error["message"]
    assert f"{kind}.gguf" in health.error["message"]
    assert "palimpsest model list" in health.error["hint"]


def test_the_cause_of_a_failed_load_is_told(models: Callable[[str], Path], tmp_path: Path) -> None:
    path = tmp_path / "unknown.gguf"
    raw = models("fim").read_bytes()
    path.write_bytes(raw.replace(b"qwen2", b"qwenX"))
    with pytest.raises(ModelError, match="qwenX"):
        Model(path, n_gpu_layers=0, extra_bufts=False)


def test_a_context_too_large_says_how_many_tokens_would_fit(make_engine: MakeEngine) -> None:
    with pytest.raises(ContextTooLarge) as caught:
        make_engine(n_ctx=1 << 20, memory_mb=8)
    fitting = caught.value.fitting
    assert 256 <= fitting < 1 << 20
    assert str(fitting) in str(caught.value)
    assert make_engine(n_ctx=fitting, memory_mb=8).sizes.n_ctx == fitting


def test_kv_bytes_are_what_llama_cpp_allocates(make_engine: MakeEngine) -> None:
    """2 layers, a KV head of 32: 64 numbers of K and of V for a cell."""
    engine = make_engine()
    assert engine.facts.kv_bytes(1000, "f32", "f32") == 1000 * 2 * 64 * 4
    assert engine.facts.kv_bytes(1000, "f16", "q8_0") == 1000 * 64 * 2 + 1000 * 64 * 34 // 32


def test_quantized_v_without_flash_attention_is_refused(make_engine: MakeEngine) -> None:
    with pytest.raises(InvalidArgument, match="flash attention"):
        make_engine(type_v="q8_0", flash_attention="off")


def test_the_default_context_is_what_the_model_was_trained_with(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=0)
    assert engine.sizes.n_ctx == engine.facts.n_ctx_train == 4096
    assert engine.loaded.info().in_place


@pytest.mark.parametrize("n_batch", [16, 33, 4096])
def test_any_micro_batch_works(make_engine: MakeEngine, n_batch: int) -> None:
    engine = make_engine(n_batch=n_batch, n_ctx=1024)
    sync(engine, [("a", text(1)), ("b", text(2))])
    assert difference(engine, engine.workspaces.open("w")) < CLOSE


def test_quantized_models_load_with_and_without_repacking(make_engine: MakeEngine) -> None:
    assert make_engine("fim-q8").loaded.info().settings["extra_bufts"] is False


def test_while_loading_requests_say_so(models: Callable[[str], Path]) -> None:
    core = EngineCore(models("fim"), EngineSettings())
    assert core.health().state == "loading"
    with pytest.raises(EngineLoading):
        core.count(["x"]).result()
    with pytest.raises(EngineLoading):
        core.model()
    core.stop()
