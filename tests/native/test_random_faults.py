"""Whatever fails on the way, in whatever order: what is in the cache is what is noted of it, and no more is held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.engine.generation.batch import generate_batch
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.native import Context, Logits
from palimpsest.errors import EngineError, UnknownTail
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, LONG, TestedEngine, difference, fim, request, text

WORKSPACES = ("one", "two", "three")
CODES = (1, 2, -1, -2, -3)


class Faulty(Context):
    """Fails where it is told to: a decode as llama.cpp does, or memory that runs out before, in or after a call."""

    fault: str = ""
    after = times = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.struck = Counter[str]()

    def set(self, fault: str, after: int = 0, times: int = 1) -> None:
        self.fault, self.after, self.times = fault, after, times

    def call(self, batch: Any) -> int:
        if not self._struck("decode"):
            if self._struck("memory in decode"):
                super().call(batch)
                raise MemoryError
            return super().call(batch)
        code = int(self.fault.split()[1])
        if code == 2 or code < -1:  # part of the batch stays
            batch.n_tokens = max(1, batch.n_tokens // 2)
            super().call(batch)
        return code

    def _logits(self, row: int) -> Logits:
        if self._struck("memory for logits"):
            raise MemoryError
        # no door: llama.cpp is not known to run out of memory there
        return super()._logits(row)

    def save(self, seq: int) -> bytearray:
        if self._struck("memory in save"):
            raise MemoryError
        return super().save(seq)

    def load(self, seq: int, data: Any, start: int, n_tokens: int) -> bool:
        if self._struck("memory in load"):
            raise MemoryError
        return super().load(seq, data, start, n_tokens)

    def _struck(self, where: str) -> bool:
        if not self.fault.startswith(where):
            return False
        self.after -= 1
        if self.after >= 0 or self.times <= 0:
            return False
        self.times -= 1
        self.struck[self.fault] += 1
        return True


PLACES = ("memory in decode", "memory for logits", "memory in save", "memory in load")
FAULTS = (*(f"decode {code}" for code in CODES), *PLACES)


class Play:
    """Random requests of several windows on one engine: some fail, some are left in the middle and taken up later."""

    def __init__(self, engine: TestedEngine, seed: int) -> None:
        self.engine, self.random = engine, Random(seed)
        self.left: list[Generator[None, None, Any]] = []
        self.seen = Counter[str]()
        assert isinstance(engine.context, Faulty)
        self.context = engine.context

    def blocks(self) -> list[tuple[str, str]]:
        random = self.random
        keys = random.sample(range(8), random.randrange(5))
        return [(f"k{key}", text(key, random.choice([60, 200, 350])) + random.choice(["", "# new\n"])) for key in keys]

    def work(self) -> Generator[None, None, Any]:
        """A job, marked as one for as long as it goes on."""
        engine, random, name = self.engine, self.random, self.random.choice(WORKSPACES)
        sync = request(self.blocks(), name)
        if random.random() < 0.4:
            return self._active(name, lambda: engine.workspaces.open(name).sync(sync))
        if random.random() < 0.25:
            return self._copies(name)
        prefix = "def f(self):\n    " + text(random.randrange(6), random.randrange(10, 300))
        layout = random.choice(["spm", "isolated", "psm"])
        wanted = fim(prefix, text(random.randrange(6), 100), layout=layout, n=random.choice([1, 1, 3]), max_tokens=5)
        wanted = replace(wanted, workspace=name, sync=random.choice([None, sync]), word_search=random.choice([0, 4]))
        if random.random() < 0.3:
            wanted = replace(wanted, fim=None, text=wire.TextTail(prefix), slot="suggestion", tail="", draft=4)
        return generate(engine.generator, engine.workspaces.open(name), wanted, None)

    def _copies(self, name: str) -> Generator[None, None, Any]:
        """Copies of a tail where there is one, and requests of their own side by side."""
        engine, random = self.engine, self.random
        workspace, names = engine.workspaces.open(name), ["copy 0", "copy 1"]
        with workspace.active(), suppress(UnknownTail):
            workspace.tails.fork(
                random.choice([tail for tail in workspace.tails if tail not in names] or ["none"]), names
            )
            self.seen["forked"] += 1
        asked = [
            wire.GenerateRequest(name, text=wire.TextTail(text(random.randrange(6), 150)), tail=copy, max_tokens=4)
            for copy in names
        ]
        answer = yield from generate_batch(engine.generator, workspace, wire.BatchRequest(name, asked))
        self.seen["answered side by side"] += 1
        return answer

    def _active(self, name: str, work: Callable[[], Generator[None, None, Any]]) -> Generator[None, None, Any]:
        with self.engine.workspaces.open(name).active():
            return (yield from work())

    def step(self) -> None:
        random = self.random
        if self.context.times <= 0:
            self.context.set(random.choice(FAULTS), random.randrange(8), random.choice([1, 1, 8]))
        kind = random.choice(["run", "run", "run", "leave", "leave", "close", "resume", "reset", "end"])
        self.seen[kind] += 1
        try:
            if kind in ("run", "leave"):
                job = self.work()
                if self._goes(job, None if kind == "run" else random.randrange(1, 6)):
                    self.left.append(job)
            elif kind in ("close", "resume") and self.left:
                job = self.left.pop(random.randrange(len(self.left)))
                job.close() if kind == "close" else self._goes(job, None)
            elif kind in ("reset", "end") and random.random() < 0.5:
                name = random.choice(WORKSPACES)
                if name in self.engine.workspaces and not self.engine.workspaces[name].busy:
                    self.engine.workspaces.reset(name) if kind == "reset" else self.engine.workspaces.close(name)
        except (EngineError, MemoryError) as error:
            self.seen[type(error).__name__] += 1

    @staticmethod
    def _goes(job: Iterator[None], n: int | None) -> bool:
        """So many steps, or to its end; whether there is more of it."""
        while n is None or n > 0:
            if next(job, job) is job:
                return False
            n = None if n is None else n - 1
        return True

    def end_suspended(self) -> bool:
        if not self.left:
            return False
        self.seen["ended"] += 1
        self.left.pop(0).close()
        return True

    def check(self) -> None:
        """With jobs in the middle of their work, only what needs none of them to be at rest."""
        self.context.check()
        for workspace in self.engine.workspaces.values():
            workspace.check()
        if not self.left:
            self.engine.workspaces.check()


@pytest.mark.parametrize(("seed", "n_ctx"), [(1, 1024), (2, 1024), (3, 4096)])
def test_after_random_failures_the_cache_equals_a_fresh_one(make_engine: MakeEngine, seed: int, n_ctx: int) -> None:
    engine = make_engine(n_ctx=n_ctx, n_batch=64, make_context=Faulty)
    play = Play(engine, seed)
    engine.pool.end_suspended = play.end_suspended
    for step in range(1000 if LONG else 100):
        play.step()
        play.check()
        if step % 5 == 0:
            while play.end_suspended():
                pass
            play.check()
            play.context.set("", times=0)
            for workspace in engine.workspaces.values():
                if workspace.ready:
                    assert difference(engine, workspace) < CLOSE, f"step {step}: {workspace.name}"
    assert len(play.context.struck) > 4, play.context.struck
    assert play.seen["DecodeError"] + play.seen["MemoryError"] > 3
    assert play.seen["answered side by side"] > 0, play.seen
    play.context.set("", times=0)
    while play.end_suspended():
        pass
    for name in list(engine.workspaces):
        engine.workspaces.close(name)
    assert (engine.pool.used_cells, engine.pool.free_sequences) == (0, engine.context.n_seq_max - engine.in_place)
