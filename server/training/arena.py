"""llama.cpp for measuring: tokens at positions, blocks alone behind their own header.

In: a GGUF.  Out: tokenizations and logits.  llama.cpp's functions and no part of the cache: this is the measuring
instrument, kept apart from the engine it measures for; what a word is, it has from there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from palimpsest.engine.generation.words import Lexicon
from palimpsest.engine.llama.layouts import CANDIDATE, array_of
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Batch, Run
from palimpsest.engine.llama.vocab import Vocabulary

MAIN, SCRATCH = 0, 1
N_SEQUENCES = 40
"""Those from SCRATCH on are for paths that are tried beside each other."""
Floats = npt.NDArray[np.float32]


class Grammar:
    """Which tokens a GBNF admits next, as a reply is written."""

    def __init__(self, arena: Arena, text: str) -> None:
        self.sampler = arena.api.llama_sampler_init_grammar(arena.vocabulary, text.encode(), b"root")
        assert self.sampler, "not a grammar"
        self.api = arena.api
        self.candidates = np.zeros(arena.n_vocabulary, CANDIDATE)

    def best(self, logits: Floats) -> int:
        """The likeliest token that is admitted."""
        self.candidates["id"], self.candidates["logit"] = np.arange(len(logits)), logits
        self.api.llama_sampler_apply(self.sampler, ctypes.byref(array_of(self.candidates)))
        return int(self.candidates["logit"].argmax())

    def accept(self, token: int) -> None:
        self.api.llama_sampler_accept(self.sampler, token)

    def close(self) -> None:
        self.api.llama_sampler_free(self.sampler)


class Arena:
    """One context.  `main` is the sequence that a tail is decoded in."""

    def __init__(self, path: Path, n_context: int = 4096, n_threads: int = 2) -> None:
        self.api = ll = library().api  # made ready once a process; logs to whom the engine beside this one listens to
        model = ll.llama_model_default_params()
        model.use_extra_bufts = False  # a Q8_0 model segfaults on a CPU with AMX otherwise
        self.model = ll.llama_model_load_from_file(str(path).encode(), model)
        assert self.model, f"no model in {path}"
        context = ll.llama_context_default_params()
        context.n_ctx, context.n_seq_max, context.kv_unified = n_context, N_SEQUENCES, True
        context.n_batch, context.n_ubatch = 2048, 512
        context.n_threads = context.n_threads_batch = n_threads
        self.context = ll.llama_init_from_model(self.model, context)
        self.memory, self.vocabulary = ll.llama_get_memory(self.context), ll.llama_model_get_vocab(self.model)
        self.n_vocabulary: int = ll.llama_vocab_n_tokens(self.vocabulary)
        self.pieces = [self._piece(token) for token in range(self.n_vocabulary)]
        v = self.vocabulary
        self.fim = ll.llama_vocab_fim_pre(v), ll.llama_vocab_fim_suf(v), ll.llama_vocab_fim_mid(v)
        self.ends = {token for token in range(self.n_vocabulary) if ll.llama_vocab_is_eog(v, token)}
        self._fitting: dict[bytes, list[int]] = {}
        vocabulary = Vocabulary.make(
            self.n_vocabulary, self.pieces.__getitem__, lambda t: not self.pieces[t], self.ends
        )
        self.lexicon = Lexicon(vocabulary)

    def close(self) -> None:
        self.api.llama_free(self.context)
        self.api.llama_model_free(self.model)

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(256)
        n = self.api.llama_token_to_piece(self.vocabulary, token, buffer, 256, 0, False)
        return buffer.raw[: max(n, 0)]

    def metadata(self, key: str) -> str:
        buffer = ctypes.create_string_buffer(512)
        n = self.api.llama_model_meta_val_str(self.model, key.encode(), buffer, 512)
        return buffer.value.decode() if n >= 0 else ""

    def tokens(self, text: str, bos: bool = False) -> list[int]:
        """Tokens of a text; with `bos` as the engine makes a header.  Special tokens in a text stay text."""
        raw = text.encode()
        buffer = (ctypes.c_int32 * (len(raw) + 2))()
        n = self.api.llama_tokenize(self.vocabulary, raw, len(raw), buffer, len(raw) + 2, bos, False)
        assert n >= 0
        return list(buffer[:n])

    def fitting(self, left: bytes) -> list[int]:
        """The tokens that an answer beginning with `left` may begin with."""
        if left not in self._fitting:
            self._fitting[left] = [
                t for t, piece in enumerate(self.pieces) if piece and (left.startswith(piece) or piece.startswith(left))
            ]
        return self._fitting[left]

    def clear(self) -> None:
        self.api.llama_memory_seq_rm(self.memory, -1, -1, -1)

    def cut_back(self, position: int) -> None:
        """Forget the main sequence from a position on."""
        self.api.llama_memory_seq_rm(self.memory, MAIN, position, -1)

    def decode(self, tokens: Sequence[int], start: int, n_logits: int = 0, sequence: int = MAIN) -> Floats:
        """Decode at positions `start…`; logits of the last `n_logits` tokens, (n_logits, n_vocabulary)."""
        n = len(tokens)
        placed = [(token, start + i, sequence, i >= n - n_logits) for i, token in enumerate(tokens)]
        return self._decode(placed)

    def after(self, paths: Sequence[Sequence[int]], start: int) -> Floats:
        """The logits after each of some paths behind the main sequence, which stays as it is; all in one batch."""
        placed: list[tuple[int, int, int, bool]] = []
        for sequence, path in enumerate(paths, SCRATCH):
            assert sequence < N_SEQUENCES, f"{len(paths)} paths"
            self.api.llama_memory_seq_cp(self.memory, MAIN, sequence, 0, start)
            placed += [(token, start + i, sequence, i == len(path) - 1) for i, token in enumerate(path)]
        rows = self._decode(placed)
        for sequence, _ in enumerate(paths, SCRATCH):
            self.api.llama_memory_seq_rm(self.memory, sequence, -1, -1)
        return rows

    def _decode(self, placed: Sequence[tuple[int, int, int, bool]]) -> Floats:
        """Tokens with their positions, sequences and whether their logits are wanted."""
        batch = Batch(len(placed))
        batch.fill([Run([token], position, sequence, wanted) for token, position, sequence, wanted in placed])
        code = self.api.llama_decode(self.context, batch.struct)
        assert code == 0, f"llama_decode answered {code}"
        rows = [
            np.ctypeslib.as_array(self.api.llama_get_logits_ith(self.context, i), (self.n_vocabulary,)).copy()
            for i, (_, _, _, wanted) in enumerate(placed)
            if wanted
        ]
        return np.stack(rows) if rows else np.zeros((0, self.n_vocabulary), np.float32)

    def redecode(self, tokens: Sequence[int], start: int) -> None:
        """Encode what stands there anew, behind all that the main sequence has before it."""
        self.api.llama_memory_seq_rm(self.memory, MAIN, start, start + len(tokens))
        self.api.llama_memory_seq_cp(self.memory, MAIN, SCRATCH, 0, start)
        self.decode(tokens, start, 0, SCRATCH)
        self.api.llama_memory_seq_cp(self.memory, SCRATCH, MAIN, start, start + len(tokens))
        self.api.llama_memory_seq_rm(self.memory, SCRATCH, -1, -1)

    def put(self, header: Sequence[int], tokens: Sequence[int], start: int) -> None:
        """Sink replay: encode behind a copy of the header, hand only the block to the main sequence."""
        self.decode([*header, *tokens], start - len(header), 0, SCRATCH)
        self.api.llama_memory_seq_cp(self.memory, SCRATCH, MAIN, start, start + len(tokens))
        self.api.llama_memory_seq_rm(self.memory, SCRATCH, -1, -1)
