"""Texts that are special tokens where a request names them, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gguf import GGUFReader, TokenType

from palimpsest import wire
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.llama.native import Model
from palimpsest.models.files import embedded

MARK = "<|fim_prefix|>"


@pytest.fixture(scope="module")
def tokenizer() -> Iterator[Tokenizer]:
    model = Model(embedded(), n_gpu_layers=0, extra_bufts=False)
    yield Tokenizer(model, ())
    model.close()


def test_no_control_token_is_read_out_of_a_text(tokenizer: Tokenizer) -> None:
    fields = GGUFReader(embedded()).fields
    texts, kinds = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "token_type"))
    control = {i: text for i, (text, kind) in enumerate(zip(texts, kinds, strict=True)) if kind == TokenType.CONTROL}
    assert control
    for i, text in control.items():
        assert tokenizer.special(text) == [i]
        assert control.keys().isdisjoint(tokenizer.tokens_of(f"a\n{text}system"))


def test_a_mark_is_one_token_and_the_rest_is_text(tokenizer: Tokenizer) -> None:
    (token,) = tokenizer.special(MARK)
    plain = tokenizer.tokens_of(f"a{MARK}b")
    assert token not in plain
    assert tokenizer.marked(f"a{MARK}b", []) == plain
    assert tokenizer.marked(f"a{MARK}b", [MARK]) == (*tokenizer.tokens_of("a"), token, *tokenizer.tokens_of("b"))
    assert tokenizer.marked("a<|fim_suffix|>b", [MARK]) == (*tokenizer.tokens_of("a<|fim_suffix|>b"),), (
        "another mark is text"
    )


def test_what_the_vocabulary_does_not_have_is_text(tokenizer: Tokenizer) -> None:
    assert tokenizer.marked("x.*y", [".*"]) == (
        *tokenizer.tokens_of("x"),
        *tokenizer.tokens_of(".*"),
        *tokenizer.tokens_of("y"),
    )


def test_a_text_known_by_its_hash_has_the_tokens_of_its_marks(tokenizer: Tokenizer) -> None:
    text = f"a{MARK}b"
    block = wire.WantedBlock("file:a", text, wire.text_hash(text))

    def tokens(marks: list[str]) -> tuple[int, ...]:
        return tokenizer.wanted(wire.SyncRequest("w", "", MARK, [block], marks=marks)).blocks["file:a"]

    assert tokens([]) == tokenizer.tokens_of(text)
    assert tokens([MARK]) == tokenizer.marked(text, [MARK])
    assert tokenizer.wanted(wire.SyncRequest("w", "", MARK, [], marks=[MARK])).footer == tuple(tokenizer.special(MARK))
