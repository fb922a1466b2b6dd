"""The next token, chosen as llama-server does: the request's samplers in their order, then one draw.

In: a row of logits.  Out: a token.  llama.cpp's samplers do the work; where they can only choose the greatest logit,
numpy finds it.  Knows no text and no sequence.
"""

import ctypes
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from palimpsest.engine.generation.grammar import Grammar
from palimpsest.engine.generation.sampler import Choosing, Picked, log_sum, only
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Logits, Model
from palimpsest.engine.llama.vocab import Ids
from palimpsest.engine.llama_server.requests.params import RANDOM_SEED, Params

NOT_EVERYWHERE = {
    "dry": "llama_sampler_init_dry",
    "infill": "llama_sampler_init_infill",
    "penalties": "llama_sampler_init_penalties",
    "temperature": "llama_sampler_init_temp_ext",
    "top_n_sigma": "llama_sampler_init_top_n_sigma",
    "typ_p": "llama_sampler_init_typical",
    "xtc": "llama_sampler_init_xtc",
}
"""Samplers that a library may lack, which then change nothing."""


class Chain(Choosing):
    """The samplers of one answer.  `bias`: what is first added to tokens' logits; `n_ctx`: how far penalties look back
    at most.  Close it."""

    def __init__(
        self, model: Model, params: Params, bias: Sequence[tuple[int, float]], grammar: Grammar | None, n_ctx: int
    ) -> None:
        self._bias = bias
        self._keep = params.post_sampling_probs and params.n_probs > 0
        is_greedy = params.is_greedy and not self._keep
        super().__init__(None if is_greedy else _chain(library().api, model, params, n_ctx), grammar)
        self.history = int(min(n_ctx, max(params.sampling["repeat_last_n"], params.sampling["dry_penalty_last_n"])))

    def saw(self, tokens: Sequence[int]) -> None:
        """Take note of the prompt's tokens, for penalties."""
        if self._chain is not None:
            for token in tokens[-self.history :] if self.history else ():
                self._api.llama_sampler_accept(self._chain, token)

    def pick(self, logits: Logits, among: Ids | None = None) -> Picked | None:
        """The next token, of `among` where given; None when no token is left to choose."""
        row = logits.copy()
        for token, bias in self._bias:
            row[token] += bias
        if among is not None:
            row = only(row, among)
        return self._chosen(row, keep=self._keep)

    def accept(self, token: int, *, end: bool) -> None:
        if self._chain is not None:
            self._api.llama_sampler_accept(self._chain, token)
        if self._grammar is not None and not end:
            self._grammar.accept(token)


def _chain(api: Any, model: Model, params: Params, n_ctx: int) -> Any:
    """No penalty looks back further than `n_ctx`: llama.cpp makes room for as many tokens as it is told."""
    s, keep = params.sampling, int(params.sampling["min_keep"])
    seed = int(s["seed"])
    if seed == RANDOM_SEED:
        seed = secrets.randbits(32)
    make: dict[str, Callable[[], Any]] = {
        "penalties": lambda: api.llama_sampler_init_penalties(
            model.n_vocab,
            min(n_ctx, int(s["repeat_last_n"])),
            s["repeat_penalty"],
            s["frequency_penalty"],
            s["presence_penalty"],
        ),
        "dry": lambda: _dry(api, model, params, n_ctx),
        "top_n_sigma": lambda: api.llama_sampler_init_top_n_sigma(s["top_n_sigma"]),
        "top_k": lambda: api.llama_sampler_init_top_k(int(s["top_k"])),
        "typ_p": lambda: api.llama_sampler_init_typical(s["typical_p"], keep),
        "top_p": lambda: api.llama_sampler_init_top_p(s["top_p"], keep),
        "min_p": lambda: api.llama_sampler_init_min_p(s["min_p"], keep),
        "xtc": lambda: api.llama_sampler_init_xtc(s["xtc_probability"], s["xtc_threshold"], keep, seed),
        "temperature": lambda: api.llama_sampler_init_temp_ext(
            s["temperature"], s["dynatemp_range"], s["dynatemp_exponent"]
        ),
        "infill": lambda: api.llama_sampler_init_infill(model.vocab),
    }
    chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
    for name in params.samplers:
        if name not in NOT_EVERYWHERE or api.has(NOT_EVERYWHERE[name]):
            api.llama_sampler_chain_add(chain, make[name]())
    api.llama_sampler_chain_add(chain, api.llama_sampler_init_dist(seed))
    return chain


def _dry(api: Any, model: Model, params: Params, n_ctx: int) -> Any:
    s = params.sampling
    breakers = [text.encode("utf-8", "replace") for text in params.breakers]
    array = (ctypes.c_char_p * len(breakers))(*breakers)
    return api.llama_sampler_init_dry(
        model.vocab, s["dry_multiplier"], s["dry_base"], int(s["dry_allowed_length"]),
        min(n_ctx, int(s["dry_penalty_last_n"])),
        array, len(breakers),
    )  # fmt: skip


def most_probable(logits: Logits, tokens: Collection[int], n: int) -> tuple[list[tuple[int, float]], list[float]]:
    """The `n` most probable tokens with their log probabilities, and the log probabilities of `tokens`."""
    norm = log_sum(logits)
    n = min(n, len(logits))
    best = np.argpartition(logits, -n)[-n:] if n else np.zeros(0, np.int64)
    best = best[np.argsort(-logits[best], kind="stable")]
    return [(int(i), float(logits[i]) - norm) for i in best], [float(logits[i]) - norm for i in tokens]
