"""Whether a much edited cache still is what a fresh one is: the losses behind both.

In: a model file, held-out workspaces.  Out: losses of the same middles.  The edits go through the product's engine;
the fresh build is a second cache of the same model and settings, each block where the engine has it.

Attention adds up what it finds in the order of the cells, and with quantized weights llama.cpp rounds the activations
behind it: the same tokens at the same positions have other losses where they lie in other cells, with no edit at all,
by some thousandths.  So what edits do is told by a copy of the model with f32 weights, f32 K and V and no flash
attention; the file as it is stands beside it, and beside that two fresh builds that differ in the order of their cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench.measure.measure import with_f32_weights
from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.llama.native import Context, Run
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.prompt.blocks import FOOTER, HEADER
from training.examples import Workspace
from training.measures import cross_entropy
from training.prompt import Rows

N_CTX, N_BLOCKS, N_PREFIX, N_MIDDLE, ROWS = 4096, 8, 200, 100, 32
MAIN, SCRATCH, TAIL = 0, 1, 2


def random_edits(found: Sequence[Workspace], n: int, rng: Random) -> list[dict[str, str]]:
    """The blocks wanted after each of `n` edits, by key: one came, went, changed, or another order was asked for."""
    pool = [block for w in found for block in w.blocks]
    wanted: dict[str, str] = {}
    states = []
    for i in range(n):
        keys = list(wanted)
        match rng.choice(["come", "come", "change", "go", "order"]) if keys else "come":
            case "come":
                wanted = {**wanted, f"block {i}": rng.choice(pool)}
            case "go":
                wanted.pop(rng.choice(keys))
            case "change":
                key = rng.choice(keys)
                lines = wanted[key].split("\n")
                wanted[key] = "\n".join(rng.sample(lines, len(lines)))
            case "order":
                wanted = {key: wanted[key] for key in rng.sample(keys, len(keys))}
        wanted = dict(list(wanted.items())[-N_BLOCKS:])
        states.append(dict(wanted))
    return states


def measure(
    path: Path, found: Sequence[Workspace], n_middles: int, n_threads: int, n_edits: int = 100
) -> dict[str, Any] | None:
    """{"edits", "edited", "fresh", "difference", "weights", "as_shipped", "reordered"}; None for a model whose cache is
    not edited in place.  `weights`: "f32", or "the file's" where a copy would be too large.  `as_shipped`: the
    difference with the file as it is; `reordered`: that of two fresh builds of it."""
    exact = EngineSettings(
        n_ctx=N_CTX, extra_bufts="off", n_threads=n_threads, type_k="f32", type_v="f32", flash_attention="off"
    )
    shipped = EngineSettings(n_ctx=N_CTX, extra_bufts="off", n_threads=n_threads)
    with with_f32_weights(path) as (wide, is_widened):
        losses = both(wide, exact, found, n_middles, n_edits)
    usual = both(path, shipped, found, n_middles, n_edits)
    if losses is None or usual is None:
        return None
    rounded = {name: round(losses[name], 5) for name in ("edited", "fresh")}
    return {
        "edits": n_edits,
        **rounded,
        "difference": round(abs(losses["edited"] - losses["fresh"]), 6),
        "weights": "f32" if is_widened else "the file's",
        "as_shipped": round(abs(usual["edited"] - usual["fresh"]), 6),
        "reordered": round(abs(usual["reordered"] - usual["fresh"]), 6),
    }


def both(
    path: Path, settings: EngineSettings, found: Sequence[Workspace], n_middles: int, n_edits: int
) -> dict[str, float] | None:
    """Mean loss of the same middles behind the `edited` cache, a `fresh` one, and one with its cells `reordered`."""
    engine = NativeEngine(path, settings)
    fresh, other = (Context(engine.model, engine.loaded.params) for _ in range(2))
    try:
        workspace = engine.workspaces.open("edits")
        if not isinstance(workspace, InPlaceWorkspace):
            return None
        for state in random_edits(found, n_edits, Random(11)):
            blocks = [wire.WantedBlock(key, text) for key, text in state.items()]
            for _ in workspace.sync(wire.SyncRequest("edits", HEADER, FOOTER, blocks)):
                pass
        build(fresh, workspace)
        build(other, workspace, Random(12))
        edited = (engine.context, workspace.base.seq, engine.pool.take())
        caches = {"edited": edited, "fresh": (fresh, MAIN, TAIL), "reordered": (other, MAIN, TAIL)}
        losses: dict[str, list[Rows]] = {name: [] for name in caches}
        tails = [t for w in found for t in w.tails if t.layout == "spm"][:n_middles]
        for tail in tails:
            prefix = engine.model.tokenize(tail.prefix)[-N_PREFIX:]
            middle = engine.model.tokenize(tail.middle)[:N_MIDDLE]
            tokens = [*prefix, *middle]
            for name, (context, seq, free) in caches.items():
                rows = behind(context, seq, free, workspace.base.end, tokens[:-1])
                losses[name].append(cross_entropy(rows[-len(middle) :], middle)[0])
        return {name: float(np.concatenate(rows).mean()) for name, rows in losses.items()}
    finally:
        other.close()
        fresh.close()
        engine.close()


def behind(context: Context, seq: int, free: int, end: int, tokens: Sequence[int]) -> Rows:
    """Logits of every token behind what a sequence has, in a copy of it."""
    found: list[Rows] = []
    context.copy(seq, free)
    for i in range(0, len(tokens), ROWS):
        runs = [Run([t], end + i + j, free, logits=True) for j, t in enumerate(tokens[i : i + ROWS])]
        found += [row for row in context.decode(runs) if row is not None]
    context.remove(free)
    return np.stack(found)


def build(context: Context, workspace: InPlaceWorkspace, order: Random | None = None) -> None:
    """The same layout from scratch; the blocks in their own order or in another, which changes their cells alone."""

    def decode(tokens: Sequence[int], start: int, seq: int) -> None:
        for i in range(0, len(tokens), context.n_batch):
            context.decode([Run(tokens[i : i + context.n_batch], start + i, seq)])

    header, end = workspace.header, workspace.base.end
    decode(header, 0, MAIN)
    assert workspace.arena is not None
    blocks = [(r.tokens, r.span.start) for r in workspace.arena if r.attached]
    blocks.append((workspace.footer, end - len(workspace.footer)))
    if order is not None:
        order.shuffle(blocks)
    for tokens, start in blocks:
        decode([*header, *tokens], start - len(header), SCRATCH)
        context.copy(SCRATCH, MAIN, start, start + len(tokens))
        context.remove(SCRATCH)
