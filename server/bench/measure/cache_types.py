"""What the types of K and V cost and change: bytes a token, and next-token logits compared with f32.

In: a model file, a number of positions.  Out: plain numbers for `python -m bench cache-types`.  The layout is the
engine's own: header, blocks of real code, footer, and a tail whose next token is asked for at every position.  Then the
blocks are moved back and forth and the same is asked again, since each K-shift rounds a quantized K anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.measure.measure import with_f32_weights
from bench.measure.source import source
from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.llama.native import Run
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError

N_CTX = 2048
N_BLOCKS, BLOCK_CHARACTERS = 6, 600
DISTANCE = 32
ROWS = 32
"""Positions whose logits come from one micro-batch."""


class Types(NamedTuple):
    k: str
    v: str
    flash: str


REFERENCE = Types("f32", "f32", "off")
TYPES = (
    Types("f16", "f16", "off"),
    Types("f16", "f16", "on"),
    Types("f16", "bf16", "off"),
    Types("bf16", "bf16", "off"),
    Types("q8_0", "f16", "off"),
    Types("q8_0", "q8_0", "on"),
    Types("q5_1", "q5_1", "on"),
    Types("q5_0", "q5_0", "on"),
    Types("q4_1", "q4_1", "on"),
    Types("q4_0", "f16", "off"),
    Types("q4_0", "q4_0", "on"),
)
Rows = npt.NDArray[np.float32]
"""Positions × vocabulary."""


def measure(path: Path, *, positions: int = 128, shifts: int = 20) -> dict[str, Any]:
    """Each of TYPES against REFERENCE, on a copy of the model with f32 weights where the file is not too large
    (`weights`): with others the rounding of activations hides what the cache does.

    Raises ModelError for a model that has no K and V.
    """
    with with_f32_weights(path) as (wide, widened):
        reference, shifted, first = _measured(wide, REFERENCE, positions, shifts)
        rows = [_row(first, reference, reference, shifted)]
        for types in TYPES:
            try:
                rows.append(_row(*_compared(wide, types, positions, shifts, reference)))
            except ModelError as error:
                rows.append({"type_k": types.k, "type_v": types.v, "flash_attention": types.flash, "error": str(error)})
    facts = {name: first[name] for name in ("model", "context_tokens")}
    return {
        **facts,
        "weights": "f32" if widened else "the file's",
        "positions": len(reference),
        "shifts": shifts if first["in_place"] else 0,
        "types": rows,
    }


def _compared(
    path: Path, types: Types, positions: int, shifts: int, reference: Rows
) -> tuple[dict[str, Any], Rows, Rows, Rows | None]:
    rows, shifted, facts = _measured(path, types, positions, shifts)
    return facts, reference, rows, shifted


def _row(facts: dict[str, Any], reference: Rows, rows: Rows, shifted: Rows | None) -> dict[str, Any]:
    return {
        **{name: facts[name] for name in ("type_k", "type_v", "flash_attention", "bytes_per_token")},
        **_difference(reference, rows),
        "after_shifts": None if shifted is None else _difference(reference, shifted),
    }


def _difference(reference: Rows, rows: Rows) -> dict[str, float]:
    """Of logits, over all positions and the whole vocabulary, and how often another token comes first."""
    apart = np.abs(rows - reference)
    changed = reference.argmax(axis=1) != rows.argmax(axis=1)
    return {
        "max_difference": float(apart.max()),
        "mean_difference": float(apart.mean()),
        "top_changed": float(changed.mean()),
    }


def _measured(path: Path, types: Types, positions: int, shifts: int) -> tuple[Rows, Rows | None, dict[str, Any]]:
    """Logits as decoded, and after the blocks were moved (None where they cannot be), and facts of the engine."""
    settings = EngineSettings(
        n_ctx=N_CTX, type_k=types.k, type_v=types.v, flash_attention=types.flash, extra_bufts="off", store_mb=0
    )
    engine = NativeEngine(path, settings)
    try:
        if engine.facts.state_only:
            raise ModelError(f"{engine.facts.name} is a recurrent model: it has no K and V.")
        if not engine.in_place and not engine.facts.why_not:  # the reference is, and another layout is another context
            raise ModelError(engine.loaded.why_not)
        workspace = engine.workspaces.open("measure")
        text = source()
        blocks = [
            wire.WantedBlock(f"file:{i}", text[i * BLOCK_CHARACTERS : (i + 1) * BLOCK_CHARACTERS])
            for i in range(N_BLOCKS)
        ]
        for _ in workspace.sync(wire.SyncRequest("measure", "<workspace>\n", "</workspace>\n", blocks)):
            pass
        room = min(positions, engine.sizes.tail_room)
        tail = engine.model.tokenize(text[N_BLOCKS * BLOCK_CHARACTERS :][: 16 * positions])[:room]
        rows, shifted = _rows(engine, workspace, tail), None
        if isinstance(workspace, InPlaceWorkspace):
            _shift(engine, workspace, shifts)
            shifted = _rows(engine, workspace, tail)
        return rows, shifted, _facts(engine, workspace, types)
    finally:
        engine.close()


def _facts(engine: NativeEngine, workspace: Workspace, types: Types) -> dict[str, Any]:
    return {
        "model": engine.facts.name,
        "in_place": engine.in_place,
        "context_tokens": workspace.context_tokens,
        "type_k": types.k,
        "type_v": types.v,
        "flash_attention": types.flash,
        "bytes_per_token": engine.facts.kv_bytes(1, types.k, types.v),
    }


def _rows(engine: NativeEngine, workspace: Workspace, tail: list[int]) -> Rows:
    base, context = workspace.base, engine.context
    seq = engine.pool.take()
    found: list[Rows] = []
    try:
        context.copy(base.seq, seq)
        for i in range(0, len(tail), ROWS):
            runs = [Run([token], base.end + i + j, seq, logits=True) for j, token in enumerate(tail[i : i + ROWS])]
            found += [row for row in context.decode(runs) if row is not None]
    finally:
        engine.pool.give(seq)
    return np.stack(found)


def _shift(engine: NativeEngine, workspace: InPlaceWorkspace, times: int) -> None:
    """Move all blocks to and fro; an even number of times leaves them where they were."""
    assert workspace.arena is not None
    start, end = len(workspace.header), max(resident.span.end for resident in workspace.arena)
    assert end + DISTANCE <= workspace.arena.span.end, "no room to move"
    for i in range(times + times % 2):
        at, by = (0, DISTANCE) if i % 2 == 0 else (DISTANCE, -DISTANCE)
        engine.context.shift(workspace.resident_seq, start + at, end + at, by)
        engine.pool.apply_shifts()
