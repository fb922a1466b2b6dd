"""How sure an answer is said to be, and where it ends for that."""

from __future__ import annotations

import math

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.calibration import Calibration
from palimpsest.engine.generation.sampler import log_probability
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import ask, fim, sync, text

PREFIX = "def total(items):\n    return self.val"
SUFFIX = "\n\n\ndef other():\n    pass\n"


@pytest.fixture
def engine(make_engine: MakeEngine) -> NativeEngine:
    engine = make_engine()
    sync(engine, [("x", text(1))])
    return engine


def request(prefix: str = PREFIX, **others: object) -> wire.GenerateRequest:
    return fim(prefix, SUFFIX, **{"max_tokens": 12, **others})


def asked(engine: NativeEngine, question: wire.GenerateRequest) -> wire.Choice:
    """Without what an earlier answer has left."""
    engine.workspaces.open("w").tails.drop_all()
    (choice,) = ask(engine, question).choices
    return choice


@pytest.mark.parametrize("word_search", [0, 4])
def test_a_text_is_less_sure_the_longer_it_is_and_its_end_is_told(engine: NativeEngine, word_search: int) -> None:
    choice = asked(engine, request(word_search=word_search))
    assert choice.sure
    assert [n for n, _ in choice.sure] == sorted({n for n, _ in choice.sure})
    assert choice.sure[-1][0] == len(choice.text)
    assert all(0 <= probability <= 1 for _, probability in choice.sure)


def test_it_is_the_product_of_its_tokens_probabilities_given_what_is_typed(engine: NativeEngine) -> None:
    choice = asked(engine, request("def total(items):\n    return ", heal=False))
    tail = engine.workspaces.open("w").tails["typing"]
    assert tail.answer is not None
    assert tail.logits is not None
    assert tail.answer.logprobs[0] == pytest.approx(log_probability(tail.logits, tail.answer.tokens[0]), abs=1e-4)
    said, ends = b"", {}
    for i, token in enumerate(tail.answer.tokens[: choice.tokens]):
        said += engine.vocab.pieces[token]
        ends[len(said.decode("utf-8", "ignore"))] = math.exp(sum(tail.answer.logprobs[: i + 1]))
    for n, probability in choice.sure:
        assert probability <= ends.get(n, 1.0) + 1e-4


@pytest.mark.parametrize("least", [0.9, 0.5, 0.1, 1e-6])
def test_it_ends_before_the_token_that_goes_below_the_bound(engine: NativeEngine, least: float) -> None:
    whole = asked(engine, request())
    short = asked(engine, request(least=least))
    assert whole.text.startswith(short.text)
    assert short.finish in ("unsure", whole.finish)
    tail = engine.workspaces.open("w").tails["typing"]
    assert tail.answer is not None
    if short.finish == "unsure":
        assert short.tokens < len(tail.answer.tokens)
        assert sum(tail.answer.logprobs[: short.tokens]) - 1e-6 > math.log(least) or short.tokens == 0 or short.sure


def test_less_risk_is_a_shorter_text_and_none_a_whole_one(engine: NativeEngine) -> None:
    texts = [asked(engine, request(risk=risk)).text for risk in (0.01, 1.0, 5.0, 1000.0, 0.0)]
    assert texts == sorted(texts, key=len)
    assert texts[-1] == texts[-2] == asked(engine, request()).text


def test_what_was_not_sure_enough_is_gone_on_from_where_more_of_it_is_typed(engine: NativeEngine) -> None:
    whole = asked(engine, request())
    unsure = asked(engine, request(least=1.0))
    assert (unsure.text, unsure.finish) == ("", "unsure")
    (again,) = ask(engine, request()).choices
    assert again.text == whole.text


def test_a_searched_word_has_its_share_in_what_begins_so(engine: NativeEngine) -> None:
    choice = asked(engine, request(word_search=4))
    tail = engine.workspaces.open("w").tails["typing"]
    assert tail.answer is not None
    word = tail.answer.word
    assert word is not None
    assert word.text.startswith(b".val")
    assert word.unseen >= 0
    shares = [math.exp(word.values[other] - word.values[word.text] + word.logprob(b".val")) for other in word.values]
    assert sum(shares) <= 1 + 1e-6
    longer = word.text[: len(b".val") + 1]
    assert word.logprob(longer) >= word.logprob(b".val"), "fewer words begin so"
    first = word.text.decode()[len(".val") :]
    if choice.text.startswith(first) and first:
        found = dict(choice.sure).get(len(first))
        assert found is None or found <= math.exp(word.logprob(b".val")) + 1e-6
    assert np.isfinite(word.logprob(b".val"))


def test_a_place_where_its_own_word_goes_on_is_no_end(engine: NativeEngine) -> None:
    """Else "EX" of "EXEC" would be as sure as that the word ends there, and what follows it certain."""
    said = [
        asked(
            engine, request(f"def total(items):\n    return {begun}", heal=False, word_search=0, max_tokens=max_tokens)
        )
        for begun in ("", "it", "x + ", "self.zymurgy + zym", "len(")
        for max_tokens in (3, 8, 24)
    ]
    inside = [
        choice
        for choice in said
        if any(f"{choice.text[n - 1]}{choice.text[n]}".isalnum() for n, _ in choice.sure if n < len(choice.text))
    ]
    assert not inside


def test_how_probable_it_is_said_to_be_follows_the_calibration(engine: NativeEngine) -> None:
    flat = Calibration(0.5, 0.2)
    plain, calibrated = asked(engine, request()), asked(engine, request(calibration=flat))
    assert [n for n, _ in plain.sure] == [n for n, _ in calibrated.sure]
    said = [flat.of(probability) for _, probability in plain.sure]
    assert [probability for _, probability in calibrated.sure] == pytest.approx(said, abs=1e-3)
    bound = flat.of(0.3)
    assert asked(engine, request(calibration=flat, least=bound)).text == asked(engine, request(least=0.3)).text
