"""Engines over small real models; f32 KV and no flash attention, so that logits can be compared closely.

A test that asks for an engine gets one that is loaded already, where another test gave one of the same model and
settings back.  What cannot be given back is the test's own: an engine whose context is the test's (`make_context`), one
with a store on disk, and one that is asked for with `own=True`, to be closed or changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.llama import library
from palimpsest.errors import EngineUnavailable
from palimpsest.libraries.locate import installed
from palimpsest.models.files import embedded
from palimpsest.models.merge import widen
from tests.models import written
from tests.native.helpers import TestedEngine, forget

# what is compared here is compared closely: on a GPU Vulkan multiplies in f16 otherwise
for switch in ("F16", "COOPMAT", "COOPMAT2"):
    os.environ.setdefault(f"GGML_VK_DISABLE_{switch}", "1")
# not the one that whoever runs the tests has fetched
TESTED = os.environ.get("PALIMPSEST_TESTED_LIBRARY", "")
library.choose(TESTED or str(next(installed()).file))

MakeCore: TypeAlias = Callable[..., EngineCore]
MakeEngine: TypeAlias = Callable[..., TestedEngine]

CLOSE: dict[str, Any] = {
    "n_ctx": 4096,
    "n_batch": 128,
    "n_threads": 1,
    "type_k": "f32",
    "type_v": "f32",
    "flash_attention": "off",
    "extra_bufts": "off",
}
MOST_AT_REST = 12
"""Engines that wait for a next test: each takes some five megabytes, the embedded one fifty."""

L = TypeVar("L")


class AtRest(Generic[L]):
    """What is loaded and used by no test, by what it was made from; of too many, what was used longest ago is closed.

    `reset` makes it what it was when it was loaded, and raises AssertionError where its cache is not sound.
    """

    def __init__(self, reset: Callable[[L], object], close: Callable[[L], None]) -> None:
        self._reset, self._close = reset, close
        self._at_rest: list[tuple[object, L]] = []

    def take(self, made_from: object, make: Callable[[], L]) -> L:
        for i, (other, loaded) in enumerate(self._at_rest):
            if other == made_from:
                del self._at_rest[i]
                return loaded
        return make()

    def give_back(self, made_from: object, loaded: L) -> None:
        """Fails the test that left it in disorder; the next one gets another then."""
        try:
            self._reset(loaded)
        except BaseException:
            self._close(loaded)
            raise
        self._at_rest.append((made_from, loaded))
        if len(self._at_rest) > MOST_AT_REST:
            self._close(self._at_rest.pop(0)[1])

    def close(self) -> None:
        for _, loaded in self._at_rest:
            self._close(loaded)


def forget_all(core: EngineCore) -> None:
    assert not core.n_waiting, "a job is still under way"
    core.call(forget).result()


@pytest.fixture(scope="session", autouse=bool(TESTED))
def tested_library(request: pytest.FixtureRequest) -> None:
    try:
        library.library()
    except EngineUnavailable as error:
        request.session.shouldstop = f"PALIMPSEST_TESTED_LIBRARY: {error}"
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def engines() -> Iterator[AtRest[TestedEngine]]:
    at_rest = AtRest[TestedEngine](forget, TestedEngine.close)
    yield at_rest
    at_rest.close()


@pytest.fixture(scope="session")
def cores() -> Iterator[AtRest[EngineCore]]:
    at_rest = AtRest[EngineCore](forget_all, EngineCore.stop)
    yield at_rest
    at_rest.close()


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The path of a model of a kind, written once a session.  `embedded` is the product's own, `embedded-f32` the same
    with weights that do not round otherwise in a larger batch."""
    folder = tmp_path_factory.mktemp("models")

    def model(kind: str) -> Path:
        if kind == "embedded":
            return embedded()
        path = folder / "embedded-f32.gguf"
        if kind == path.stem:
            if not path.exists():
                widen(embedded(), path)
            return path
        return written(kind, folder)

    return model


@pytest.fixture
def make_engine(models: Callable[[str], Path], engines: AtRest[TestedEngine]) -> Iterator[MakeEngine]:
    """`make_engine(kind, **settings)`: a loaded engine, on the test's own thread."""
    with ExitStack() as ending:

        def make(kind: str = "fim", *, make_context: Any = None, own: bool = False, **settings: Any) -> TestedEngine:
            extra = {"make_context": make_context} if make_context else {}

            def load() -> TestedEngine:
                return TestedEngine(models(kind), EngineSettings(**{**CLOSE, **settings}), **extra)

            if own or make_context or settings.get("disk_mb"):
                engine = load()
                ending.callback(engine.close)
            else:
                made_from = kind, settings
                engine = engines.take(made_from, load)
                ending.callback(engines.give_back, made_from, engine)
            return engine

        yield make


@pytest.fixture
def make_core(models: Callable[[str], Path], cores: AtRest[EngineCore]) -> Iterator[MakeCore]:
    """`make_core(kind, **settings)`: a core whose model is loaded, or has failed to."""
    with ExitStack() as ending:

        def make(
            kind: str | Path = "fim",
            *,
            make_context: Any = None,
            idle_after_s: float = 20.0,
            **settings: Any,
        ) -> EngineCore:
            extra = {"make_context": make_context} if make_context else {}

            def load() -> EngineCore:
                path = kind if isinstance(kind, Path) else models(kind)
                core = EngineCore(path, EngineSettings(**{**CLOSE, **settings}), idle_after_s=idle_after_s, **extra)
                core.start()
                while core.health().state == "loading":
                    time.sleep(0.005)
                return core

            own, made_from = make_context or settings.get("disk_mb"), (kind, settings)
            core = load() if own else cores.take(made_from, load)
            if own or core.health().state != "ready":
                ending.callback(core.stop)
            else:
                ending.callback(cores.give_back, made_from, core)
            return core

        yield make
