"""Memory: what a cache takes beside the model, and making one within a bound.

In: a loaded `Model`, its facts, settings.  Out: a `Context` within the bound, or how many tokens would fit.
"""

from dataclasses import replace

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.native import Context, ContextParams, Model
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.engine.model.params import context_params, uses_gpu
from palimpsest.errors import ContextTooLarge
from palimpsest.system import machine

PROBES = (512, 1024)
"""Cells of two small caches: what they take says what any takes, since each part grows by so much a cell."""


def bound(settings: EngineSettings) -> int:
    """Bytes that cache and compute buffers may take; 0: a GPU's memory, whose bound is llama.cpp's to know."""
    if settings.memory_mb:
        return settings.memory_mb << 20
    return 0 if uses_gpu(settings) else machine.free_memory() * 9 // 10


def make(
    model: Model, facts: ModelFacts, settings: EngineSettings, make_context: type[Context], max_bytes: int
) -> tuple[Context, ContextParams]:
    """The context that the settings want.

    Raises ContextTooLarge, saying how many tokens would fit, where it takes more than `max_bytes`; as far as that can
    be told before it is made, nothing is allocated.
    """
    params = context_params(settings, facts)
    if max_bytes and facts.rolls_back and facts.kv_bytes(params.n_ctx, settings.type_k, settings.type_v) > max_bytes:
        raise _too_large(model, params, max_bytes)
    context = make_context(model, params)
    if max_bytes and context.cache_bytes + context.compute_bytes > max_bytes:
        context.close()
        raise _too_large(model, params, max_bytes)
    return context, params


def needed(model: Model, params: ContextParams) -> tuple[float, float]:
    """Bytes of cache and compute buffers: a fixed part, and one for each cell."""
    sizes = []
    for n_ctx in PROBES:
        probe = Context(model, replace(params, n_ctx=n_ctx, n_batch=min(params.n_batch, PROBES[0])))
        sizes.append(probe.cache_bytes + probe.compute_bytes)
        probe.close()
    for_each = (sizes[1] - sizes[0]) / (PROBES[1] - PROBES[0])
    return sizes[0] - for_each * PROBES[0], for_each


def _too_large(model: Model, params: ContextParams, max_bytes: int) -> ContextTooLarge:
    fixed, for_each = needed(model, params)
    fitting = max(0, int((max_bytes - fixed) / for_each)) // 256 * 256 if for_each > 0 else 0
    takes = int(fixed + for_each * params.n_ctx)
    return ContextTooLarge(
        f"A cache of {params.n_ctx} tokens takes {takes >> 20} MiB, {max_bytes >> 20} MiB are allowed.",
        fitting=fitting,
        hint=f"Set `engine.n_ctx` to {fitting} or less, or smaller KV types."
        if fitting
        else "Set a larger `engine.memory_mb`, or smaller KV types.",
    )
