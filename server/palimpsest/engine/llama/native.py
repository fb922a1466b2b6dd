"""The model and its KV cache as llama.cpp has them: tokens, decode, sequence operations, state.

In: token ids, positions, sequence ids.  Out: logits as numpy arrays, state as bytes; return codes as DecodeError.
Every handle belongs to the thread that made it.  Knows no workspace, no block and no text but to tokenize.
"""

import ctypes
import itertools
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from palimpsest.engine.arena.store import Data
from palimpsest.engine.llama.cells import Cells
from palimpsest.engine.llama.layouts import LlamaBatch
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.states import States
from palimpsest.engine.llama.threads import Threads
from palimpsest.errors import DecodeError, InvalidArgument, ModelError
from palimpsest.system.reading import Refused, check_regular, open_regular

Logits = npt.NDArray[np.float32]
"""One row over the vocabulary, a copy of its own."""
LONGEST_TEXT = 1 << 18
"""Characters of a text for a small context; for a large one, `TEXT_FOR_A_TOKEN` for each of its tokens."""
TEXT_FOR_A_TOKEN = 8
PART = re.compile(r"(.*)-\d{5}-of-(\d{5})\.gguf", re.DOTALL)
NO_SLOT = 1
"""llama_decode: no room for the batch, and nothing happened.  After 2 or below −1 part of the batch may stay."""
ABORTED = 2


