"""Measures edit equivalence: random operations on a real cache, whose logits are compared with a fresh one's.

In: a model file, a number of operations, a seed.  Out: plain numbers for `python -m bench equivalence`.  The
operations are those of a day in an editor: blocks are written, changed, grown, removed, brought back, evicted to the
store, moved; the cursor comes back to places that it was at.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar, cast

import numpy as np

from bench.measure.equivalence import Reference, edited
from bench.measure.source import source
from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.arena.arena import Move
from palimpsest.engine.arena.plan import Plan
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.library import library
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError
from palimpsest.models.merge import widen

T = TypeVar("T")
EVERY = 10
N_BLOCKS = 7
MAX_CHARACTERS = 500
N_CTX = 2048
PROBE = "    def probe(self, value):\n        return"
KINDS = ("write", "change", "grow", "remove", "return", "evict", "move", "visit")
N_PLACES = 3
OTHERS = (("f32", "off"), ("f16", "off"), ("f16", "on"))
"""KV type and flash attention of what else is measured with the file's own weights, with fewer operations."""
MAX_WIDENED = 512 << 20
"""Bytes of a file of which a copy with f32 weights is made."""


def measure(path: Path, *, operations: int = 500, seed: int = 0) -> dict[str, Any]:
    """`max_logit_difference` over all comparisons, and `scale`, the least difference that another text in one block
    made (None: none was tried): with f32 KV and no flash attention, then, as `others`, what is usual.

    llama.cpp's quantized kernels round activations too, so that a sum in another order, as any other batch or
    cell makes it, comes out as different as the rounding is coarse, with no edit at all.  To see the edit and not
    that, the first figure is of a copy of the model with f32 weights (where the file is not too large; `weights`
    says).  Raises ModelError for a model whose cache cannot be edited in place.
    """
    fewer = max(3 * EVERY, operations // 10)
    with with_f32_weights(path) as (wide, widened):
        first = _Run(wide, "f32", "off", seed).measure(operations)
    others = [_Run(path, kind, flash, seed).measure(fewer) for kind, flash in OTHERS]
    weights = {True: "f32", False: "the file's"}
    return {
        **first,
        "weights": weights[widened],
        "model": others[0]["model"],
        "llama_cpp": library().api.version,
        "others": [{**other, "weights": weights[False]} for other in others],
    }


@contextmanager
def with_f32_weights(path: Path) -> Iterator[tuple[Path, bool]]:
    """A copy of the model with f32 weights while it is needed; the file itself, and False, where it is too large."""
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        wide = Path(folder) / "f32.gguf"
        if path.stat().st_size > MAX_WIDENED:
            yield path, False
            return
        widen(path, wide)
        yield wide, True


class _Run:
    """One configuration's: an engine of its own, and what is wanted of its only workspace."""

    def __init__(self, path: Path, kv_type: str, flash: str, seed: int) -> None:
        self._settings = EngineSettings(
            n_ctx=N_CTX, type_k=kv_type, type_v=kv_type, flash_attention=flash, extra_bufts="off", mode="auto"
        )
        self._path = path
        self._random = Random(seed)
        self._source = source()
        self._blocks: dict[str, str] = {}
        self._gone: dict[str, str] = {}
        self._counts = dict.fromkeys(KINDS, 0)
        self._places = [(self._text(MAX_CHARACTERS), self._text(MAX_CHARACTERS)) for _ in range(N_PLACES)]
        self._n_reused = 0

    def measure(self, operations: int) -> dict[str, Any]:
        engine = NativeEngine(self._path, self._settings)
        try:
            if not engine.in_place:
                raise ModelError(f"The cache of {engine.facts.name} is not edited in place: {engine.loaded.why_not}")
            reference = Reference(engine)
            try:
                largest, scale, compared = self._operate(engine, reference, operations)
            finally:
                reference.close()
            return {
                "operations": operations,
                "max_logit_difference": largest,
                "scale": scale if np.isfinite(scale) else None,
                "kv_type": self._settings.type_k,
                "flash_attention": self._settings.flash_attention == "on",
                "compared": compared,
                "kinds": dict(self._counts),
                "kept_at_places": self._n_reused,
                "model": engine.facts.name,
            }
        finally:
            engine.close()

    def _operate(self, engine: NativeEngine, reference: Reference, operations: int) -> tuple[float, float, int]:
        workspace = engine.workspaces.open("measure")
        assert isinstance(workspace, InPlaceWorkspace)
        tail = engine.model.tokenize(PROBE)
        largest, scale, compared = 0.0, float("inf"), 0
        for i in range(operations):
            if self._one(workspace) == "visit" and engine.facts.fim is not None:
                largest = max(largest, self._visit(engine, workspace, reference))
            if i % EVERY == EVERY - 1 or i == operations - 1:
                here = edited(engine, workspace, tail)
                largest = max(largest, float(np.abs(here - reference.logits(workspace, tail)).max()))
                other = _with_another_text(workspace)
                if other and compared % 4 == 0:
                    moved = reference.logits_of(workspace, other, tail)
                    scale = min(scale, float(np.abs(here - moved).max()))
                compared += 1
        return largest, scale, compared

    def _one(self, workspace: InPlaceWorkspace) -> str:
        """One operation, of a kind that is possible now; which one."""
        random, blocks = self._random, self._blocks
        key = random.choice([*blocks, f"block:{random.randrange(2 * N_BLOCKS)}"])
        kind = random.choice(KINDS) if key in blocks else "write"
        if kind == "write" and key not in blocks and len(blocks) >= N_BLOCKS:
            kind, key = "remove", random.choice(list(blocks))
        self._counts[kind] += 1
        match kind:
            case "write":
                blocks[key] = self._text(MAX_CHARACTERS)
            case "change":
                at = random.randrange(len(blocks[key]))
                blocks[key] = blocks[key][:at] + random.choice(["x", " = None\n", "é"]) + blocks[key][at + 3 :]
            case "grow":
                blocks[key] = (blocks[key] + self._text(120))[-2 * MAX_CHARACTERS :]
            case "remove":
                self._gone = {key: blocks.pop(key)}
            case "return":
                blocks.update(self._gone)
            case "evict":
                self._gone = {key: blocks.pop(key)}
        self._sync(workspace)
        if kind == "evict":
            workspace.shrink(workspace.sizes.n_ctx, attached=False)
        elif kind == "move":
            _move(workspace, key)
        return kind

    def _visit(self, engine: NativeEngine, workspace: InPlaceWorkspace, reference: Reference) -> float:
        """Be at one of the places, type a little there, and be at it again after another one: the difference there."""
        at = self._random.randrange(N_PLACES)
        there, (prefix, suffix) = self._places[at - 1], self._places[at]
        typed = (prefix, suffix), there, (prefix + self._text(30), suffix)
        self._places[at] = typed[-1][0][-MAX_CHARACTERS:], suffix
        largest = 0.0
        for before, behind in typed:
            fim = wire.FimTail(before, behind, heal=False)
            request = wire.GenerateRequest(workspace.name, fim=fim, max_tokens=0)
            work = generate(engine.generator, workspace, request, None)
            self._n_reused += done(work).reused
            tail = workspace.tails["typing"]
            if tail.prompt is not None and tail.logits is not None and tail.prompt.layout != "isolated":
                fresh = reference.logits_behind(workspace, tail.prompt)
                largest = max(largest, float(np.abs(tail.logits - fresh).max()))
        return largest

    def _sync(self, workspace: InPlaceWorkspace) -> None:
        wanted = [wire.WantedBlock(key, text) for key, text in self._blocks.items()]
        self._random.shuffle(wanted)
        done(workspace.sync(wire.SyncRequest(workspace.name, "<workspace>\n", "</workspace>\n", wanted)))

    def _text(self, longest: int) -> str:
        size = self._random.randrange(20, longest)
        at = self._random.randrange(len(self._source) - size)
        return self._source[at : at + size]


def done(work: Generator[None, None, T]) -> T:
    """Run a job to its end."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast(T, end.value)


def _move(workspace: InPlaceWorkspace, key: str) -> None:
    """To another place, when there is one: a K-shift with no need for it."""
    arena = workspace.arena
    assert arena is not None
    if key not in arena:
        return
    resident = arena[key]
    span = arena.find(resident.n_tokens)
    if span is None:
        return
    step = Move(key, resident.span, span, resident.n_tokens)
    done(workspace.carry_out(Plan((step,), (), arena, arena.tick + 1)))


def _with_another_text(workspace: InPlaceWorkspace) -> list[tuple[tuple[int, ...], int]]:
    """The attached blocks, the longest one's tokens turned around."""
    assert workspace.arena is not None
    attached = [r for r in workspace.arena if r.attached]
    if not attached:
        return []
    longest = max(attached, key=lambda r: r.n_tokens)
    return [(r.tokens[::-1] if r is longest else r.tokens, r.span.start) for r in attached]
