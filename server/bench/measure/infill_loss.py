"""What our layout of an infill costs in quality: the loss of the text typed next, here and in llama-server's order.

In: a model file, recorded `/infill` bodies in their order.  Out: sums as plain data.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.llama.native import Run
from palimpsest.engine.llama_server.completions.infill_layout import InfillLayout
from palimpsest.engine.llama_server.completions.samplers import most_probable
from palimpsest.engine.llama_server.completions.workspaces import chunk_workspace, plain_workspace
from palimpsest.engine.llama_server.requests.fields import Fields
from palimpsest.engine.llama_server.requests.infill import Infill, read
from palimpsest.engine.native_engine import NativeEngine

T = TypeVar("T")
KINDS = ("ours", "stock")


def typed_next(requests: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Infill, str]]:
    """Each request with the rest of its line as it was when the window changed; requests without a rest are left
    out."""
    asked = [read(Fields(body)) for body in requests]
    for i, infill in enumerate(asked):
        later = [
            other.prompt
            for other in asked[i + 1 :]
            if (other.prefix, other.suffix) == (infill.prefix, infill.suffix) and other.prompt.startswith(infill.prompt)
        ]
        if later and len(later[-1]) > len(infill.prompt):
            yield replace(infill, indentation=""), later[-1][len(infill.prompt) :]


def losses(path: Path, settings: EngineSettings, requests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`{"requests", "tokens", "ours", "stock", "ratio"}`: mean loss per token of the text typed next, with the same
    tokens in both layouts and without healing, which is no matter of the layout."""
    engine = NativeEngine(path, settings)
    try:
        layout = InfillLayout(engine)
        sums, n_tokens, n_requests = dict.fromkeys(KINDS, 0.0), 0, 0
        for infill, text in typed_next(requests):
            wanted = engine.model.tokenize(text)
            sums["ours"] += _ours(engine, layout, infill, wanted)
            sums["stock"] += _stock(engine, layout, infill, wanted)
            n_tokens += len(wanted)
            n_requests += 1
    finally:
        engine.close()
    mean = {kind: sums[kind] / max(1, n_tokens) for kind in KINDS}
    return {"requests": n_requests, "tokens": n_tokens, **mean, "ratio": mean["ours"] / (mean["stock"] or 1.0)}


def _ours(engine: NativeEngine, layout: InfillLayout, infill: Infill, wanted: Sequence[int]) -> float:
    if not engine.in_place:
        composed = layout.whole(infill, len(wanted), heal=False)
        return _loss(engine, plain_workspace(engine, 0), composed, wanted)
    workspace = chunk_workspace(engine, 0)
    _driven(workspace.attach(infill.chunks, "typing"))
    return _loss(engine, workspace, layout.tail(infill, len(wanted), heal=False), wanted)


def _stock(engine: NativeEngine, layout: InfillLayout, infill: Infill, wanted: Sequence[int]) -> float:
    composed = layout.whole(infill, len(wanted), heal=False, cut_as_stock=True)
    return _loss(engine, plain_workspace(engine, 0), composed, wanted)


def _loss(engine: NativeEngine, workspace: Any, composed: TailPrompt, wanted: Sequence[int]) -> float:
    with workspace.tail("measure") as tail:
        tail.snapshot(workspace.base, composed)
        start = _driven(tail.prepare(workspace.base, composed, reuse_answer=False))
        logits, total = start.logits, 0.0
        for i, token in enumerate(wanted):
            _, (value,) = most_probable(logits, [token], 0)
            total -= value
            (logits,) = engine.pool.decode([Run([token], start.position + i, start.seq, logits=True)], workspace)
            tail.note([token])
    return total


def _driven(work: Generator[None, None, T]) -> T:
    while True:
        try:
            next(work)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]


def bodies(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The requests of a recorded session's rows that ask for text."""
    asked = [row["request"] for row in rows if row.get("path") == "/infill"]
    return [body for body in asked if body.get("n_predict") != 0]
