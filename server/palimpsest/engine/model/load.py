"""Loads a model file: the model, its context, and what follows from both.

In: a path, settings.  Out: a `LoadedModel`, or an error that says what to do.  Knows no workspace and no request.
"""

import functools
from dataclasses import dataclass
from pathlib import Path

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import LONGEST_TEXT, TEXT_FOR_A_TOKEN, Context, ContextParams, Model
from palimpsest.engine.llama.vocab import Vocabulary
from palimpsest.engine.model import facts as model_facts
from palimpsest.engine.model import memory, params, purpose, trial
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.engine.model.sizes import Sizes
from palimpsest.errors import ModelError
from palimpsest.models.files import inspect
from palimpsest.models.profiles import Profile

PROFILE_SAYS = "`palimpsest model check` found that it would lose much of what context gives."
NO_TEXT = 1 | 2  # LLAMA_TOKEN_ATTR_UNKNOWN, LLAMA_TOKEN_ATTR_UNUSED


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """`why_not`: why the cache is not edited in place, "" when it is.  `max_bytes`: what cache and compute buffers may
    take, 0 without a bound.  `extra_bufts`: whether weights may be repacked for the machine.  `profile`: what was found
    out about the model on this machine; the settings and facts are those with it."""

    model: Model
    context: Context
    params: ContextParams
    settings: EngineSettings
    facts: ModelFacts
    vocab: Vocabulary
    sizes: Sizes
    why_not: str
    max_bytes: int
    extra_bufts: bool
    profile: Profile | None = None

    @property
    def in_place(self) -> bool:
        return not self.why_not

    @property
    def has_long_rope(self) -> bool:
        """Some models rotate otherwise in caches larger than what they were first trained with."""
        key = f"{self.facts.architecture}.rope.scaling.original_context_length"
        return self.sizes.n_ctx > int(self.model.metadata(key) or 0)

    def close(self) -> None:
        self.context.close()
        self.model.close()

    def info(self) -> wire.ModelInfo:
        """What the engine tells others about its model."""
        facts, settings = self.facts, self.settings
        return wire.ModelInfo(
            path=str(self.model.path),
            name=facts.name,
            architecture=facts.architecture,
            n_ctx=self.sizes.n_ctx,
            n_ctx_train=facts.n_ctx_train,
            n_params=facts.n_params,
            n_vocab=self.model.n_vocab,
            fim_layout=facts.fim_layout if self.in_place or facts.fim_layout != "isolated" else "psm",
            fim_layouts=[layout for layout in facts.fim_layouts if self.in_place or layout != "isolated"],
            in_place=self.in_place,
            backend="GPU" if params.uses_gpu(settings) else "CPU",
            why_not=self.why_not,
            chat_template=facts.instructed,
            converses=facts.instructed,
            calibration=self.profile.calibration if self.profile is not None else None,
            settings={
                "n_batch": self.context.n_batch,
                "n_threads": self.params.n_threads,
                "type_k": settings.type_k,
                "type_v": settings.type_v,
                "flash_attention": settings.flash_attention,
                "extra_bufts": self.extra_bufts,
                "tail_room": self.sizes.tail_room,
            },
        )


def load(
    path: Path,
    settings: EngineSettings,
    *,
    caution: bool = False,
    make_context: type[Context] = Context,
    profile: Profile | None = None,
) -> LoadedModel:
    """`caution`: `extra_bufts = auto` means off.  `profile`: says what the settings leave to the machine.  Raises
    EngineUnavailable, ModelError, ContextTooLarge, InvalidArgument; nothing stays loaded then."""
    why_whole = PROFILE_SAYS if profile is not None and profile.mode and settings.mode == "auto" else ""
    settings = profile.applied(settings) if profile is not None else settings
    params.check(settings)
    extra_bufts = settings.extra_bufts == "on" or (settings.extra_bufts == "auto" and not caution)
    model = opened(path, settings, extra_bufts=extra_bufts)
    context: Context | None = None
    try:
        facts = model_facts.read(model)
        if profile is not None:
            facts = model_facts.with_layout(facts, profile.layout)
        if not facts.n_ctx_train or not model.n_vocab:
            raise ModelError(f"{path} is not a language model.", hint=purpose.HINT)
        max_bytes = memory.bound(settings)
        context, context_params = memory.make(model, facts, settings, make_context, max_bytes)
        tried = functools.partial(trial.passed, context, model)
        why_not = model_facts.decide(facts, settings.mode, context.can_shift, settings.type_k, tried)
        why_not = why_whole or why_not
        sizes = Sizes.of(context.n_ctx, facts, in_place=not why_not)
        model.longest_text = max(LONGEST_TEXT, TEXT_FOR_A_TOKEN * sizes.n_ctx)
        vocab = vocabulary(model, facts)
    except BaseException:  # nothing stays loaded, also when it is interrupted
        if context is not None:
            context.close()
        model.close()
        raise
    return LoadedModel(
        model, context, context_params, settings, facts, vocab, sizes, why_not, max_bytes, extra_bufts, profile
    )


def opened(path: Path, settings: EngineSettings, *, extra_bufts: bool) -> Model:
    """Raises ModelError also for a file that is something else than a model that writes text, and for one over whose
    header llama.cpp would end the process."""
    instead = purpose.of_file(path)
    if not instead:
        inspect(path)
        model = Model(path, n_gpu_layers=params.n_gpu_layers(settings), extra_bufts=extra_bufts)
        instead = purpose.of_model(model)
        if not instead:
            return model
        model.close()
    raise ModelError(f"{path} is no model that writes text: it is {instead}.", hint=purpose.HINT)


def vocabulary(model: Model, facts: ModelFacts) -> Vocabulary:
    api = library().api

    def is_no_text(token: int) -> bool:
        return bool(
            api.llama_vocab_is_control(model.vocab, token) or api.llama_vocab_get_attr(model.vocab, token) & NO_TEXT
        )

    return Vocabulary.make(model.n_vocab, model.piece, is_no_text, facts.ends)
