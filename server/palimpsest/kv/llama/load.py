"""What loading decides: the context's parameters, the vocabulary's bytes, what the model is reported as.

In: settings, a loaded `Model`, its facts.  Out: data for the engine.  Owns nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import InvalidArgument
from palimpsest.kv.llama import machine
from palimpsest.kv.llama.facts import TYPES, Facts
from palimpsest.kv.llama.library import library
from palimpsest.kv.llama.native import ContextParams, Model
from palimpsest.kv.llama.vocab import Vocabulary

if TYPE_CHECKING:
    from palimpsest.kv.cache.engine import Engine

MAX_DEFAULT_CTX = 16_384
N_SEQ = 64
N_SEQ_STATE = 16
"""Sequences of a model that keeps a state of fixed size for each, used or not."""
FLASH = {"auto": -1, "off": 0, "on": 1}
ALL_LAYERS = 1 << 20
NO_TEXT = 1 | 2  # LLAMA_TOKEN_ATTR_UNKNOWN, LLAMA_TOKEN_ATTR_UNUSED


def check(settings: EngineSettings) -> None:
    """Raises InvalidArgument for settings that no model can be loaded with."""
    if settings.type_v.startswith("q") and settings.flash_attention == "off":
        raise InvalidArgument(
            "engine.type_v", f"{settings.type_v} needs flash attention.", hint='Set `engine.flash_attention` to "auto".'
        )


def uses_gpu(settings: EngineSettings) -> bool:
    return settings.n_gpu_layers != 0 and bool(library().api.llama_supports_gpu_offload())


def n_gpu_layers(settings: EngineSettings) -> int:
    if not uses_gpu(settings):
        return 0
    return settings.n_gpu_layers if settings.n_gpu_layers > 0 else ALL_LAYERS


def context_params(settings: EngineSettings, facts: Facts) -> ContextParams:
    """What the settings come to for this model; whether it fits into memory is another question."""
    n_ctx = settings.n_ctx or min(facts.n_ctx_train, MAX_DEFAULT_CTX)
    return ContextParams(
        n_ctx=n_ctx,
        n_batch=min(settings.n_batch, n_ctx),
        n_seq_max=N_SEQ if facts.rolls_back else N_SEQ_STATE,
        n_threads=min(settings.n_threads, os.cpu_count() or 1) or machine.physical_cores(),
        type_k=TYPES[settings.type_k][0],
        type_v=TYPES[settings.type_v][0],
        flash_attention=FLASH[settings.flash_attention],
        offload=uses_gpu(settings),
    )


def vocabulary(model: Model, facts: Facts) -> Vocabulary:
    api = library().api

    def is_no_text(token: int) -> bool:
        return bool(
            api.llama_vocab_is_control(model.vocab, token) or api.llama_vocab_get_attr(model.vocab, token) & NO_TEXT
        )

    return Vocabulary.make(model.n_vocab, model.piece, is_no_text, facts.ends)


def info(engine: Engine) -> wire.ModelInfo:
    """What the engine tells others about its model."""
    facts, settings = engine.facts, engine.settings
    layouts = [layout for layout in facts.fim_layouts if engine.in_place or layout != "isolated"]
    return wire.ModelInfo(
        path=str(engine.model.path),
        name=facts.name,
        architecture=facts.architecture,
        n_ctx=engine.n_ctx,
        n_ctx_train=facts.n_ctx_train,
        n_params=facts.n_params,
        n_vocab=engine.model.n_vocab,
        fim_layout=facts.fim_layout if engine.in_place or facts.fim_layout != "isolated" else "psm",
        fim_layouts=layouts,
        in_place=engine.in_place,
        backend="GPU" if uses_gpu(settings) else "CPU",
        why_not=engine.why_not,
        chat_template=facts.chat is not None,
        settings={
            "n_batch": engine.context.n_batch,
            "n_threads": engine.params.n_threads,
            "type_k": settings.type_k,
            "type_v": settings.type_v,
            "flash_attention": settings.flash_attention,
            "extra_bufts": engine.extra_bufts,
            "tail_room": engine.tail_room,
        },
    )
