"""llama.cpp's own grammar sampler over a vocabulary of bytes."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from palimpsest.engine.llama.layouts import CANDIDATE, array_of
from palimpsest.engine.llama.library import library


def byte_vocabulary(path: Path) -> None:
    """A GGUF without tensors whose tokens are the bytes and one end token."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_block_count(1)
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([letters[byte] for byte in range(256)] + ["<|endoftext|>"])
    writer.add_token_types([gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL])
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(256)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Admits:
    """llama.cpp's own sampler for one grammar over the vocabulary of bytes; token ids are bytes, 256 is the end."""

    END = 256

    def __init__(self, vocabulary: Any, grammar: str) -> None:
        self._api = library().api
        self._sampler = self._api.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
        if not self._sampler:
            raise ValueError("llama.cpp does not accept the grammar")

    def allowed(self, tokens: list[int]) -> list[int]:
        found = np.zeros(len(tokens), CANDIDATE)
        found["id"] = tokens
        self._api.llama_sampler_apply(self._sampler, ctypes.byref(array_of(found)))
        return [int(token) for token in found["id"][found["logit"] == 0.0]]

    def accept(self, token: int) -> None:
        self._api.llama_sampler_accept(self._sampler, token)

    def whole(self, text: str) -> bool:
        """Whether the grammar admits exactly this text."""
        for byte in text.encode():
            if not self.allowed([byte]):
                return False
            self.accept(byte)
        return bool(self.allowed([self.END]))

    def close(self) -> None:
        self._api.llama_sampler_free(self._sampler)
