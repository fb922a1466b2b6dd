"""Warming (`max_tokens` 0): the tail is decoded, nothing is said, and the request that follows finds it there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest import wire
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import ask, fim, sync, text

PREFIX, SUFFIX = text(4, 260) + "\n    ", "\n    return 1\n"


def prepared(make_engine: MakeEngine, kind: str, **settings: object) -> NativeEngine:
    engine = make_engine(kind, mode="whole-prompt" if kind == "swa" else "auto", **settings)
    sync(engine, [("x", text(1))])
    return engine


@pytest.mark.parametrize("kind", ["fim", "swa", "mrope", "mamba", "hybrid", "mamba2", "delta", "moe", "mla"])
@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_the_request_after_a_warming_decodes_nothing(make_engine: MakeEngine, kind: str, layout: str) -> None:
    engine = prepared(make_engine, kind)
    real = fim(PREFIX, SUFFIX, layout=layout, max_tokens=6)
    cold = ask(prepared(make_engine, kind), real)
    warm = ask(engine, replace(real, max_tokens=0))
    assert (warm.choices, warm.generated) == ([], 0)
    assert (warm.decoded, warm.reused, warm.tail_tokens) == (cold.decoded, cold.reused, cold.tail_tokens)
    answer = ask(engine, real)
    assert (answer.decoded, answer.reused) == (0, answer.tail_tokens)
    assert answer.choices == [replace(c, logprob=pytest.approx(c.logprob, abs=1e-3)) for c in cold.choices]


@pytest.mark.parametrize("n", [1, 3])
def test_warming_again_keeps_the_answer_that_is_there(make_engine: MakeEngine, n: int) -> None:
    engine = prepared(make_engine, "fim")
    real = fim(PREFIX, SUFFIX, max_tokens=6, n=n, sampling=wire.Sampling(seed=1))
    first = ask(engine, real)
    again = ask(engine, replace(real, max_tokens=0))
    assert (again.choices, again.decoded) == ([], 0)
    after = ask(engine, real)
    assert after.choices == first.choices
    assert after.generated == (0 if n == 1 else n * 6), "one greedy answer is known already"


def test_a_suggestions_tail_is_warmed_whatever_its_grammar(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine, "fim")
    real = wire.GenerateRequest(
        "w", text=wire.TextTail(PREFIX), slot="suggestion", max_tokens=5, grammar='root ::= "L" [0-9]+', draft=8
    )
    warm = ask(engine, replace(real, max_tokens=0))
    assert warm.decoded == warm.tail_tokens
    answer = ask(engine, real)
    assert answer.decoded == 0
    assert answer.choices[0].text.startswith("L")


def test_a_long_tail_is_cut_as_the_request_after_it_cuts_it(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine, "fim", n_ctx=1024)
    for size in range(3000, 3400, 40):
        real = fim(text(0, size), SUFFIX, max_tokens=64)
        ask(engine, replace(real, max_tokens=0))
        assert ask(engine, real).decoded == 0
