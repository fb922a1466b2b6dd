"""Prompt-lookup speculation: the same answer with any draft, in fewer micro-batches where the prompt foretells it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest import wire
from palimpsest.engine.generation.draft import GAP, Drafter
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import about, ask, fim, sync, text


@pytest.fixture
def embedded(make_engine: MakeEngine) -> NativeEngine:
    """With f32 weights: quantized ones round otherwise in a larger batch, which may decide a near tie."""
    engine = make_engine("embedded-f32", n_ctx=2048)
    sync(engine, [("x", text(1))])
    return engine


def cold(engine: NativeEngine, request: wire.GenerateRequest, workspace: str = "w") -> wire.GenerateAnswer:
    engine.workspaces.open(workspace).tails.drop_all()
    return ask(engine, request)


def same(engine: NativeEngine, request: wire.GenerateRequest, drafts: tuple[int, ...] = (1, 3, 8, 40)) -> int:
    """Tokens accepted over all `drafts`, whose answers are as the one without."""
    plain = cold(engine, request)
    assert (plain.drafted, plain.accepted) == (0, 0)
    n_accepted = 0
    for draft in drafts:
        answer = cold(engine, replace(request, draft=draft))
        assert answer.choices == list(map(about, plain.choices))
        assert answer.generated == plain.generated
        assert answer.steps - (plain.steps - answer.accepted) in (0, 1)  # 1: the last token was in a draft
        n_accepted += answer.accepted
    return n_accepted


REPEATED = "    def one(self):\n        return self.items\n\n" * 6 + "    def one("
COUNTED = "x = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2,"


def written(content: str, **others: object) -> wire.GenerateRequest:
    values: dict[str, object] = {"max_tokens": 40, "slot": "suggestion", **others}
    return wire.GenerateRequest("w", text=wire.TextTail(content), **values)  # type: ignore[arg-type]


def test_what_stands_there_again_is_accepted(embedded: NativeEngine) -> None:
    assert same(embedded, written(COUNTED)) > 40
    answer = cold(embedded, written(COUNTED, draft=8))
    assert answer.generated > 2 * answer.steps


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_completions_are_the_same_with_any_draft(embedded: NativeEngine, layout: str) -> None:
    for i in range(2):
        same(embedded, fim(text(3 * i, 250) + "\n    ", text(3 * i + 2, 100), layout=layout, max_tokens=24), (2, 8))


def test_replies_under_a_grammar_are_the_same_with_any_draft(embedded: NativeEngine) -> None:
    grammar = r'root ::= ("L" [1-9] " " [^\n]{0,30} "\n"){3}'
    numbered = "".join(f"L{i} value_{i} = self.make({i})\n" for i in range(1, 9))
    assert same(embedded, written(numbered, grammar=grammar, max_tokens=60)) > 0


@pytest.mark.parametrize("kind", ["fim", "mrope", "swa"])
def test_random_weights_answer_the_same_with_any_draft(make_engine: MakeEngine, kind: str) -> None:
    engine = make_engine(kind, mode="auto" if kind == "fim" else "whole-prompt")
    sync(engine, [("x", text(1))])
    for i in range(4):
        piece = text(5 * i, 60)
        same(engine, written(piece * 3), (5,))
        same(engine, written(piece * 3, stop=["e"], sampling=wire.Sampling(repeat_penalty=1.3)), (5,))


def test_what_a_draft_leaves_in_the_cache_is_what_an_answer_leaves(embedded: NativeEngine) -> None:
    """After an answer in drafts the same tail goes on, is typed into and is used again as ever."""
    request = fim(REPEATED, "\n", max_tokens=20)
    said = cold(embedded, request).choices[0].text
    follow = [fim(REPEATED + said[:n], "\n", max_tokens=24) for n in (0, 3, 9)] + [fim(REPEATED + "value", "\n")]
    answers = []
    for draft in (0, 8):
        cold(embedded, replace(request, draft=draft))
        cells = embedded.pool.used_cells
        answers.append([ask(embedded, f) for f in follow])
        embedded.workspaces.open("w").tails.drop_all()
        answers.append([cells, embedded.pool.used_cells])
    plain, drafted = answers[0], answers[2]
    assert [a.choices[0].text for a in plain] == [a.choices[0].text for a in drafted]
    assert [a.decoded for a in plain] == [a.decoded for a in drafted]
    assert answers[1] == answers[3]


@pytest.mark.parametrize(
    "others", [{"n": 2, "sampling": wire.Sampling(seed=1)}, {"sampling": wire.Sampling(temperature=0.5, seed=1)}]
)
def test_nothing_is_drafted_where_chance_decides(embedded: NativeEngine, others: dict[str, object]) -> None:
    assert cold(embedded, written(REPEATED, draft=8, **others)).drafted == 0


def test_nothing_is_drafted_where_nothing_can_be_taken_back(make_engine: MakeEngine) -> None:
    engine = make_engine("mamba")
    assert ask(engine, written(REPEATED, draft=8)).drafted == 0


# Drafts alone


@given(
    st.lists(st.lists(st.integers(0, 5), max_size=30), max_size=4),
    st.lists(st.integers(0, 5), max_size=40),
    st.integers(1, 9),
)
def test_a_draft_is_what_followed_the_same_tokens(pieces: list[list[int]], answer: list[int], limit: int) -> None:
    drafter = Drafter(pieces, limit=limit, room=len(answer))
    flat = [token for piece in pieces for token in (GAP, *piece)]
    for n in range(len(answer) + 1):
        draft = drafter.propose(answer[:n], limit)
        here = flat + answer[:n]
        assert len(draft) <= limit
        assert GAP not in draft
        if draft:
            found = [here[-1], *draft]
            goes_on = [*here, *draft]  # a draft may run into itself
            assert any(goes_on[i : i + len(found)] == found for i in range(len(here) - 1))


def test_drafts_that_fail_pause_and_end() -> None:
    random = Random(1)
    answer = [random.randrange(3) for _ in range(400)]
    drafter = Drafter([answer, []], limit=8, room=400)
    n_drafts = 0
    for n in range(400):
        draft = drafter.propose(answer[:n], 8)
        if draft:
            n_drafts += 1
            drafter.learn(len(draft), 0)
    assert 0 < n_drafts < 80


def test_the_longer_the_agreement_the_longer_the_draft() -> None:
    drafter = Drafter([range(100)], limit=8, room=100)
    assert [len(drafter.propose(list(range(10, 10 + n)), 100)) for n in range(5)] == [0, 2, 4, 6, 8]
    assert drafter.propose(list(range(10, 15)), 3) == [15, 16, 17]


def test_what_repeats_itself_is_expected_to_go_on() -> None:
    drafter = Drafter([], limit=8, room=100)
    assert drafter.propose([1, 2, 3, 1, 2, 3], 8) == [1, 2, 3, 1, 2, 3]


def test_an_earlier_answer_is_looked_up(embedded: NativeEngine) -> None:
    """The frame of a reply is in no prompt, but it was in the reply before."""
    grammar = r'root ::= "<suggestion name=\"editing\">" [a-z]{2} "</suggestion>"'
    embedded.workspaces.open("w").tails.drop_all()
    first, second = (ask(embedded, written(f"a{i} = {i}\n", grammar=grammar, draft=8)) for i in range(2))
    assert second.steps <= first.steps - 4
