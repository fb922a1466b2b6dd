"""Token healing on every layout: what typing costs, in tokens, while the answer on screen agrees with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest import wire
from palimpsest.engine.cache.tail_prompt import isolated_start
from palimpsest.engine.generation.healing import held_back
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import ask, fim, sync, text

KINDS = ["fim", "swa", "mrope", "mamba", "hybrid", "mamba2", "moe", "mla"]
LAYOUTS = ["spm", "isolated", "psm"]
SUFFIX = "\n    return self.items\n\n" + text(9, 200)
N_SUFFIX_MARKS = 2


def prepared(make_engine: MakeEngine, kind: str) -> NativeEngine:
    engine = make_engine(kind, mode="whole-prompt" if kind == "swa" else "auto")
    sync(engine, [("x", text(1))])
    return engine


def kept_back(prefix: str) -> str:
    return prefix[: len(prefix) - len(held_back(prefix))]


def words_of(engine: NativeEngine, layout: str, start: str) -> tuple[wire.GenerateAnswer, str]:
    """An answer, and as much of its text as can be typed (random weights write halves of characters)."""
    answer = ask(engine, fim(start, SUFFIX, layout=layout, max_tokens=10))
    said = answer.choices[0].text
    return answer, said[: min((said.find(c) for c in "\ufffd\n\r" if c in said), default=len(said))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_typing_inside_a_word_decodes_nothing(make_engine: MakeEngine, kind: str, layout: str) -> None:
    engine = prepared(make_engine, kind)
    n_typed = 0
    for i in range(6):
        start = text(5 * i, 160) + "\n    val"
        answer, said = words_of(engine, layout, start)
        typed = said
        while typed and kept_back(start + typed) != kept_back(start):
            typed = typed[:-1]  # the word that the cursor is in
        for n in range(1, len(typed) + 1):
            again = ask(engine, fim(start + typed[:n], SUFFIX, layout=layout, max_tokens=10))
            assert (again.decoded, again.generated, again.steps) == (0, 0, 0)
            assert typed[:n] + again.choices[0].text == answer.choices[0].text
            n_typed += 1
        elsewhere = ask(engine, fim(start + "_q", SUFFIX, layout=layout, max_tokens=10))
        assert elsewhere.decoded == 0, "the answer is another, the prompt is not"
    assert n_typed >= 6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_word_completed_costs_the_least_that_the_layout_allows(
    make_engine: MakeEngine, kind: str, layout: str
) -> None:
    engine = prepared(make_engine, kind)
    tokens = engine.model.tokenize
    n_counted = 0
    for i in range(8):
        start = text(5 * i, 200) + "\n    val"
        first, said = words_of(engine, layout, start)
        if first.layout != "spm":
            said = "ue.items"  # what is typed costs the same whether the answer agrees or not
        kept = engine.workspaces.open("w").tails["typing"].answer
        assert kept is not None
        for n in range(1, len(said) + 1):
            before, now = tokens(kept_back(start)), tokens(kept_back(start + said[:n]))
            new = len(now) - len(before)
            if new <= 0 or now[: len(before)] != before:
                continue  # the word goes on, or is cut otherwise now
            answer = ask(engine, fim(start + said[:n], SUFFIX, layout=layout, max_tokens=10))
            if layout == "spm":
                agrees = tuple(now[len(before) :]) == tuple(kept.tokens[:new])
                assert answer.decoded == 0 if agrees else answer.decoded <= new
                n_counted += agrees
            elif first.layout == "psm":
                assert answer.decoded == new + len(tokens(SUFFIX)) + N_SUFFIX_MARKS
                n_counted += 1
            elif isolated_start(1 + len(before)) == isolated_start(1 + len(now)):
                assert answer.decoded == new + 1
                n_counted += 1
            break
    assert n_counted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_answers_to_typing_are_those_of_a_cache_that_knew_nothing(
    make_engine: MakeEngine, kind: str, layout: str
) -> None:
    engine = prepared(make_engine, kind)
    start = text(2, 200) + "\n    "
    for typed in ("v", "va", "val", "value", "value.", "value.it", "value", "value = ", "value = self", "x", ""):
        request = fim(start + typed, SUFFIX, layout=layout, max_tokens=5)
        kept = ask(engine, request).choices[0].text
        engine.workspaces.open("w").tails.drop_all()
        ask(engine, replace(request, max_tokens=0))
        assert ask(engine, request).choices[0].text == kept, typed


@pytest.mark.parametrize("kind", ["mamba", "fim"])
def test_another_suffix_leaves_the_prefix(make_engine: MakeEngine, kind: str) -> None:
    """Prefix first: what stands behind the cursor may change, the prefix is decoded already."""
    engine = prepared(make_engine, kind)
    ask(engine, fim(text(2, 200), "\n    one()\n", layout="psm"))
    suffix = "\n    another()\n"
    answer = ask(engine, fim(text(2, 200), suffix, layout="psm"))
    assert answer.decoded == len(engine.model.tokenize(suffix)) + N_SUFFIX_MARKS
