"""Choosing the next token: greedy or sampled, under a grammar or a healed piece.

In: a row of logits.  Out: a token id.  Greedy choice is numpy; sampling is llama.cpp's own samplers.
The grammar goes the fast way: choose first, check the one token, choose again among the admitted on failure
(checking a whole vocabulary costs milliseconds per token).  Knows no sequence and no text.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from palimpsest.engine.generation.grammar import Grammar
from palimpsest.engine.llama.candidates import CANDIDATE, array_of
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.llama.vocab import Ids
from palimpsest.wire import Sampling

FIRST_TRIES = 64


class Sampler:
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
        self._api = library().api
        self._hidden = hidden
        self._grammar = grammar
        self._penalty = sampling.repeat_penalty
        n = sampling.repeat_last_n if self._penalty != 1.0 else 0
        self._history = deque(history, maxlen=n if n >= 0 else None)
        self._chain = _chain(self._api, sampling, seed) if sampling.temperature > 0 else None

    def close(self) -> None:
        if self._chain is not None:
            self._api.llama_sampler_free(self._chain)
            self._chain = None

    def pick(self, logits: Logits, among: Ids | None = None) -> int | None:
        """The next token, of `among` when given; None when nothing is left to choose from."""
        row = logits.copy()
        row[self._hidden] = -np.inf
        self._penalize(row)
        if among is not None:
            masked = np.full_like(row, -np.inf)
            masked[among] = row[among]
            row = masked
        token = self._choose(row)
        if token is None or self._grammar is None or self._grammar.admits(token):
            return token
        return self._pick_admitted(row)

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

    def _choose(self, row: Logits) -> int | None:
        if self._chain is None:
            best = int(row.argmax())
            return best if row[best] > -np.inf else None
        ids = np.flatnonzero(row > -np.inf)
        if not len(ids):
            return None
        found = np.zeros(len(ids), CANDIDATE)
        found["id"], found["logit"] = ids, row[ids]
        array = array_of(self._api, found)
        self._api.llama_sampler_apply(self._chain, ctypes.byref(array))
        assert 0 <= array.selected < array.size, f"nothing selected of {array.size}"
        return int(array.data[array.selected].id)

    def _pick_admitted(self, row: Logits) -> int | None:
        """Choose among what the grammar admits.  Greedy: the best few are tried before the whole vocabulary."""
        assert self._grammar is not None
        if self._chain is None and len(row) > FIRST_TRIES:
            best = np.argpartition(row, -FIRST_TRIES)[-FIRST_TRIES:].astype(np.int32)
            best = best[row[best] > -np.inf]
            good = best[self._grammar.admitted(best)]
            if len(good):
                return int(good[row[good].argmax()])
        ids = np.flatnonzero(row > -np.inf).astype(np.int32)
        good = ids[self._grammar.admitted(ids)]
        masked = np.full_like(row, -np.inf)
        masked[good] = row[good]
        return self._choose(masked)


def _chain(api: Any, sampling: Sampling, seed: int) -> Any:
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
    top, best = float(logits.max()), float(logits[ids].max(initial=-np.inf))
    if best == -np.inf:
        return 0.0
    return best - top + float(np.log(np.exp(logits[ids] - best).sum()) - np.log(np.exp(logits - top).sum()))


def log_probability(logits: Logits, token: int) -> float:
    """log softmax of the raw logits at `token`."""
    top = float(logits.max())
    return float(logits[token]) - top - float(np.log(np.exp(logits - top).sum()))
