"""What tests of the cache and of generation say often."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import pytest

from bench.measure.equivalence import Reference, edited
from palimpsest import wire
from palimpsest.engine.cache.pace import Pace
from palimpsest.engine.cache.pool import STATS
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.check import check as check_request
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.native_engine import NativeEngine
from tests.sources import recorded

T = TypeVar("T")


class TestedEngine(NativeEngine):
    """An engine with a second cache beside it, in which layouts are built from scratch."""

    __test__ = False

    @cached_property
    def reference(self) -> Reference:
        return Reference(self)

    def close(self) -> None:
        if "reference" in self.__dict__:
            self.reference.close()
        super().close()


def forget(engine: NativeEngine) -> None:
    """Make it what it was when it was loaded.  Raises AssertionError where its cache is not sound."""
    engine.workspaces.check()
    # no door: only who named a workspace asks what is stored of it
    for name in {*engine.workspaces, *engine.store._noted}:
        engine.workspaces.reset(name)
    engine.workspaces.check()
    assert (engine.pool.used_cells, engine.store.bytes) == (0, 0), "something belongs to nobody"
    engine.pool.stats = dict.fromkeys(STATS, 0)
    engine.pool.pace = Pace()


LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
"""Whether what is random goes on for longer."""
HEADER, FOOTER = "<workspace>\n", "</workspace>\n"
CLOSE = 0.01 if re.search("vulkan|cuda|metal", os.environ.get("PALIMPSEST_TESTED_LIBRARY", "")) else 0.001
"""Logits.  A GPU computes batches of other sizes by other ways: 0.0025 was seen on Mesa's software driver."""
PROBE = "    def probe(self, value):\n        return value"


def text(i: int, size: int = 300) -> str:
    """A piece of real source, another for each i."""
    return recorded()[i * 311 : i * 311 + size]


def sized(engine: NativeEngine, n_tokens: int, i: int = 0) -> str:
    """A piece of real source of exactly so many tokens."""
    piece = text(i, 8 * n_tokens)
    while (n := len(engine.model.tokenize(piece))) != n_tokens:
        piece = piece[: len(piece) - max(1, n - n_tokens)] if n > n_tokens else piece + " x"
    return piece


def request(blocks: Sequence[tuple[str, str]], workspace: str = "w", **others: object) -> wire.SyncRequest:
    wanted = [wire.WantedBlock(key, content) for key, content in blocks]
    return wire.SyncRequest(workspace, HEADER, FOOTER, wanted, **others)  # type: ignore[arg-type]


def done(work: Generator[None, None, T]) -> T:
    """Run a job's generator to its end."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def sync(engine: NativeEngine, blocks: Sequence[tuple[str, str]], workspace: str = "w") -> wire.SyncAnswer:
    return done(engine.workspaces.open(workspace).sync(request(blocks, workspace)))


def ask(engine: NativeEngine, what: wire.GenerateRequest) -> wire.GenerateAnswer:
    """As the core does it, on this thread."""
    check_request(what)
    return done(generate(engine.generator, engine.workspaces.open(what.workspace), what, None))


def difference(engine: NativeEngine, workspace: Workspace, probe: str = PROBE) -> float:
    """The largest difference in next-token logits between the cache as it is and a fresh one."""
    tail = engine.model.tokenize(probe)
    assert isinstance(engine, TestedEngine)
    return float(np.abs(edited(engine, workspace, tail) - engine.reference.logits(workspace, tail)).max())


def fim(prefix: str, suffix: str = "\n", **others: object) -> wire.GenerateRequest:
    layout, heal = others.pop("layout", "spm"), others.pop("heal", True)
    tail = wire.FimTail(prefix, suffix, layout, heal)  # type: ignore[arg-type]
    return wire.GenerateRequest("w", fim=tail, **{"max_tokens": 8, **others})  # type: ignore[arg-type]


def about(choice: wire.Choice) -> wire.Choice:
    """Equal to the same choice with probabilities that differ as micro-batches of other sizes do."""
    sure = [(n, pytest.approx(probability, abs=2e-3)) for n, probability in choice.sure]
    return replace(choice, logprob=pytest.approx(choice.logprob, abs=1e-3), sure=sure)
