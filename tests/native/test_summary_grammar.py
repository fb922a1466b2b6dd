"""The grammar of a summary, in the engine: what a model writes under it can be read."""

from __future__ import annotations

import pytest

from palimpsest import wire
from palimpsest.conversations.compaction.grammar import LISTS, TEXTS, grammar, read
from palimpsest.engine.generation.grammar import check_gbnf
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument
from tests.native.conftest import MakeEngine
from tests.native.helpers import ask

SHORT = {"char{0,240}": "char{0,6}", "char{0,199}": "char{0,6}", "char{1,140}": "char{1,6}", "char{1,100}": "char{1,6}"}


def write(engine: NativeEngine, text: str, rules: str, max_tokens: int, temperature: float = 0.0) -> wire.Choice:
    sampling = wire.Sampling(temperature=temperature, seed=1)
    request = wire.GenerateRequest(
        "w", text=wire.TextTail(text), max_tokens=max_tokens, grammar=rules, sampling=sampling, slot="suggestion"
    )
    return ask(engine, request).choices[0]


def shortened() -> str:
    """The same grammar with short texts, which a model of random weights comes to the end of."""
    text = grammar()
    for long, short in SHORT.items():
        assert long in text
        text = text.replace(long, short)
    return text


def test_the_grammar_is_one_that_the_engine_admits() -> None:
    check_gbnf(grammar())


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_a_summary_cannot_come_out_malformed(make_engine: MakeEngine, temperature: float) -> None:
    engine = make_engine()
    for seed in range(3):
        choice = write(engine, f"# {seed}", shortened(), 2000, temperature)
        assert choice.finish == "end"
        summary = read(choice.text)
        assert summary.goal
        assert all(len(getattr(summary, name)) <= LISTS[name][0] for name in LISTS)
        assert all(len(getattr(summary, name)) <= 7 for name in TEXTS)


def test_a_summary_that_is_cut_is_refused_and_never_half_read(make_engine: MakeEngine) -> None:
    choice = write(make_engine(), "# cut", grammar(), 30)
    assert choice.finish == "length"
    with pytest.raises(InvalidArgument):
        read(choice.text)
