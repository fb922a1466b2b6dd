"""Searching for a word: the same choice as weighing every word there is, whatever way the logits fall."""

from __future__ import annotations

import functools
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.generation.known import (
    BLOCK_ONLY,
    CAN_STAND,
    FOR_COUNT,
    KNOWN,
    MOST,
    KnownWord,
    KnownWords,
    typed_word,
)
from palimpsest.engine.generation.words import Lexicon, Logits, WordCandidate, WordSearch, word_end
from palimpsest.engine.llama.vocab import Vocabulary

PIECES = (b"", b" ", b".", b"a", b"b", b"_", b".a", b"ab", b"b(", b"_.", b"\xc3", b"\xa9", b"")
"""The last is an end; the first is hidden."""
END, HIDDEN = len(PIECES) - 1, 0
VOCAB = Vocabulary.make(len(PIECES), PIECES.__getitem__, lambda i: i == HIDDEN, {END})
LEXICON = Lexicon(VOCAB)
N_STEPS = 3


def row_after(tokens: tuple[int, ...], seed: int) -> Logits:
    random = np.random.default_rng([seed, len(tokens), *tokens])
    return (3 * random.standard_normal(len(PIECES))).astype(np.float32)


@functools.lru_cache(4096)
def log_probabilities(tokens: tuple[int, ...], seed: int) -> list[float]:
    wide = row_after(tokens, seed).astype(np.float64)
    found: list[float] = (wide - np.log(np.exp(wide).sum())).tolist()
    return found


def weighed(piece: bytes, boosts: dict[bytes, float], seed: int) -> dict[bytes, float]:
    """Every word that at most `N_STEPS` tokens write, by its best path."""
    found: dict[bytes, float] = {}
    for n in range(1, N_STEPS + 1):
        for tokens in itertools.product(range(len(PIECES)), repeat=n):
            text = b"".join(PIECES[t] for t in tokens)
            if HIDDEN in tokens or END in tokens or not text.startswith(piece):
                continue
            before = b"".join(PIECES[t] for t in tokens[:-1])
            if word_end(before, len(piece)) is not None:
                continue  # the word was over before
            score = sum(log_probabilities(tokens[:i], seed)[t] for i, t in enumerate(tokens))
            end = word_end(text, len(piece))
            if end is None:
                after = log_probabilities(tokens, seed)
                score += math.log(sum(math.exp(after[t]) for t in (1, 2, 6, END)))
            word = text[:end]
            if word == b".":
                continue  # of a word that must follow, nothing
            found[word] = max(found.get(word, -math.inf), score + boosts.get(word, 0.0))
    return found


def searched(piece: bytes, candidates: list[WordCandidate], seed: int, width: int) -> WordSearch:
    search = WordSearch(LEXICON, piece, row_after((), seed), candidates, width=width, most_steps=N_STEPS)
    while search.wanted:
        for path in search.wanted:
            assert path.parent is not None
            assert path.tokens[:-1] == path.parent.tokens
            assert path.text == VOCAB.text(path.tokens)
        search.take([row_after(path.tokens, seed) for path in search.wanted])
    return search


KNOWN_PATHS = {b".ab": (6, 4), b".ab_": (2, 7, 5), b".a\xc3\xa9": (6, 10, 11), b".aab": (6, 7)}


@given(
    st.sampled_from([b".a", b".", b"a", b".ab", b"_"]),
    st.dictionaries(st.sampled_from(sorted(KNOWN_PATHS)), st.floats(0, 8)),
    st.integers(0, 10**6),
)
def test_a_search_as_wide_as_the_vocabulary_finds_the_best_word_of_all(
    piece: bytes, boosts: dict[bytes, float], seed: int
) -> None:
    boosts = {word: boost for word, boost in boosts.items() if word.startswith(piece)}
    candidates = [WordCandidate(word, KNOWN_PATHS[word], boost) for word, boost in boosts.items()]
    search = searched(piece, candidates, seed, width=len(PIECES))
    every = weighed(piece, boosts, seed)
    best = max(every, key=every.__getitem__)
    assert search.best is not None
    assert search.best.value == pytest.approx(every[best], abs=1e-4)
    assert search.best.text == best or every[search.best.text] == pytest.approx(every[best], abs=1e-4)
    for word in search.words:
        assert word.value <= every[word.text] + 1e-4
        assert VOCAB.text(word.tokens).startswith(word.text)
        assert len(word.logprobs) == len(word.tokens)


@given(st.sampled_from([b".a", b"a", b"_"]), st.integers(0, 10**6), st.integers(1, 3))
def test_a_narrow_search_follows_few_paths_and_weighs_what_it_finds_right(piece: bytes, seed: int, width: int) -> None:
    search = searched(piece, [], seed, width)
    every = weighed(piece, {}, seed)
    assert search.n_taken <= width * N_STEPS
    for word in search.words:
        assert word.value <= every[word.text] + 1e-4