class Model:
    """A loaded GGUF file and its vocabulary.  `window`: positions that its layers with a sliding window see, 0 without
    such layers."""

    def __init__(self, path: Path, *, n_gpu_layers: int, extra_bufts: bool) -> None:
        """Raises ModelError, naming the file and what to do, when it is missing, cut off or no model."""
        self.path = path
        _check_file(path)
        lib = library()
        self._api = lib.api
        params = self._api.llama_model_default_params()
        params.n_gpu_layers = n_gpu_layers
        if not n_gpu_layers:  # not even as a help with large batches
            self._no_devices = (ctypes.c_void_p * 1)()
            params.devices = ctypes.addressof(self._no_devices)
        params.use_extra_bufts = extra_bufts
        lib.errors.clear()
        self.handle: Any = self._api.llama_model_load_from_file(os.fsencode(path), params)
        if not self.handle:
            reason = f" ({lib.errors[0]})" if lib.errors else ""  # the ones behind it only say that it failed
            raise ModelError(
                f"{path} cannot be loaded{reason}.",
                hint="The file may be cut off or of a newer format: fetch it again, or choose another model.",
            )
        self.vocab: Any = self._api.llama_model_get_vocab(self.handle)
        self.n_vocab = int(self._api.llama_vocab_n_tokens(self.vocab))
        self.longest_text = LONGEST_TEXT
        self.n_bytes = int(self._api.llama_model_size(self.handle))
        self.window = int(self._api.llama_model_n_swa(self.handle))

    def close(self) -> None:
        if self.handle:
            self._api.llama_model_free(self.handle)
            self.handle = None

    def metadata(self, key: str) -> str:
        """A scalar of the file's metadata as text, "" when there is none."""
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            n = self._api.llama_model_meta_val_str(self.handle, key.encode(), buffer, size)
            if n < size:
                return buffer.value.decode("utf-8", "replace") if n >= 0 else ""
            size = n + 1

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Token ids of `text` with nothing added.  Text is not parsed for special tokens unless `special`.

        A lone surrogate becomes "?": llama.cpp aborts the process on bytes that are not UTF-8.  It takes a
        microsecond or two for each character, in which nothing else is done: raises InvalidArgument for a text longer
        than `longest_text`.
        """
        if len(text) > self.longest_text:
            raise InvalidArgument("text", f"is {len(text):,} characters long; {self.longest_text:,} are read at most.")
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
        n = self._api.llama_token_to_piece(self.vocab, token, buffer, 64, 0, special)
        if n < 0:
            buffer = ctypes.create_string_buffer(-n)
            n = self._api.llama_token_to_piece(self.vocab, token, buffer, -n, 0, special)
        return buffer.raw[:n]


def _check_file(path: Path) -> None:
    """What llama.cpp would only say in its log."""
    hint = "Set `model.path`, or choose a model with `palimpsest model use PATH`."
    try:
        with open_regular(path) as file:
            magic = file.read(4)
        for part in _parts(path):
            check_regular(part)
    except FileNotFoundError:
        raise ModelError(f"There is no model file {path}, or a part of it is missing.", hint=hint) from None
    except Refused as error:
        raise ModelError(f"{path}, or a part of it, {error.message}.", hint=hint) from None
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error.strerror or error}.", hint=hint) from error
    if magic != b"GGUF":
        raise ModelError(f"{path} is not a GGUF file.", hint=hint)


def _parts(path: Path) -> list[Path]:
    """All files of a model in several parts, which llama.cpp opens by their names."""
    match = PART.fullmatch(path.name)
    n = int(match[2]) if match else 0
    return [path.with_name(f"{match[1]}-{i:05}-of-{n:05}.gguf") for i in range(1, n + 1)] if match else []


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
        self.struct = LlamaBatch()
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
    `cells` is the account of what is used.  `cache_bytes` and `compute_bytes` are what llama.cpp allocated, to a
    hundredth of a MiB.

    Under a sliding window llama.cpp takes a cell for free that a single sequence has and that its highest position no
    longer sees, though what is there may be attached again, moved or gone back to.  Cells of two sequences it leaves
    alone.  So every sequence has a twin with the same cells (`n_seq_max` higher), and there is one more, for states.
    """

    def __init__(self, model: Model, params: ContextParams) -> None:
        """Raises ModelError when llama.cpp cannot make the context (no memory, types it has no kernels for)."""
        lib = library()
        self._api = api = lib.api
        self._model = model
        self.n_batch = params.n_batch
        self.n_seq_max = params.n_seq_max
        self._twins = params.n_seq_max if model.window else 0
        n_seq = 2 * params.n_seq_max + 1 if self._twins else params.n_seq_max
        wanted = api.llama_context_default_params()
        wanted.n_ctx = params.n_ctx
        # llama.cpp reserves a graph with a token for each sequence, and aborts where a batch cannot hold them
        wanted.n_batch = wanted.n_ubatch = max(params.n_batch, n_seq)
        wanted.n_seq_max = n_seq
        # else room for a row of logits for every token of a batch is reserved; fewer than sequences, and it aborts
        wanted.n_outputs_max = n_seq
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
        self.cells = Cells(self.n_ctx)
        self._states = States(api, self.handle, self.memory, window=model.window, spare=2 * self._twins)
        self.cache_bytes = lib.buffers["KV"] + lib.buffers["RS"]
        self.compute_bytes = lib.buffers["compute"] + lib.buffers["output"]
        self.shift_pending = False
        self._batch = Batch(params.n_batch)
        spin = params.n_threads > 1 and lib.spins and not params.offload
        self._threads = Threads(params.n_threads) if spin else None

    def close(self) -> None:
        if self.handle:
            self._api.llama_free(self.handle)
            self.handle = None

    def decode(self, runs: Sequence[Run]) -> list[Logits | None]:
        """Decode all runs as one micro-batch of at most `n_batch` tokens; for each run its logits, None if not wanted.

        Raises DecodeError with llama_decode's code.  What stayed of the batch (after 2 or below −1) is taken out again,
        as far as this memory can give up a part of a sequence.
        """
        rows = self._batch.fill(runs)
        if self.cells.free < self._batch.struct.n_tokens:
            raise DecodeError("There are too few free cells.", return_code=NO_SLOT)
        code = ABORTED
        try:
            for run in runs:
                self.cells.put(run.seq, run.start, len(run.tokens))
            code = self.call(self._batch.struct)
        finally:
            if code != 0:
                self._take_out(runs)
        if code != 0:
            raise DecodeError(f"llama_decode failed with code {code}.", return_code=code)
        self.shift_pending = False
        for run in runs if self._twins else ():
            self._copy(run.seq, run.seq + self._twins, run.start, run.start + len(run.tokens))
        return [None if row is None else self._logits(row) for row in rows]

    def _take_out(self, runs: Sequence[Run]) -> None:
        """Undo a decode that failed, wherever it did."""
        for run in runs:
            end = run.start + len(run.tokens)
            self.cells.remove(run.seq, run.start, end)
            self._api.llama_memory_seq_rm(self.memory, run.seq, run.start, end)

    def call(self, batch: Any) -> int:
        """llama_decode itself; its own method so that a test can make it fail."""
        if self._threads is None:
            return int(self._api.llama_decode(self.handle, batch))
        began, used = time.perf_counter(), time.process_time()
        n = self._threads.begin(began)
        self._api.llama_set_n_threads(self.handle, n, n)
        code = int(self._api.llama_decode(self.handle, batch))
        ended = time.perf_counter()
        self._threads.ended(ended, ended - began, time.process_time() - used)
        return code

    def _logits(self, row: int) -> Logits:
        pointer = self._api.llama_get_logits_ith(self.handle, row)
        return np.ctypeslib.as_array(pointer, (self._model.n_vocab,)).copy()

    # Sequences; `start, end` half-open, −1 for all

    def remove(self, seq: int, start: int = -1, end: int = -1) -> bool:
        """False when this memory cannot remove a part of a sequence (recurrent models)."""
        removed = bool(self._api.llama_memory_seq_rm(self.memory, seq, start, end))
        if removed:
            self.cells.remove(seq, start, end)
            if self._twins:
                self._api.llama_memory_seq_rm(self.memory, seq + self._twins, start, end)
        return removed

    def copy(self, source: int, target: int, start: int = -1, end: int = -1) -> None:
        """The target shares the source's cells: bookkeeping only."""
        self._copy(source, target, start, end)
        self.cells.copy(source, target, start, end)
        if self._twins:
            self._copy(source, target + self._twins, start, end)

    def shift(self, seq: int, start: int, end: int, delta: int) -> None:
        """Move cells by `delta` positions, for every sequence that shares them; done at the next decode."""
        self._api.llama_memory_seq_add(self.memory, seq, start, end, delta)
        self.cells.shift(seq, start, end, delta)
        self.shift_pending = True

    def _copy(self, source: int, target: int, start: int, end: int) -> None:
        self._api.llama_memory_seq_cp(self.memory, source, target, start, end)

    def first(self, seq: int) -> int:
        """Lowest position, −1 when the sequence is empty."""
        return int(self._api.llama_memory_seq_pos_min(self.memory, seq))

    def last(self, seq: int) -> int:
        """Highest position, −1 when the sequence is empty."""
        return int(self._api.llama_memory_seq_pos_max(self.memory, seq))

    @property
    def can_shift(self) -> bool:
        return bool(self._api.llama_memory_can_shift(self.memory))

    # States

    def save(self, seq: int) -> bytearray:
        """The sequence's cells.  No shift may be pending: the state would not have it."""
        assert not self.shift_pending
        return self._states.save(seq, self.cells.count([seq]))

    def load(self, seq: int, data: Data, start: int, n_tokens: int) -> bool:
        """Put saved cells into an empty sequence, at the positions they were saved at.  False, and the sequence is
        empty, when there is no room, or these are not the `n_tokens` cells from `start` on."""
        if not self._states.load(seq, data, start, n_tokens):
            return False
        self.cells.put(seq, start, n_tokens)
        if self._twins:
            self._copy(seq, seq + self._twins, start, start + n_tokens)
        return True

    def save_partial(self, seq: int) -> bytearray:
        """What cannot be taken apart: a recurrent model's state, of a hybrid one without the attention's cells."""
        return self._states.save_partial(seq)

    def load_partial(self, seq: int, data: Data) -> bool:
        """Put that in the place of what the sequence had of its kind; False when it is no state of this cache."""
        if self._states.load_partial(seq, data):
            return True
        self.remove(seq)
        return False

    def check(self) -> None:
        """Raises AssertionError where llama.cpp has other cells than the account says.  A recurrent memory has none; of
        a hybrid one llama.cpp tells only where a sequence ends."""
        api, model = self._api, self._model.handle
        if api.llama_model_is_recurrent(model):
            return
        first = -1 if api.llama_model_is_hybrid(model) else 0
        for seq in range(self.n_seq_max):
            ours = self.cells.positions(seq)[first:]
            expected = (int(ours[0]), int(ours[-1])) if len(ours) else (-1, -1)
            assert (self.first(seq), self.last(seq)) == expected, (
                f"sequence {seq}: {self.first(seq), self.last(seq)}, {expected}"
            )
