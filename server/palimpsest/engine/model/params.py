"""What the settings come to: the parameters that a model and its context are made with.

In: settings, a model's facts.  Out: `ContextParams` and counts.  Allocates nothing.
"""

import os

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import ContextParams
from palimpsest.engine.model.facts import TYPES, ModelFacts
from palimpsest.errors import InvalidArgument
from palimpsest.system import machine

MAX_DEFAULT_CTX = 16_384
N_SEQ = 64
N_SEQ_STATE = 16
"""Sequences of a model that keeps a state of fixed size for each, used or not."""
FLASH = {"auto": -1, "off": 0, "on": 1}
ALL_LAYERS = 1 << 20


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


def context_params(settings: EngineSettings, facts: ModelFacts) -> ContextParams:
    """What the settings mean for this model; whether it fits into memory is another question."""
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
