"""The model and its KV cache as llama.cpp has them: tokens, decode, sequence operations, state.

In: token ids, positions, sequence ids.  Out: logits as numpy arrays, state as bytes; return codes as DecodeError.
Every handle belongs to the thread that made it.  Knows no workspace, no block and no text but to tokenize.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from palimpsest.errors import DecodeError, ModelError
from palimpsest.kv.llama.library import library

Logits = npt.NDArray[np.float32]
"""One row over the vocabulary, a copy of its own."""
NO_SLOT = 1
"""llama_decode: no room for the batch, and nothing happened.  After 2 or below −1 part of the batch may stay."""
PARTIAL = 1  # LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY


@dataclass(frozen=True, slots=True)
class Run:
    """Tokens of one sequence at positions `start, start + 1, …`; `logits`: those after the last one are wanted."""

    tokens: Sequence[int]
    start: int
    seq: int
    logits: bool = False


class Model:
    """A loaded GGUF file and its vocabulary."""

    def __init__(self, path: Path, *, n_gpu_layers: int, extra_bufts: bool) -> None:
        """Raises ModelError, naming the file and what to do, when it is missing, cut off or no model."""
        self.path = path
        _check_file(path)
        lib = library()
        self._api = lib.api
        params = self._api.llama_model_default_params()
        params.n_gpu_layers = n_gpu_layers
        params.use_extra_bufts = extra_bufts
        lib.errors.clear()
        self.handle: Any = self._api.llama_model_load_from_file(os.fsencode(path), params)
        if not self.handle:
            reason = f" ({lib.errors[-1]})" if lib.errors else ""
            raise ModelError(
                f"{path} cannot be loaded{reason}.",
                hint="The file may be cut off or of a newer format: fetch it again, or choose another model.",
            )
        self.vocab: Any = self._api.llama_model_get_vocab(self.handle)
        self.n_vocab = int(self._api.llama_vocab_n_tokens(self.vocab))
        self.n_bytes = int(self._api.llama_model_size(self.handle))

    def close(self) -> None:
        if self.handle:
            self._api.llama_model_free(self.handle)
            self.handle = None

    def metadata(self, key: str) -> str:
        """A scalar of the file's metadata as text, "" when there is none."""
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            out = ctypes.cast(buffer, ctypes.c_char_p)
            n = self._api.llama_model_meta_val_str(self.handle, key.encode(), out, size)
            if n < size:
                return buffer.value.decode("utf-8", "replace") if n >= 0 else ""
            size = n + 1

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Token ids of `text` with nothing added.  Text is not parsed for special tokens unless `special`.

        A lone surrogate becomes "?": llama.cpp aborts the process on bytes that are not UTF-8.
        """
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        out = (ctypes.c_int32 * room)()
        n = self._api.llama_tokenize(self.vocab, raw, len(raw), out, room, False, special)
        if n < 0:
            out = (ctypes.c_int32 * -n)()
            n = self._api.llama_tokenize(self.vocab, raw, len(raw), out, -n, False, special)
        assert n >= 0, f"llama_tokenize: {n}"
        return out[:n]

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes a token stands for; b"" for a control token unless `special`."""
        buffer = ctypes.create_string_buffer(64)
        n = self._api.llama_token_to_piece(self.vocab, token, ctypes.cast(buffer, ctypes.c_char_p), 64, 0, special)
        if n < 0:
            buffer = ctypes.create_string_buffer(-n)
            n = self._api.llama_token_to_piece(self.vocab, token, ctypes.cast(buffer, ctypes.c_char_p), -n, 0, special)
        return buffer.raw[:n]


def widen(path: Path, to: Path) -> bool:
    """Write a copy of a model with all weights in f32; False when llama.cpp cannot."""
    _check_file(path)
    api = library().api
    params = api.llama_model_quantize_default_params()
    params.ftype = 0  # LLAMA_FTYPE_ALL_F32
    params.allow_requantize = True
    return int(api.llama_model_quantize(os.fsencode(path), os.fsencode(to), ctypes.byref(params))) == 0


def _check_file(path: Path) -> None:
    """What llama.cpp would only say in its log."""
    hint = "Set `model.path`, or choose a model with `palimpsest model use PATH`."
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise ModelError(f"There is no model file {path}.", hint=hint) from None
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error.strerror or error}.", hint=hint) from error
    if magic != b"GGUF":
        raise ModelError(f"{path} is not a GGUF file.", hint=hint)


@dataclass(frozen=True, slots=True)
class ContextParams:
    """`type_k` and `type_v` are ggml's type numbers; `flash_attention` −1 auto, 0 off, 1 on."""

    n_ctx: int
    n_batch: int
    n_seq_max: int
    n_threads: int
    type_k: int
    type_v: int
    flash_attention: int
    offload: bool


