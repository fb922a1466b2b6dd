"""What a model file says of itself, and whether its cache can be edited in place.

In: a loaded `Model`.  Out: `ModelFacts`.  Knows no request.  Sizes of GGML types are from ggml.c, architectures and
metadata keys from the GGUF specification.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from palimpsest.chat_templates.template import TemplateSource
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Model
from palimpsest.errors import ModelError
from palimpsest.models.families import FAMILIES, OURS, Family, SuffixFirst, of_file

TYPES: dict[str, tuple[int, float]] = {  # name: (ggml's number, bytes of one element)
    "f32": (0, 4.0),
    "f16": (1, 2.0),
    "bf16": (30, 2.0),
    "q8_0": (8, 34 / 32),
    "q5_1": (7, 24 / 32),
    "q5_0": (6, 22 / 32),
    "q4_1": (3, 20 / 32),
    "q4_0": (2, 18 / 32),
}
FimLayout = Literal["", "spm", "isolated", "psm"]
MROPE_TYPES = {8: "M-RoPE", 40: "interleaved M-RoPE", 24: "vision RoPE"}  # LLAMA_ROPE_TYPE_*
CHUNKED = ("llama4",)
"""Architectures with attention in chunks (LLAMA_SWA_TYPE_CHUNKED), which no function of llama.cpp tells."""
LAYOUTS: dict[str, FimLayout] = {"spm": "spm", "isolated": "isolated", "psm": "psm"}


@dataclass(frozen=True, slots=True)
class FimTokens:
    """Ids of `<fim_prefix>` and its fellows; `middle` may be missing (−1) from a model that only knows suffix first.
    `order`: how these tokens stand where the suffix comes first; `family`: whose order that is."""

    prefix: int
    suffix: int
    middle: int
    order: SuffixFirst = "prefix-suffix-middle"
    family: str = ""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """`header_start`: tokens that every prompt begins with.  `eog`: what llama.cpp takes for an end of generation (a
    grammar admits these alone at its end); `ends`: they and FIM's tokens, any of which ends an answer.  `why_not`: why
    the cache cannot be edited in place, "" when it can.  `rolls_back`: a part of a sequence can be removed.
    `state_only`: a recurrent model, which keeps one state per sequence.  `fim_layout`: what `auto` means where the
    cache is edited in place; elsewhere `psm` is meant by `isolated`.  `chat`: the
    template to write conversations in; `instructed`: tasks are written in it, too, but for a model that was trained on
    our prompts as they are."""

    name: str
    architecture: str
    n_ctx_train: int
    n_params: int
    n_layers: int
    n_head_kv: int
    n_embd_k: int
    n_embd_v: int
    header_start: tuple[int, ...]
    eog: frozenset[int]
    ends: frozenset[int]
    fim: FimTokens | None
    fim_layout: FimLayout
    chat: TemplateSource | None
    instructed: bool
    rolls_back: bool
    state_only: bool
    why_not: str

    @property
    def fim_layouts(self) -> list[str]:
        if self.fim is None:
            return []
        return ["spm"] if self.fim.middle < 0 else ["spm", "isolated", "psm"]

    def kv_bytes(self, n_ctx: int, type_k: str, type_v: str) -> int:
        """Memory of K and V for `n_ctx` cells, in bytes; 0 for a model that keeps one state per sequence."""
        if self.state_only:
            return 0
        cell = self.n_embd_k * TYPES[type_k][1] + self.n_embd_v * TYPES[type_v][1]
        return int(self.n_layers * self.n_head_kv * cell * n_ctx)


def read(model: Model) -> ModelFacts:
    """Everything but what only a context can say (`llama_memory_can_shift`)."""
    api = library().api
    architecture = model.metadata("general.architecture")
    heads = max(1, int(api.llama_model_n_head(model.handle)))
    width = int(api.llama_model_n_embd(model.handle)) // heads
    fim = _fim_tokens(api, model)
    eog = frozenset(token for token in range(model.n_vocab) if api.llama_vocab_is_eog(model.vocab, token))
    recurrent = bool(api.llama_model_is_recurrent(model.handle))
    hybrid = bool(api.llama_model_is_hybrid(model.handle))
    return ModelFacts(
        name=model.metadata("general.name") or model.path.stem,
        architecture=architecture,
        n_ctx_train=int(api.llama_model_n_ctx_train(model.handle)),
        n_params=int(api.llama_model_n_params(model.handle)),
        n_layers=int(api.llama_model_n_layer(model.handle)),
        n_head_kv=int(api.llama_model_n_head_kv(model.handle)) or heads,
        n_embd_k=int(model.metadata(f"{architecture}.attention.key_length") or width),
        n_embd_v=int(model.metadata(f"{architecture}.attention.value_length") or width),
        header_start=_header_start(api, model),
        eog=eog,
        ends=_ends(api, model, fim, eog),
        fim=fim,
        fim_layout=_fim_layout(model, fim),
        chat=(chat := _chat(model)),
        instructed=chat is not None and model.metadata("palimpsest.prompt") != "plain",
        rolls_back=not (recurrent or hybrid),
        state_only=recurrent,
        why_not=_why_not(api, model, recurrent, hybrid),
    )


def with_layout(facts: ModelFacts, layout: str) -> ModelFacts:
    """The facts with the layout that was found to be better, where the model has tokens for it; `none`: it does not
    fill in the middle, whatever its tokens say; "": as they are."""
    if layout == "none":
        return replace(facts, fim=None, fim_layout="")
    return replace(facts, fim_layout=LAYOUTS[layout]) if layout in facts.fim_layouts else facts


def decide(facts: ModelFacts, mode: str, can_shift: bool, type_k: str, tried: Callable[[], str] = lambda: "") -> str:
    """ "" to edit in place, else the reason for decoding whole prompts.  `mode` is the setting `engine.mode`; `tried`
    says what came of trying it, where nothing else speaks against it.

    Raises ModelError when the setting asks for what the model cannot do.
    """
    why_not = facts.why_not or ("" if can_shift else "llama.cpp cannot shift this model's cache.")
    if not why_not and not _can_shift_type(type_k, facts.n_embd_k):
        why_not = f"llama.cpp cannot shift K of type {type_k} in heads of {facts.n_embd_k}: see `engine.type_k`."
    if mode == "whole-prompt":
        return "The setting `engine.mode` says so."
    why_not = why_not or tried()
    if mode == "in-place" and why_not:
        message = f"The cache of {facts.name} cannot be edited in place: {why_not}"
        raise ModelError(message, hint='Set `engine.mode` to "auto".')
    return why_not


def _can_shift_type(type_k: str, n_embd: int) -> bool:
    """Where not, the first K-shift ends the process: bf16 has no rotation, and of quantized types llama.cpp shifts only
    those that it also spreads over the head (Hadamard), which wants a multiple of 64."""
    return type_k in ("f32", "f16") or (type_k != "bf16" and n_embd % 64 == 0)


def _header_start(api: Any, model: Model) -> tuple[int, ...]:
    bos = int(api.llama_vocab_bos(model.vocab))
    return (bos,) if api.llama_vocab_get_add_bos(model.vocab) and bos >= 0 else ()


def _fim_tokens(api: Any, model: Model) -> FimTokens | None:
    prefix, suffix, middle = (
        int(get(model.vocab)) for get in (api.llama_vocab_fim_pre, api.llama_vocab_fim_suf, api.llama_vocab_fim_mid)
    )
    if prefix < 0 or suffix < 0:
        return _unknown_to_llama(model)
    family = _family(model, model.piece(suffix, special=True).decode("utf-8", "replace"))
    order = family.order if middle >= 0 else "suffix-prefix"
    return FimTokens(prefix, suffix, middle, order, family.name)


def _unknown_to_llama(model: Model) -> FimTokens | None:
    """Markers that llama.cpp does not know by their text, such as Seed-Coder's: each one token of the vocabulary."""
    for family in FAMILIES:
        ids = [model.tokenize(marker.strip(), special=True) for marker in family.markers]
        if all(len(one) == 1 for one in ids):
            prefix, suffix, middle = (one[0] for one in ids)
            own = _family(model, family.markers[1].strip())
            return FimTokens(prefix, suffix, middle, own.order, own.name)
    return None


