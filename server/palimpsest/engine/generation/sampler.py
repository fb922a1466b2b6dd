"""Choosing the next token: greedy or sampled, under a grammar or a healed piece.

In: a row of logits.  Out: a token id.  Greedy choice is numpy; sampling is llama.cpp's own samplers.
The grammar goes the fast way: choose first, check the one token, choose again among the admitted on failure
(checking a whole vocabulary costs milliseconds per token).  Knows no sequence and no text.
"""

import ctypes
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palimpsest.engine.generation.grammar import Grammar
from palimpsest.engine.llama.layouts import CANDIDATE, array_of
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.llama.vocab import Ids
from palimpsest.wire import Sampling

FIRST_TRIES = 64


@dataclass(frozen=True, slots=True)
class Picked:
    """A token; `after`: the tokens that were left to draw from, most probable first, as (token, probability)."""

    token: int
    after: tuple[tuple[int, float], ...] = ()


class Choosing:
    """What every way of choosing has: llama.cpp's samplers, none for a greedy choice, and perhaps a grammar."""

    def __init__(self, chain: Any, grammar: Grammar | None) -> None:
        self._api = library().api
        self._chain = chain
        self._grammar = grammar

    def close(self) -> None:
        if self._chain is not None:
            self._api.llama_sampler_free(self._chain)
            self._chain = None

    def _drawn(self, row: Logits, *, keep: bool = False) -> Picked | None:
        """None where nothing is left.  `keep`: what the token was drawn from is wanted as well."""
        if self._chain is None:
            best = int(row.argmax())
            return Picked(best) if row[best] > -np.inf else None
        ids = np.flatnonzero(row > -np.inf)
        if not len(ids):
            return None
        candidates = np.zeros(len(ids), CANDIDATE)
        candidates["id"], candidates["logit"] = ids, row[ids]
        array = array_of(candidates)
        self._api.llama_sampler_apply(self._chain, ctypes.byref(array))
        assert 0 <= array.selected < array.size, f"nothing selected of {array.size}"
        token = int(array.data[array.selected].id)
        if not keep:
            return Picked(token)
        drawable = [(int(array.data[i].id), float(array.data[i].p)) for i in range(array.size) if array.data[i].p > 0]
        return Picked(token, tuple(sorted(drawable, key=lambda item: -item[1])))

    def _chosen(self, row: Logits, *, keep: bool = False) -> Picked | None:
        """What is drawn, of what the grammar admits.  Greedy: the best few are tried before the whole vocabulary."""
        picked, grammar = self._drawn(row, keep=keep), self._grammar
        if picked is None or grammar is None or grammar.admits(picked.token):
            return picked
        if self._chain is None and len(row) > FIRST_TRIES:
            best = np.argpartition(row, -FIRST_TRIES)[-FIRST_TRIES:].astype(np.int32)
            best = best[row[best] > -np.inf]
            good = best[grammar.admitted(best)]
            if len(good):
                return Picked(int(good[row[good].argmax()]))
        ids = np.flatnonzero(row > -np.inf).astype(np.int32)
        return self._drawn(only(row, ids[grammar.admitted(ids)]), keep=keep)


class Sampler(Choosing):
    """One answer's way of choosing.  `hidden`: ids never chosen.  `history`: what the repeat penalty looks back on."""

    def __init__(
        self,
        sampling: Sampling,
        *,
        seed: int,
        hidden: Ids,
        history: Sequence[int] = (),
        grammar: Grammar | None = None,
    ) -> None:
        super().__init__(_chain(sampling, seed) if sampling.temperature > 0 else None, grammar)
        self._hidden = hidden
        self._penalty = sampling.repeat_penalty
        n = sampling.repeat_last_n if self._penalty != 1.0 else 0
        self._history = deque(history, maxlen=n if n >= 0 else None)

    def pick(self, logits: Logits, among: Ids | None = None) -> int | None:
        """The next token, of `among` when given; None when nothing is left to choose from."""
        row = logits.copy()
        row[self._hidden] = -np.inf
        self._penalize(row)
        if among is not None:
            row = only(row, among)
        picked = self._chosen(row)
        return None if picked is None else picked.token

    def accept(self, token: int, *, end: bool = False) -> None:
        """Tell the grammar and the penalty what was chosen; an end token is none of the grammar's business."""
        self._history.append(token)
        if self._grammar is not None and not end:
            self._grammar.accept(token)

    def _penalize(self, row: Logits) -> None:
        """llama.cpp's repetition penalty: logits of tokens seen are divided when positive, multiplied when not."""
        if self._penalty == 1.0 or not self._history:
            return
        seen = np.array(sorted(set(self._history)), np.int64)
        values = row[seen]
        row[seen] = np.where(values > 0, values / self._penalty, values * self._penalty)


def only(row: Logits, ids: Ids) -> Logits:
    """Nothing but these can be chosen."""
    masked = np.full_like(row, -np.inf)
    masked[ids] = row[ids]
    return masked


def _chain(sampling: Sampling, seed: int) -> Any:
    api = library().api
    chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
    if sampling.top_k > 0:
        api.llama_sampler_chain_add(chain, api.llama_sampler_init_top_k(sampling.top_k))
    api.llama_sampler_chain_add(chain, api.llama_sampler_init_top_p(sampling.top_p, 1))
    api.llama_sampler_chain_add(chain, api.llama_sampler_init_min_p(sampling.min_p, 1))
    api.llama_sampler_chain_add(chain, api.llama_sampler_init_temp(sampling.temperature))
    api.llama_sampler_chain_add(chain, api.llama_sampler_init_dist(seed & 0xFFFFFFFF))
    return chain


def log_share(logits: Logits, ids: Ids) -> float:
    """The logarithm of the probability that it is one of some tokens."""
    return log_sum(logits[ids]) - log_sum(logits)


def log_probability(logits: Logits, token: int, among: Ids | None = None) -> float:
    """log softmax of the raw logits at `token`; `among`: where it is known to be one of these."""
    return float(logits[token]) - log_sum(logits if among is None else logits[among])


def log_sum(logits: Logits) -> float:
    """The logarithm of the sum of what they are the logarithms of."""
    top = float(logits.max(initial=-np.inf))
    return top if top == -np.inf else top + float(np.log(np.exp(logits - top).sum()))
