"""The embedded model's vocabulary: byte-level BPE over qwen2's split, 4,096 tokens.

In: texts (to make it) or `tokenizer.json` (to use it).  Out: token ids.
The split must be the one that llama.cpp runs for `tokenizer.ggml.pre = "qwen2"`; `evaluate` compares the two.
Once a model is published the file must not change: the vocabulary is part of the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = (
    "<|endoftext|>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
)
END, PREFIX, MIDDLE, SUFFIX = range(4)


@dataclass(frozen=True, slots=True)
class Marks:
    """Tokens with a meaning.  `start` stands in front of a header, `end` ends a middle.  Where these are two tokens,
    the end is never read: its row of a tied embedding is a classifier of its own, learned beside the rest."""

    start: int
    end: int
    prefix: int
    suffix: int
    middle: int

    @property
    def has_own_end(self) -> bool:
        return self.end != self.start

    @property
    def rows(self) -> list[int]:
        """Those whose embeddings are learned."""
        return [self.prefix, self.suffix, self.middle, *([self.end] if self.has_own_end else [])]


MARKS = Marks(END, END, PREFIX, SUFFIX, MIDDLE)
N_VOCABULARY = 4096
FILE = Path(__file__).with_name("tokenizer.json")
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def make(texts: Iterable[str], file: Path = FILE) -> Tokenizer:
    """Learn the merges from texts and write the file."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2_SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=N_VOCABULARY,
            special_tokens=list(SPECIAL),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.save(str(file), pretty=False)
    return tokenizer


def load(file: Path = FILE) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.encode_special_tokens = True  # that is: as the text they are spelt with
    return tokenizer


def encode_all(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Ids of each text; text that spells a special token stays text."""
    return [encoding.ids for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