def _family(model: Model, marker: str) -> Family:
    if model.metadata("palimpsest.fim_layout"):
        return OURS
    keys = ("general.architecture", "general.basename", "general.name", "general.base_model.0.name")
    return of_file(marker, " ".join(model.metadata(key) for key in keys))


def _ends(api: Any, model: Model, fim: FimTokens | None, eog: frozenset[int]) -> frozenset[int]:
    names = ("eos", "eot", "fim_pad", "fim_rep", "fim_sep")
    tokens = {*eog, *(int(getattr(api, f"llama_vocab_{name}")(model.vocab)) for name in names)}
    if fim is not None:
        tokens |= {fim.prefix, fim.suffix, fim.middle}
    return frozenset(token for token in tokens if token >= 0)


def _fim_layout(model: Model, fim: FimTokens | None) -> FimLayout:
    """What `auto` means: the file's own word; else suffix first where the family was trained so, or knows nothing else;
    else the suffix by itself, which every model with a middle token reads."""
    if fim is None:
        return ""
    if layout := LAYOUTS.get(model.metadata("palimpsest.fim_layout")):
        return layout
    trained = any(family.trained for family in FAMILIES if family.name == fim.family)
    return "spm" if trained or fim.middle < 0 else "isolated"


def _why_not(api: Any, model: Model, recurrent: bool, hybrid: bool) -> str:
    if recurrent or hybrid:
        kind = "recurrent" if recurrent else "hybrid"
        return f"it is a {kind} model, whose state cannot be taken apart."
    if api.llama_model_has_encoder(model.handle):
        return "it is an encoder-decoder model."
    if model.metadata("general.architecture") in CHUNKED:
        return "its layers see chunks that begin at fixed positions, so that a block cannot be moved."
    rope = int(api.llama_model_rope_type(model.handle))
    if rope in MROPE_TYPES:
        return f"it has {MROPE_TYPES[rope]}, whose positions llama.cpp cannot shift."
    return ""


def chat_template(model: Model) -> TemplateSource:
    """The chat template in the model's file."""
    api = library().api
    template = api.llama_model_chat_template(model.handle, None)
    bos, eos = (int(get(model.vocab)) for get in (api.llama_vocab_bos, api.llama_vocab_eos))

    def text(token: int) -> str:
        return model.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    return TemplateSource(template.decode("utf-8", "replace") if template else "", text(bos), text(eos))


def _chat(model: Model) -> TemplateSource | None:
    source = chat_template(model)
    return source if source.text else None
