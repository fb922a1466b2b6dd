"""A micro-batch: runs of tokens, and the one llama_batch that they are put into.

In: runs.  Out: a struct of llama.cpp's over arrays of our own, filled again for every decode.  Knows no context.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palimpsest.engine.llama.library import library


@dataclass(frozen=True, slots=True)
class Run:
    """Tokens of one sequence at positions `start, start + 1, …`; `logits`: those after the last one are wanted."""

    tokens: Sequence[int]
    start: int
    seq: int
    logits: bool = False


class Batch:
    """One llama_batch over numpy arrays of our own, filled again for every decode."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._token = np.zeros(capacity, np.int32)
        self._pos = np.zeros(capacity, np.int32)
        self._n_seq = np.ones(capacity, np.int32)
        self._seq = np.zeros(capacity, np.int32)
        self._seq_at = self._seq.ctypes.data + 4 * np.arange(capacity, dtype=np.uintp)
        self._wanted = np.zeros(capacity, np.int8)
        self.struct: Any = library().api.llama_batch()
        for name, array in (
            ("token", self._token),
            ("pos", self._pos),
            ("n_seq_id", self._n_seq),
            ("seq_id", self._seq_at),
            ("logits", self._wanted),
        ):
            setattr(self.struct, name, array.ctypes.data)

    def fill(self, runs: Sequence[Run]) -> list[int | None]:
        """The batch index of each run's wanted logits."""
        total = sum(len(run.tokens) for run in runs)
        assert 0 < total <= self.capacity, f"{total} tokens in a micro-batch of {self.capacity}"
        ends = list(itertools.accumulate(len(run.tokens) for run in runs))
        rows: list[int | None] = []
        self._wanted[:total] = 0
        for run, end in zip(runs, ends, strict=True):
            start = end - len(run.tokens)
            assert run.start >= 0, f"position {run.start}"
            self._token[start:end] = run.tokens
            self._pos[start:end] = np.arange(run.start, run.start + len(run.tokens))
            self._seq[start:end] = run.seq
            self._wanted[end - 1] = run.logits
            rows.append(end - 1 if run.logits else None)
        self.struct.n_tokens = total
        return rows
