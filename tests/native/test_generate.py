"""Answers: grammar, stop strings, limits, alternatives, streaming."""

from __future__ import annotations

import re

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.generation.answer import GeneratedText
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.sampler import log_probability
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument
from tests.native.conftest import MakeEngine
from tests.native.helpers import ask, done, fim, sync, text


@pytest.fixture
def engine(make_engine: MakeEngine) -> NativeEngine:
    engine = make_engine()
    sync(engine, [("x", text(1))])
    return engine


def write(engine: NativeEngine, content: str = "def f(", **others: object) -> wire.GenerateAnswer:
    values: dict[str, object] = {"max_tokens": 12, "slot": "suggestion", **others}
    return ask(engine, wire.GenerateRequest("w", text=wire.TextTail(content), **values))  # type: ignore[arg-type]


GRAMMARS = [
    (r'root ::= "yes" | "no"', r"yes|no"),
    (r'root ::= [0-9]{3} "-" [a-f]{1,6} "."', r"[0-9]{3}-[a-f]{1,6}\."),
    (r'root ::= ("L" [1-3] " " [^\n]{0,12} "\n"){2}', r"(L[1-3] [^\n]{0,12}\n){2}"),
    ('root ::= "é" [α-ω]{2} "日本"', r"é[α-ω]{2}日本"),
]


@pytest.mark.parametrize(("grammar", "pattern"), GRAMMARS)
@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_a_reply_under_a_grammar_matches_it(
    engine: NativeEngine, grammar: str, pattern: str, temperature: float
) -> None:
    for seed in range(4):
        sampling = wire.Sampling(temperature=temperature, seed=seed)
        choice = write(engine, f"# {seed}", grammar=grammar, sampling=sampling, max_tokens=200).choices[0]
        assert choice.finish == "end"
        # bytes that are no UTF-8 are one character to llama.cpp's grammar, and up to four of Python's
        assert re.fullmatch(pattern, re.sub("\ufffd{1,4}", "\ufffd", choice.text)), choice.text


def test_a_grammar_cut_off_is_the_beginning_of_a_match(engine: NativeEngine) -> None:
    choice = write(engine, grammar='root ::= "abc" [0-9]{40}', max_tokens=4).choices[0]
    assert choice.finish == "length"
    assert re.fullmatch(r"abc[0-9]*|a|ab", choice.text)


def test_what_is_no_grammar_is_an_error(engine: NativeEngine) -> None:
    for grammar in ("root ::= (", "start ::= 'x'", "no grammar at all"):
        with pytest.raises(InvalidArgument) as caught:
            write(engine, grammar=grammar)
        assert caught.value.field == "grammar"


def test_greedy_answers_are_the_most_probable_tokens(engine: NativeEngine) -> None:
    choice = write(engine, max_tokens=1).choices[0]
    tail = engine.workspaces.open("w").tails["suggestion"]
    assert tail.logits is not None
    best = int(tail.logits.argmax())
    assert choice.text == engine.vocab.pieces[best].decode("utf-8", "ignore")
    assert choice.logprob == pytest.approx(log_probability(tail.logits, best))


def test_what_is_typed_of_a_word_does_not_count_against_it(engine: NativeEngine) -> None:
    request = fim("def total(items):\n    return self.val", "\n\n\ndef other():\n    pass\n", max_tokens=6)
    (choice,) = ask(engine, request).choices
    tail = engine.workspaces.open("w").tails["typing"]
    assert tail.logits is not None
    assert tail.answer is not None
    begins = [
        i
        for i, piece in enumerate(engine.vocab.pieces)
        if piece and (b".val".startswith(piece) or piece.startswith(b".val"))
    ]
    typed = np.log(sum(np.exp(log_probability(tail.logits, i)) for i in begins))
    assert typed < -0.1
    total = sum(tail.answer.logprobs[: choice.tokens])
    assert choice.logprob * choice.tokens == pytest.approx(total - typed, abs=1e-4)


def test_log_probabilities_sum_to_one() -> None:
    logits = np.array([1.0, -2.0, 7.5, 0.0], np.float32)
    assert sum(np.exp(log_probability(logits, i)) for i in range(4)) == pytest.approx(1.0)


def test_a_seed_repeats_and_another_does_not(engine: NativeEngine) -> None:
    def sampled(seed: int) -> str:
        return (
            write(engine, sampling=wire.Sampling(temperature=30.0, top_k=0, min_p=0.0, top_p=1.0, seed=seed))
            .choices[0]
            .text
        )

    assert sampled(3) == sampled(3)
    assert len({sampled(seed) for seed in range(4)}) > 1


