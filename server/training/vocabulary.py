"""The vocabulary of a GGUF: its tokenizer, and the tokens that stand for prefix, suffix, middle and end.

In: the file's metadata.  Out: a `Vocabulary`, which encodes as llama.cpp does.  Knows no weights and no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from training.tokenizer import QWEN2_SPLIT, Marks

START = "<|endoftext|>"
"""It ends a middle, too, where the file's FIM tokens are its own."""
KNOWN_MARKS = (
    ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", START),
    ("<fim_prefix>", "<fim_suffix>", "<fim_middle>", START),
    ("<file_sep>", "<repo_name>", "<filename>", "<empty_output>"),
)
"""(prefix, suffix, middle, end) by text, where the file names none; the last are tokens that SmolLM2 hardly uses."""
END_KEY = "palimpsest.end_token_id"


class NotABase(Exception):
    """A file that cannot be trained on here; says why."""


@dataclass(frozen=True)
class Vocabulary:
    tokenizer: Tokenizer
    marks: Marks

    def encode(self, text: str) -> list[int]:
        """A text's tokens; one that spells a special token stays text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


def read(path: Path) -> Vocabulary:
    """Raises NotABase."""
    return of({key: field.contents() for key, field in gguf.GGUFReader(path).fields.items()})


def of(fields: Mapping[str, Any]) -> Vocabulary:
    """Of a file's metadata.  Raises NotABase."""
    bpe = tokenizer_of(fields)
    return Vocabulary(bpe, marks_of(fields, bpe))


def tokenizer_of(fields: Mapping[str, Any]) -> Tokenizer:
    """The byte-level BPE of a GGUF with the split that its `pre` names, as llama.cpp does it (`training.parity`)."""
    kind, pre = fields["tokenizer.ggml.model"], fields.get("tokenizer.ggml.pre")
    qwen2 = pre_tokenizers.Split(Regex(QWEN2_SPLIT), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)
    smollm = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False, use_regex=True)
    splits = {"qwen2": qwen2, "smollm": smollm, "starcoder": smollm, "refact": smollm}
    if kind != "gpt2" or pre not in splits:
        raise NotABase(f"a tokenizer of kind {kind}/{pre}; known are gpt2/" + ", gpt2/".join(splits))
    vocabulary = {token: i for i, token in enumerate(fields["tokenizer.ggml.tokens"])}
    merges = [(a, b) for a, b in (merge.split(" ") for merge in fields["tokenizer.ggml.merges"])]
    bpe = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    bpe.pre_tokenizer = pre_tokenizers.Sequence(list(splits[pre]))
    bpe.decoder = decoders.ByteLevel()
    return bpe


def marks_of(fields: Mapping[str, Any], bpe: Tokenizer) -> Marks:
    start = bpe.token_to_id(START)
    named = tuple(fields.get(f"tokenizer.ggml.fim_{x}_token_id") for x in ("pre", "suf", "mid"))
    texts = (tuple(bpe.token_to_id(text) for text in marks) for marks in KNOWN_MARKS)
    found = next((m for m in ((*named, fields.get(END_KEY, start)), *texts) if None not in m), None)
    if found is None or start is None:
        raise NotABase("no tokens for prefix, suffix, middle and end are known for this vocabulary")
    prefix, suffix, middle, end = (int(mark) for mark in found if mark is not None)
    return Marks(start, end, prefix, suffix, middle)
