"""Answers several requests side by side: their prompts in the same micro-batches, then a token of each in one.

In: a `BatchRequest`, a workspace.  Out: a `BatchAnswer`.  Yields before each micro-batch; a job is suspended or ends
there.  Each request gets the answer that it would get by itself.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from palimpsest import wire
from palimpsest.engine.cache.prefill import SideBySide
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.branch import decode_together
from palimpsest.engine.generation.generate import Generation, have_base
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.errors import DecodeError


def generate_batch(
    generator: TextGenerator, workspace: Workspace, request: wire.BatchRequest
) -> Generator[None, None, wire.BatchAnswer]:
    """The whole of a batch's job: sync when asked for or needed, then the answers."""
    began = time.perf_counter()
    plain = [replace(one, draft=0, word_search=0) for one in request.requests]
    try:
        with workspace.active():
            synced = yield from have_base(workspace, request.sync)
            sync_ms = 1000 * (time.perf_counter() - began)
            generations = [Generation(generator, workspace, one, None) for one in plain]
            answer = yield from _answered(generator, workspace, generations)
    except DecodeError as error:
        generator.pool.recover(error, workspace)
        raise
    ms = {**answer.ms, "sync": sync_ms, "total": 1000 * (time.perf_counter() - began)}
    return replace(answer, sync=synced if request.sync is not None else None, ms=ms)


def _answered(
    generator: TextGenerator, workspace: Workspace, generations: Sequence[Generation]
) -> Generator[None, None, wire.BatchAnswer]:
    pool, began, n_steps = generator.pool, time.perf_counter(), 0
    with ExitStack() as stack:
        for generation in generations:
            stack.enter_context(generation.opened())
        try:
            prefill = SideBySide(pool, workspace)
            yield from prefill.results([generation.prepare(prefill) for generation in generations])
            for generation in generations:
                generation.begin()
            prepared = time.perf_counter()
            while going := [branch for generation in generations for branch in generation.choose()]:
                yield
                decode_together(pool, workspace, going)
                n_steps += 1
        except Exception:  # whatever failed, the cache is no longer what is noted of it
            for generation in generations:
                generation.drop()
            raise
        ms = {"prefill": 1000 * (prepared - began), "generate": 1000 * (time.perf_counter() - prepared)}
        return wire.BatchAnswer([replace(g.answer(), ms={}) for g in generations], steps=n_steps, ms=ms)
