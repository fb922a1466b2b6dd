"""The completions of an infill and other lines, in the order that the code behind the cursor gives them.

In: what was generated, and its prompt in the cache.  Out: as many completions as are asked for, best first.  Yields
before each micro-batch.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from palimpsest import wire
from palimpsest.completion.choice import order
from palimpsest.kv.cache.tail import Start, Tail
from palimpsest.kv.cache.workspace import Workspace
from palimpsest.kv.engine import NativeEngine
from palimpsest.kv.generation.branch import TokenChooser
from palimpsest.kv.generation.review import Review, Said
from palimpsest.llama_server.completions.alternatives import Alternative
from palimpsest.llama_server.completions.outcome import Done
from palimpsest.llama_server.requests.params import Params

MOST_TOKENS = 64
"""Of a line."""


def reviewed(
    engine: NativeEngine,
    params: Params,
    workspace: Workspace,
    tail: Tail,
    start: Start,
    piece: bytes,
    fim: wire.FimTail,
    first: Alternative,
    dones: Sequence[Done],
    begins: str,
    n_most: int,
) -> Generator[None, None, list[Done]]:
    """`first`: what the first of `dones` was made of.  `begins`: what stands in front of every text.  `n_most`: tokens
    of each at most."""
    if first.words.stop == "limit" or start.logits is None:
        return list(dones)  # of what is cut nothing can be said to follow
    limits = wire.GenerateRequest(
        "", fim=fim, max_tokens=min(MOST_TOKENS, n_most), time_ms=max(0, params.t_max_predict_ms)
    )
    review = Review(engine.generator, workspace, TokenChooser(engine.generator, limits, None), piece, params.stop)
    said = Said(first.words.text, first.tokens, first.logprobs, start.logits, start.seq, start.position)
    candidates = yield from review.candidates(tail, said, fim, params.review)
    by_line = {done.text.partition("\n")[0]: done for done in reversed(dones)}
    found = list[Done]()
    for i in order(candidates) or [0]:
        line = begins + candidates[i].text if i else ""
        found.append((by_line.get(line) or _of_line(engine, params, line, dones[0])) if i else dones[0])
    different = list({done.text: done for done in (*found, *dones[1:])}.values())
    return [*different, *dones][: params.n]  # a client gets as many as it asked for


def _of_line(engine: NativeEngine, params: Params, text: str, like: Done) -> Done:
    tokens, ended = tuple(engine.model.tokenize(text)), "\n" if "\n" in params.stop else ""
    return replace(
        like,
        text=text,
        tokens=tokens,
        stop="word" if ended else "eos",
        stopping_word=ended,
        timings=replace(like.timings, predicted_n=len(tokens)),
        has_new_line=False,
    )