def test_a_known_word_is_weighed_though_its_beginning_is_unlikely() -> None:
    row = np.full(len(PIECES), -9.0, np.float32)
    row[[3, 1]] = 9.0, 8.0  # goes on with a, or ends

    def found(boost: float) -> bytes:
        search = WordSearch(LEXICON, b".a", row, [WordCandidate(b".aab", (6, 7), boost)], width=1)
        while search.wanted:
            search.take([row] * len(search.wanted))
        assert search.best is not None
        return search.best.text

    assert found(0.0) != b".aab"
    assert found(40.0) == b".aab"


def test_what_the_best_word_shows_to_be_hopeless_is_not_decoded() -> None:
    def row(**logits: float) -> Logits:
        made = np.full(len(PIECES), -30.0, np.float32)
        for piece, logit in logits.items():
            made[PIECES.index(piece.encode())] = logit
        return made

    search = WordSearch(LEXICON, b"a", row(a=9.0), width=4)
    decoded = list[bytes]()
    while search.wanted:
        decoded += [path.text for path in search.wanted]
        ends = np.full(len(PIECES), -30.0, np.float32)
        ends[1] = 9.0
        search.take([row(a=9.0, b=8.0, ab=7.0, _=6.0) if path.text == b"a" else ends for path in search.wanted])
    assert search.best is not None
    assert search.best.text == b"aa"
    assert {b"aab", b"a_"}.isdisjoint(decoded), "aa is worth more than they can be"


def test_what_ends_inside_a_token_needs_no_decoding_of_that_token() -> None:
    row = np.full(len(PIECES), -9.0, np.float32)
    row[8] = 9.0  # "b("
    search = WordSearch(LEXICON, b"a", row, width=2)
    while search.wanted:
        search.take([row] * len(search.wanted))
    best = search.best
    assert best is not None
    assert (best.text, best.tokens, best.path.tokens) == (b"ab", (3, 8), (3,))


@given(st.text(max_size=12))
def test_a_word_ends_where_it_does_in_text(text: str) -> None:
    expected = re.match(r"\w*", text)
    assert expected is not None
    end = word_end(text.encode("utf-8", "replace"))
    n = len(expected[0].encode())
    assert end == (None if expected[0] == text else n)


def test_half_a_character_may_become_part_of_a_word() -> None:
    assert word_end(b"a\xc3") is None
    assert word_end(b"\xa9") is None


# Which words the prompt knows


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (".it", (".", "it")),
        ("it", ("", "it")),
        (" größ", (" ", "größ")),
        ("(_x1", ("(", "_x1")),
        ("12", None),
        (" = ", None),
        ("", None),
        ("):", None),
    ],
)
def test_only_an_identifier_is_a_word_being_typed(piece: str, expected: tuple[str, str] | None) -> None:
    assert typed_word(piece) == expected


@pytest.mark.parametrize(
    ("piece", "expected"),
    [(".", (".", "")), ("().", ("().", "")), ("->", ("->", "")), (".it", (".", "it")), ("\n", None)],
)
def test_where_it_is_known_which_names_can_stand_nothing_needs_to_be_typed(
    piece: str, expected: tuple[str, str] | None
) -> None:
    assert typed_word(piece, ["items"]) == expected


@pytest.fixture
def words() -> KnownWords[str]:
    return KnownWords(lambda block: block)


def test_identifiers_that_begin_so_are_known_with_what_they_count(words: KnownWords[str]) -> None:
    blocks = ["class Cart:\n    items: list\n    item_count: int", "item_count = 3  # item_count"]
    found = words.beginning("it", "for item in items:\n    item.", "\n    items.clear()", blocks)
    assert {known.word: known.boost for known in found} == {
        "items": pytest.approx(KNOWN + FOR_COUNT * math.log(3)),
        "item": pytest.approx(KNOWN + FOR_COUNT * math.log(2)),
        "item_count": pytest.approx(KNOWN + FOR_COUNT * math.log(2) + BLOCK_ONLY),
    }
    assert [known.word for known in found][:2] == ["item_count", "items"]


def test_names_that_can_stand_count_more(words: KnownWords[str]) -> None:
    names = ["items", "total", "item_names"]
    found = words.beginning("it", "items item", "", [], names)
    assert {known.word: known.boost for known in found} == {
        "items": KNOWN + CAN_STAND,
        "item": KNOWN,
        "item_names": CAN_STAND,
    }
    assert {known.word for known in words.beginning("", "items item", "", ["block"], names)} == set(names)


def test_of_equals_the_nearest_before_the_cursor_comes_first(words: KnownWords[str]) -> None:
    found = words.beginning("a", "ab ac ad", "ae", ["b"])
    assert [known.word for known in found] == ["ad", "ac", "ab", "ae"]


def test_candidates_are_few(words: KnownWords[str]) -> None:
    many = " ".join(f"x{i:03}" for i in range(100))
    assert len(words.beginning("x", many, many, [many])) == MOST
    assert len(words.beginning("x", many, "", [], most=3)) == 3
    assert words.beginning("x", "x" * 500, "", []) == ()


def test_a_block_is_read_once() -> None:
    read = []

    def text_of(block: str) -> str:
        read.append(block)
        return block

    words = KnownWords(text_of)
    for stem in ("n", "na", "nam"):
        assert words.beginning(stem, "", "", ["name"]) == (KnownWord("name", KNOWN + BLOCK_ONLY),)
    assert read == ["name"]
