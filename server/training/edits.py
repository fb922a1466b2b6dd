"""Whether a much edited cache still is what a fresh one is: the losses behind both.

In: a model file, held-out workspaces.  Out: two losses of the same middles.  The edits go through the product's engine;
the fresh build is made by `arena`, each block where the engine has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from palimpsest import wire
from palimpsest.kv.cache.engine import Engine
from palimpsest.kv.cache.in_place import InPlaceWorkspace
from palimpsest.kv.llama.native import Run
from palimpsest.prompt.blocks import FOOTER, HEADER
from palimpsest.settings import EngineSettings
from training.arena import Arena
from training.examples import Workspace
from training.measures import cross_entropy
from training.prompt import Rows

N_CTX, N_BLOCKS, N_TAIL, ROWS = 4096, 8, 400, 32


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


def measure(path: Path, found: Sequence[Workspace], n_edits: int = 100, n_middles: int = 12) -> dict[str, Any] | None:
    """{"edits", "edited", "fresh", "difference"}; None for a model whose cache is not edited in place."""
    engine = Engine(path, EngineSettings(n_ctx=N_CTX, extra_bufts="off"))
    arena = Arena(path)
    try:
        workspace = engine.workspace("edits")
        if not isinstance(workspace, InPlaceWorkspace):
            return None
        for state in random_edits(found, n_edits, Random(11)):
            blocks = [wire.WantedBlock(key, text) for key, text in state.items()]
            for _ in workspace.sync(wire.SyncRequest("edits", HEADER, FOOTER, blocks)):
                pass
        tails = [t for w in found for t in w.tails if t.layout == "spm"][:n_middles]
        texts = [(arena.tokens(t.prefix), arena.tokens(t.middle)) for t in tails]
        build(arena, workspace)
        losses = {"edited": list[Rows](), "fresh": list[Rows]()}
        for prefix, middle in texts:
            tokens, n = [*prefix, *middle][-N_TAIL:], len(middle)
            end = workspace.base.end
            arena.cut_back(end)
            fresh = arena.decode(tokens[:-1], end, n)
            for name, rows in (("edited", edited(engine, workspace, tokens[:-1])[-n:]), ("fresh", fresh)):
                losses[name].append(cross_entropy(rows, middle)[0])
        mean = {name: float(np.concatenate(rows).mean()) for name, rows in losses.items()}
        difference = round(abs(mean["edited"] - mean["fresh"]), 6)
        return {"edits": n_edits, **{k: round(v, 5) for k, v in mean.items()}, "difference": difference}
    finally:
        arena.close()
        engine.close()


def edited(engine: Engine, workspace: InPlaceWorkspace, tokens: Sequence[int]) -> Rows:
    """Logits of every token behind what the engine has attached."""
    base, context, found = workspace.base, engine.context, []
    seq = engine.take()
    try:
        context.copy(base.seq, seq)
        for i in range(0, len(tokens), ROWS):
            runs = [Run([t], base.end + i + j, seq, logits=True) for j, t in enumerate(tokens[i : i + ROWS])]
            found += [row for row in context.decode(runs) if row is not None]
    finally:
        engine.give(seq)
    return np.stack(found)


def build(arena: Arena, workspace: InPlaceWorkspace) -> None:
    """The same layout from scratch."""
    header, end = list(workspace.header), workspace.base.end
    arena.clear()
    arena.decode(header, 0)
    assert workspace.arena is not None
    blocks = [(list(r.tokens), r.span.start) for r in workspace.arena if r.attached]
    for tokens, start in [*blocks, (list(workspace.footer), end - len(workspace.footer))]:
        arena.put(header, tokens, start)
