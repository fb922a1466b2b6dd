"""How many threads decode fastest here, and whether with flash attention.

In: a model file, settings.  Out: a `ThreadTrial` for each way that is open, measured in turns, so that what else the
machine does meanwhile bears upon all of them.
"""

import math
import os
import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.native import Context, Model, Run
from palimpsest.engine.model import facts as model_facts
from palimpsest.engine.model import params
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.engine.model.load import opened
from palimpsest.errors import ModelError
from palimpsest.models.trials import BATCH, ThreadTrial
from palimpsest.system import machine

N_PROMPT, N_ROUNDS, N_TOKENS = 512, 4, 4
"""Tokens of the prompt; rounds; tokens that are decoded one by one in each."""
N_CTX = 1024


def thread_trials(path: Path, settings: EngineSettings, seconds: float = math.inf) -> list[ThreadTrial]:
    """Of the threads that may be best and, with the best of them, of flash attention on and off; the first is what the
    settings mean by themselves.  Behind so many seconds no further round is begun.  Empty where a graphics processor
    decodes.  Raises ModelError."""
    if params.uses_gpu(settings):
        return []
    settings = replace(settings, n_ctx=N_CTX, type_k="f16", type_v="f16")
    with closing(opened(path, settings, extra_bufts=settings.extra_bufts != "off")) as model:
        facts = model_facts.read(model)
        if not facts.n_ctx_train or not model.n_vocab:
            raise ModelError(f"{path} is not a language model.")
        physical = machine.physical_cores()
        counts = [physical, max(1, physical // 2), min(os.cpu_count() or 1, 2 * physical)]
        if settings.n_threads:
            counts = [settings.n_threads]
        tried = _in_turns(model, facts, [replace(settings, n_threads=n) for n in dict.fromkeys(counts)], seconds / 2)
        if settings.flash_attention != "auto":
            return tried
        best = min(tried, key=lambda it: it.keystroke_ms)
        ways = [replace(settings, n_threads=best.n_threads, flash_attention=flash) for flash in ("on", "off")]
        return [*tried, *_in_turns(model, facts, ways, seconds / 2)]


def _in_turns(model: Model, facts: ModelFacts, ways: Sequence[EngineSettings], seconds: float) -> list[ThreadTrial]:
    with ExitStack() as stack:
        clocks = [_Clock(stack.enter_context(closing(_context(model, facts, way)))) for way in ways]
        began = time.monotonic()
        for n in range(N_ROUNDS):
            if n and time.monotonic() - began > seconds:
                break
            for clock in clocks:
                clock.round(model.n_vocab)
        return [
            ThreadTrial(
                way.n_threads,
                way.flash_attention,
                N_PROMPT / min(clock.prompt_s),
                1000 * statistics.median(clock.token_s),
                1000 * statistics.median(clock.batch_s),
                clock.processor_s / clock.clock_s,
            )
            for way, clock in zip(ways, clocks, strict=True)
        ]


def _context(model: Model, facts: ModelFacts, settings: EngineSettings) -> Context:
    return Context(model, replace(params.context_params(settings, facts), n_seq_max=2))


class _Clock:
    """One context, and the seconds that its decodes took."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.prompt_s = list[float]()
        self.token_s = list[float]()
        self.batch_s = list[float]()
        self.clock_s = self.processor_s = 0.0

    def round(self, n_vocab: int) -> None:
        """A prompt, then a batch and single tokens behind it."""
        tokens = [7 * i % n_vocab for i in range(1, N_PROMPT + BATCH + N_TOKENS + 1)]
        self._context.remove(0)
        size, at = self._context.n_batch, 0
        began = time.perf_counter()
        while at < N_PROMPT:
            at += self._decode(tokens[at : min(at + size, N_PROMPT)], at)
        self.prompt_s.append(time.perf_counter() - began)
        for n, took in [(BATCH, self.batch_s), *[(1, self.token_s)] * N_TOKENS]:
            began = time.perf_counter()
            at += self._decode(tokens[at : at + n], at)
            took.append(time.perf_counter() - began)

    def _decode(self, tokens: Sequence[int], at: int) -> int:
        began, used = time.perf_counter(), time.process_time()
        self._context.decode([Run(tokens, at, 0, logits=True)])
        self.clock_s += time.perf_counter() - began
        self.processor_s += time.process_time() - used
        return len(tokens)
