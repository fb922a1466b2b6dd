"""Engines over small real models; f32 KV and no flash attention, so that logits can be compared closely."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.core.core import EngineCore
from palimpsest.kv.engine import NativeEngine
from tests.models import written
from tests.native.helpers import TestedEngine

MakeCore: TypeAlias = Callable[..., EngineCore]
MakeEngine: TypeAlias = Callable[..., NativeEngine]

CLOSE: dict[str, Any] = {
    "n_ctx": 4096,
    "n_batch": 128,
    "n_threads": 1,
    "type_k": "f32",
    "type_v": "f32",
    "flash_attention": "off",
    "extra_bufts": "off",
}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The path of a model of a kind, written once a session."""
    folder = tmp_path_factory.mktemp("models")
    return lambda kind: written(kind, folder)


@pytest.fixture
def make_engine(models: Callable[[str], Path]) -> Iterator[MakeEngine]:
    """`make_engine(kind, **settings)`: a loaded engine, on the test's own thread."""
    made: list[NativeEngine] = []

    def make(kind: str = "fim", *, make_context: Any = None, **settings: Any) -> NativeEngine:
        extra = {"make_context": make_context} if make_context else {}
        engine = TestedEngine(models(kind), EngineSettings(**{**CLOSE, **settings}), **extra)
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def make_core(models: Callable[[str], Path]) -> Iterator[MakeCore]:
    """`make_core(kind, **settings)`: a core whose model is loaded."""
    made: list[EngineCore] = []

    def make(
        kind: str | Path = "fim",
        *,
        wait: bool = True,
        make_context: Any = None,
        save_after_s: float = 20.0,
        **settings: Any,
    ) -> EngineCore:
        path = kind if isinstance(kind, Path) else models(kind)
        extra: dict[str, Any] = {"make_context": make_context} if make_context else {}
        extra["save_after_s"] = save_after_s
        core = EngineCore(path, EngineSettings(**{**CLOSE, **settings}), **extra)
        made.append(core)
        core.start()
        while wait and core.health().state == "loading":
            time.sleep(0.005)
        return core

    yield make
    for core in made:
        core.stop()