class Context:
    """The cache and the compute around it.  Positions of a sequence continue at its highest, or start anywhere.
    `cache_bytes` and `compute_bytes` are what llama.cpp allocated, to a hundredth of a MiB."""

    def __init__(self, model: Model, params: ContextParams) -> None:
        """Raises ModelError when llama.cpp cannot make the context (no memory, types it has no kernels for)."""
        lib = library()
        self._api = api = lib.api
        self._model = model
        self.n_batch = params.n_batch
        self.n_seq_max = params.n_seq_max
        wanted = api.llama_context_default_params()
        wanted.n_ctx = params.n_ctx
        # llama.cpp reserves a graph with a token for each sequence, and aborts where a batch cannot hold them
        wanted.n_batch = wanted.n_ubatch = max(params.n_batch, params.n_seq_max)
        wanted.n_seq_max = params.n_seq_max
        if hasattr(wanted, "n_outputs_max"):  # else room for a row of logits for every token of a batch is reserved
            wanted.n_outputs_max = params.n_seq_max  # fewer than sequences, and llama.cpp aborts
        wanted.n_threads = wanted.n_threads_batch = params.n_threads
        wanted.type_k, wanted.type_v = params.type_k, params.type_v
        wanted.flash_attn_type = params.flash_attention
        wanted.offload_kqv = params.offload
        wanted.kv_unified = True  # seq_cp shares cells instead of copying them
        wanted.swa_full = True  # otherwise a window's cache forgets what an edit still needs
        wanted.no_perf = True
        lib.errors.clear()
        lib.buffers.clear()
        self.handle: Any = api.llama_init_from_model(model.handle, wanted)
        if not self.handle:
            reason = f": {lib.errors[-1]}" if lib.errors else ""
            raise ModelError(
                f"llama.cpp cannot make a cache of {params.n_ctx} tokens{reason}.",
                hint="Set a smaller `engine.n_ctx`, or KV types and flash attention that go together.",
            )
        self.memory: Any = api.llama_get_memory(self.handle)
        self.n_ctx = int(api.llama_n_ctx(self.handle))
        self.cache_bytes = lib.buffers["KV"] + lib.buffers["RS"]
        self.compute_bytes = lib.buffers["compute"] + lib.buffers["output"]
        self.shift_pending = False
        self._batch = _Batch(params.n_batch)

    def close(self) -> None:
        if self.handle:
            self._api.llama_free(self.handle)
            self.handle = None

    def decode(self, runs: Sequence[Run]) -> list[Logits | None]:
        """Decode all runs as one micro-batch of at most `n_batch` tokens; for each run its logits, None if not wanted.

        Raises DecodeError with llama_decode's code: after 1 nothing changed, after 2 or below −1 part may stay.
        """
        rows = self._batch.fill(runs)
        code = self.call(self._batch.struct)
        if code != 0:
            raise DecodeError(f"llama_decode failed with code {code}.", return_code=code)
        self.shift_pending = False
        return [None if row is None else self._logits(row) for row in rows]

    def call(self, batch: Any) -> int:
        """llama_decode itself; its own method so that a test can make it fail."""
        return int(self._api.llama_decode(self.handle, batch))

    def _logits(self, row: int) -> Logits:
        pointer = self._api.llama_get_logits_ith(self.handle, row)
        return np.ctypeslib.as_array(pointer, (self._model.n_vocab,)).copy()

    # Sequences; `start, end` half-open, −1 for all

    def remove(self, seq: int, start: int = -1, end: int = -1) -> bool:
        """False when this memory cannot remove a part of a sequence (recurrent models)."""
        return bool(self._api.llama_memory_seq_rm(self.memory, seq, start, end))

    def copy(self, source: int, target: int, start: int = -1, end: int = -1) -> None:
        """The target shares the source's cells: bookkeeping only."""
        self._api.llama_memory_seq_cp(self.memory, source, target, start, end)

    def shift(self, seq: int, start: int, end: int, delta: int) -> None:
        """Move cells by `delta` positions, for every sequence that shares them; done at the next decode."""
        self._api.llama_memory_seq_add(self.memory, seq, start, end, delta)
        self.shift_pending = True

    def first(self, seq: int) -> int:
        """Lowest position, −1 when the sequence is empty."""
        return int(self._api.llama_memory_seq_pos_min(self.memory, seq))

    def last(self, seq: int) -> int:
        """Highest position, −1 when the sequence is empty."""
        return int(self._api.llama_memory_seq_pos_max(self.memory, seq))

    @property
    def can_shift(self) -> bool:
        return bool(self._api.llama_memory_can_shift(self.memory))

    def save(self, seq: int, *, partial: bool = False) -> bytearray:
        """The sequence's state.  No shift may be pending: the state would not have it.

        `partial`: of a hybrid model only what cannot be taken apart, without the attention's cells.
        """
        assert not self.shift_pending
        flags = PARTIAL if partial else 0
        size = self._api.llama_state_seq_get_size_ext(self.handle, seq, flags)
        data = bytearray(size)
        buffer = (ctypes.c_uint8 * size).from_buffer(data)
        n = self._api.llama_state_seq_get_data_ext(self.handle, buffer, size, seq, flags)
        del buffer
        assert n == size, f"{n} bytes of state, {size} announced"
        return data

    def load(self, seq: int, data: bytes | bytearray | memoryview, *, partial: bool = False) -> bool:
        """Put a saved state into an empty sequence, at the positions it was saved at; False when there is no room, or
        it is no state of this cache.  A `partial` one takes the place of what the sequence had of its kind."""
        raw = bytearray(data) if not isinstance(data, bytearray) else data
        buffer = (ctypes.c_uint8 * len(raw)).from_buffer(raw)
        flags = PARTIAL if partial else 0
        n = self._api.llama_state_seq_set_data_ext(self.handle, buffer, len(raw), seq, flags)
        del buffer
        if n == 0:
            self.remove(seq)
        return bool(n)


class _Batch:
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
            kind = dict(self.struct._fields_)[name]
            setattr(self.struct, name, ctypes.cast(array.ctypes.data, kind))

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