def test_a_penalty_forbids_repetition(engine: NativeEngine) -> None:
    plain = write(engine, max_tokens=24).choices[0].text
    penalized = write(engine, max_tokens=24, sampling=wire.Sampling(repeat_penalty=100.0)).choices[0].text
    assert plain != penalized


def test_alternatives_differ_and_the_first_is_the_one_alone(engine: NativeEngine) -> None:
    alone = write(engine, n=1).choices[0].text
    sampling = wire.Sampling(seed=5, min_p=0.0, top_k=0, top_p=1.0)
    answer = write(engine, n=4, sampling=sampling)
    texts = [choice.text for choice in answer.choices]
    assert texts[0] == alone
    assert texts == [choice.text for choice in write(engine, n=4, sampling=sampling).choices]
    assert answer.generated == 4 * 12
    assert write(engine, n=1).choices[0].text == alone, "alternatives leave nothing behind"


def test_a_stop_string_ends_and_is_not_in_the_text(engine: NativeEngine) -> None:
    whole = write(engine, max_tokens=12).choices[0].text
    stop = whole[4:9]
    choice = write(engine, max_tokens=12, stop=[stop]).choices[0]
    assert choice.finish == "stop"
    assert choice.text == whole[: whole.index(stop)]


@pytest.mark.parametrize(("start", "end", "rest"), [(3, 6, ""), (-2, None, "never")])
def test_streamed_text_is_the_answer_whatever_the_stop_string(
    engine: NativeEngine, start: int, end: int | None, rest: str
) -> None:
    stop = write(engine, max_tokens=12).choices[0].text[start:end] + rest
    pieces: list[tuple[int, str]] = []
    tail = wire.TextTail("def f(")
    request = wire.GenerateRequest("w", text=tail, slot="suggestion", max_tokens=12, stop=[stop], n=2)
    answer = done(
        generate(engine.generator, engine.workspaces.open("w"), request, lambda i, piece: pieces.append((i, piece)))
    )
    for i, choice in enumerate(answer.choices):
        assert "".join(piece for j, piece in pieces if j == i) == choice.text


def test_a_time_limit_ends_an_answer(engine: NativeEngine) -> None:
    choice = write(engine, max_tokens=500, time_ms=1).choices[0]
    assert choice.finish == "time"
    assert choice.tokens < 500


def test_nothing_new_decodes_nothing_also_with_other_sampling(engine: NativeEngine) -> None:
    write(engine)
    answer = write(engine, sampling=wire.Sampling(temperature=1.0, seed=1))
    assert (answer.decoded, answer.reused) == (0, answer.tail_tokens)


def test_fim_tokens_end_an_answer(make_engine: MakeEngine) -> None:
    """A model that begins another FIM prompt by itself has nothing more to say."""
    engine = make_engine()
    assert engine.facts.fim is not None
    assert {engine.facts.fim.prefix, engine.facts.fim.suffix, engine.facts.fim.middle} <= engine.facts.ends
    assert not engine.facts.ends & set(engine.vocab.beginning(b"a").tolist())


# The text alone


def test_a_stop_string_split_over_tokens_is_held_back() -> None:
    answer = GeneratedText(["\n\n"])
    assert [answer.push(piece) for piece in (b"a\n", b"b", b"\n", b"\nc")] == ["a", "\nb", "", ""]
    assert answer.stopped
    assert answer.text == "a\nb"


def test_half_a_character_is_held_back_and_dropped_at_the_end() -> None:
    answer = GeneratedText([])
    raw = "é日".encode()
    assert [answer.push(raw[i : i + 1]) for i in range(4)] == ["", "é", "", ""]
    assert answer.finish() == ""
    assert answer.text == "é"


def test_the_healed_piece_is_not_text() -> None:
    answer = GeneratedText(["x"], skip=3)
    assert [answer.push(piece) for piece in (b"re", b"turn", b" y")] == ["", "urn", " y"]


def test_of_several_stop_strings_the_first_in_the_text_wins() -> None:
    answer = GeneratedText(["later", "soon"])
    answer.push(b"it comes soon, not later")
    assert answer.text == "it comes "


def test_a_long_request_is_healed_under_no_grammar_only(engine: NativeEngine) -> None:
    request = fim("    ret", grammar='root ::= "urn" .*', max_tokens=3)
    assert ask(engine, request).healed == ""
