"""Healing: what is held back, and which tokens can begin it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.generation.healing import MAX_PIECE, held_back
from palimpsest.engine.llama.vocab import Vocabulary
from tests.native.conftest import MakeEngine

BYTES = [bytes([i]) for i in range(256)]
WORDS = [b"re", b"ret", b"return", b" return", b" ret", b"urn", b"((", b"\xff\xff", b"\xffx", b"ret"]


def vocabulary() -> Vocabulary:
    pieces = [b"<end>", b"<control>", *BYTES, *WORDS]
    return Vocabulary.make(len(pieces), pieces.__getitem__, lambda i: i == 1, {0})


@pytest.mark.parametrize(
    ("prefix", "held"),
    [
        ("", ""),
        ("x = foo", " foo"),
        ("self.items", ".items"),
        ("f(x", "(x"),
        ("print(f(x", "(x"),
        ("foo().bar", "bar"),
        ("    ret", " ret"),
        ("    ", " "),
        ("return ", " "),
        ("x\n", ""),
        ("x\n ", " "),
        ("def f():", "():"),
        ("a ==", " =="),
        ("self._name2", "._name2"),
        ("\t", "\t"),
        ("# größe", " größe"),
        ("x" * (MAX_PIECE + 1), ""),
        ("first\r", ""),
    ],
)
def test_the_piece_held_back(prefix: str, held: str) -> None:
    assert held_back(prefix) == held


@given(st.text(max_size=60))
def test_the_piece_is_the_end_of_one_line(prefix: str) -> None:
    held = held_back(prefix)
    assert prefix.endswith(held)
    assert "\n" not in held


@given(st.text(alphabet="abc_.( \n", max_size=30), st.text(alphabet="abc_", min_size=1, max_size=10))
def test_the_cut_stays_while_a_word_grows(prefix: str, word: str) -> None:
    cuts = {len(text) - len(held_back(text)) for text in (prefix + word[:n] for n in range(1, len(word) + 1))}
    assert len(cuts) == 1


@given(st.binary(min_size=1, max_size=8) | st.sampled_from(WORDS))
def test_beginning_is_what_a_walk_through_the_vocabulary_finds(rest: bytes) -> None:
    vocab = vocabulary()
    slow = {i for i, piece in enumerate(vocab.pieces) if piece and (piece.startswith(rest) or rest.startswith(piece))}
    assert set(vocab.beginning(rest).tolist()) == slow
    assert len(vocab.beginning(rest)) == len(slow), "no token twice"


def test_ends_and_control_tokens_are_no_text() -> None:
    vocab = vocabulary()
    assert vocab.pieces[:2] == (b"", b"")
    assert vocab.hidden.tolist() == [1], "an end may be chosen, a control token may not"
    assert vocab.can_spell(b"any \xff bytes")
    assert not Vocabulary.make(2, [b"a", b"ab"].__getitem__, lambda i: False, ()).can_spell(b"ab")


def test_a_real_vocabulary_spells_what_it_tokenizes(make_engine: MakeEngine) -> None:
    engine = make_engine()
    for text in ("def f(x):\n    return x", "日本 é \x00", "<|fim_prefix|>"):
        tokens = engine.model.tokenize(text)
        assert engine.vocab.text(tokens) == text.encode()
        assert not set(tokens) & engine.facts.ends, "text that spells a special token stays text"


def test_a_lone_surrogate_does_not_abort_the_process(make_engine: MakeEngine) -> None:
    assert make_engine().model.tokenize("a\ud800b") == make_engine().model.tokenize("a?b")
