"""A tail that leaves what it has decoded: other blocks, or other words in it, cost what is new alone."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from palimpsest import wire
from palimpsest.engine.cache.tail import FRESH
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from tests.examples import examples
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, TestedEngine, ask, forget, sync, text

Blocks = list[tuple[str, str]]
MINE: Blocks = [("a", text(1, 300)), ("b", text(2, 300))]
OTHERS: Blocks = [("a", text(1, 300) + "\n# new\n"), ("d", text(4, 200))]
ASKED = "What is this?\n"
RESULT = text(9, 900) + "\n"
POINTER = "[dropped: read_fd]\n"
SAID = text(6, 700) + "\n"
MORE = "And then?\n"
AFTER = "\n" + text(10, 300) + "\n"


def say(
    engine: NativeEngine, what: str, tail: str = "c", kv: wire.KvPolicy = "leave", **others: Any
) -> wire.GenerateAnswer:
    wanted = wire.GenerateRequest(
        "w", text=wire.TextTail(what), tail=tail, kv=kv, **{"max_tokens": 0, "slot": "chat", **others}
    )
    return ask(engine, wanted)


def logits(engine: NativeEngine, tail: str = "c") -> Logits:
    found = engine.workspaces.open("w").tails[tail].logits
    assert found is not None
    return found.copy()


def n_tokens(engine: NativeEngine, what: str) -> int:
    return len(engine.model.tokenize(what))


@pytest.mark.parametrize("kind", ["fim", "swa"])
def test_behind_other_blocks_only_what_is_new_is_decoded(make_engine: MakeEngine, kind: str) -> None:
    engine = make_engine(kind)
    sync(engine, MINE)
    first = say(engine, SAID)
    assert first.left == 0
    sync(engine, OTHERS)
    answer = say(engine, SAID + MORE)
    assert answer.decoded <= n_tokens(engine, MORE) + 1
    assert answer.left == answer.reused > 100
    engine.workspaces.check()
    sync(engine, [])
    again = say(engine, SAID + MORE + MORE)
    assert again.decoded <= n_tokens(engine, MORE) + 1
    engine.workspaces.check()


def test_what_is_decoded_new_sees_the_new_blocks(make_engine: MakeEngine) -> None:
    """Of the tail itself only the beginning is left, so its logits are nearer to those of the new blocks."""
    engine = make_engine()
    sync(engine, MINE)
    say(engine, SAID)
    sync(engine, OTHERS)
    say(engine, SAID[:40] + RESULT)
    left = logits(engine)
    say(engine, SAID[:40] + RESULT, "exact", kv="decode")
    exact = logits(engine, "exact")
    sync(engine, MINE)
    say(engine, SAID[:40] + RESULT, "before", kv="decode")
    assert np.abs(left - exact).mean() < np.abs(logits(engine, "before") - exact).mean()


@pytest.mark.parametrize("kind", ["fim", "swa"])
def test_what_stands_behind_a_dropped_result_moves_up(make_engine: MakeEngine, kind: str) -> None:
    engine = make_engine(kind)
    sync(engine, MINE)
    say(engine, ASKED + RESULT + SAID)
    answer = say(engine, ASKED + POINTER + SAID + MORE)
    new = n_tokens(engine, POINTER) + n_tokens(engine, MORE)
    assert answer.decoded <= new + 6  # where words meet, they may be cut into other tokens
    assert answer.left >= n_tokens(engine, SAID) - 16
    engine.workspaces.check()
    goes_on = say(engine, ASKED + POINTER + SAID + MORE + MORE)
    assert goes_on.decoded <= n_tokens(engine, MORE) + 1
    assert goes_on.left >= answer.left


def test_a_piece_that_moves_to_where_it_would_be_has_the_same_kv_but_for_what_it_has_seen(
    make_engine: MakeEngine,
) -> None:
    """It saw the same words twice before it, once now: nearer to an exact one than what has seen nothing is."""
    engine = make_engine()
    sync(engine, [])
    say(engine, RESULT + RESULT)
    say(engine, RESULT + RESULT + SAID)
    answer = say(engine, RESULT + SAID)
    assert answer.left > 0
    moved = logits(engine)
    say(engine, RESULT + SAID, "exact", kv="decode")
    exact = logits(engine, "exact")
    say(engine, SAID, "other", kv="decode")
    assert np.abs(moved - exact).mean() < np.abs(logits(engine, "other") - exact).mean()


def test_whoever_wants_it_exact_has_it_decoded_again_from_where_it_is_not(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    say(engine, ASKED + RESULT + SAID)
    say(engine, ASKED + POINTER + SAID)
    exact = say(engine, ASKED + POINTER + SAID, kv="decode")
    assert exact.left == 0
    assert n_tokens(engine, ASKED) - 3 <= exact.reused <= n_tokens(engine, ASKED + POINTER) + 3
    mine = logits(engine)
    say(engine, ASKED + POINTER + SAID, "fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE
    engine.workspaces.check()


def test_by_default_nothing_is_left(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    say(engine, SAID, kv="decode")
    sync(engine, OTHERS)
    assert say(engine, SAID + MORE, kv="decode").reused == 0


def test_a_fork_keeps_its_place_when_its_parent_moves(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    say(engine, ASKED + RESULT + SAID)
    engine.workspaces.open("w").tails.fork("c", ["child"])
    say(engine, ASKED + POINTER + SAID + MORE)
    engine.workspaces.check()
    child = say(engine, ASKED + RESULT + SAID + MORE, "child")
    assert child.decoded <= n_tokens(engine, MORE) + 1
    assert child.left == 0
    mine = logits(engine, "child")
    say(engine, ASKED + RESULT + SAID + MORE, "fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE


def test_a_model_whose_cache_cannot_be_moved_decodes_again(make_engine: MakeEngine) -> None:
    engine = make_engine("mamba")
    sync(engine, MINE)
    say(engine, ASKED + RESULT + SAID)
    answer = say(engine, ASKED + POINTER + SAID)
    assert answer.left == 0


def test_a_reply_is_left_where_blocks_change_behind_it(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    reply = say(engine, SAID, max_tokens=12).choices[0].text
    sync(engine, OTHERS)
    answer = say(engine, SAID + reply + MORE)
    assert answer.decoded <= n_tokens(engine, reply + MORE)  # its last words may be cut into other tokens
    assert answer.left >= n_tokens(engine, SAID) - 2
    engine.workspaces.check()


def complete(
    engine: NativeEngine, prefix: str, suffix: str = AFTER, layout: wire.FimLayout = "auto", **others: Any
) -> wire.GenerateAnswer:
    fim = wire.FimTail(prefix, suffix, layout)
    return ask(engine, wire.GenerateRequest("w", fim=fim, **{"kv": "leave", "max_tokens": 0, **others}))


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_a_completion_decodes_the_end_of_its_code_behind_other_blocks(
    make_engine: MakeEngine, layout: wire.FimLayout
) -> None:
    engine = make_engine()
    sync(engine, MINE)
    first = complete(engine, SAID, layout=layout)
    assert first.layout == layout
    assert first.left == 0
    sync(engine, OTHERS)
    answer = complete(engine, SAID + "x = ", layout=layout)
    behind = n_tokens(engine, AFTER) + 2 if layout == "psm" else 2
    assert FRESH <= answer.decoded <= FRESH + n_tokens(engine, "x = ") + behind
    assert answer.left > 100
    assert answer.left + FRESH <= n_tokens(engine, SAID) + 4
    engine.workspaces.check()
    goes_on = complete(engine, SAID + "x = y", layout=layout)
    assert goes_on.decoded <= 4 + behind
    engine.workspaces.check()


def test_the_end_of_a_completions_code_has_seen_the_blocks_wherever_the_cursor_goes_in_it(
    make_engine: MakeEngine,
) -> None:
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID)
    sync(engine, OTHERS)
    complete(engine, SAID)
    lines = SAID.splitlines(keepends=True)
    above = "".join(lines[: len(lines) * 2 // 3])
    answer = complete(engine, above)
    assert answer.decoded >= FRESH
    assert answer.left > 0
    again = complete(engine, above)
    assert again.decoded <= 1
    engine.workspaces.check()


def test_a_completions_end_is_nearer_to_the_new_blocks_than_to_the_old(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID, tail="before", kv="decode")
    before = logits(engine, "before")
    complete(engine, SAID)
    sync(engine, OTHERS)
    assert complete(engine, SAID).left
    left = logits(engine, "typing")
    assert not complete(engine, SAID, tail="exact", kv="decode").left
    exact = logits(engine, "exact")
    assert np.abs(left - exact).mean() < np.abs(before - exact).mean()


def test_a_completion_that_is_to_be_exact_is_decoded_again(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID)
    sync(engine, OTHERS)
    complete(engine, SAID)
    answer = complete(engine, SAID, kv="decode")
    assert answer.left == 0
    assert answer.decoded >= n_tokens(engine, SAID) - 4
    mine = logits(engine, "typing")
    complete(engine, SAID, tail="fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE


def test_who_comes_back_to_a_place_has_its_code_decoded_whatever_blocks_there_are(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID)
    sync(engine, OTHERS)
    complete(engine, text(11, 700), text(12, 300))
    sync(engine, [*OTHERS, ("e", text(5, 100))])
    answer = complete(engine, SAID)
    assert answer.decoded <= FRESH + 2
    engine.workspaces.check()


def test_code_before_the_cursor_stays_where_the_code_behind_it_is_another(make_engine: MakeEngine) -> None:
    """It is moved to where it stands behind that."""
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID, AFTER, "spm")
    other = "\n" + text(13, 200) + "\n"
    answer = complete(engine, SAID, other, "spm")
    assert FRESH <= answer.decoded - n_tokens(engine, other) <= FRESH + 4
    assert answer.left > 100
    engine.workspaces.check()
    sync(engine, OTHERS)
    back = complete(engine, SAID, AFTER, "spm")
    assert FRESH <= back.decoded - n_tokens(engine, AFTER) <= FRESH + 4
    engine.workspaces.check()
    goes_on = complete(engine, SAID + "x", AFTER, "spm")
    assert goes_on.decoded <= 2


def test_of_a_suffix_that_begins_further_up_or_down_only_what_is_new_is_decoded(make_engine: MakeEngine) -> None:
    """What they share is moved to where it goes, and the present blocks are seen by what is decoded."""
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID, AFTER, "spm")
    line = "\n        for name in wanted:\n            found = self.find(name)"
    further_up = complete(engine, SAID, line + AFTER, "spm")
    assert further_up.decoded <= n_tokens(engine, line) + FRESH + 6
    assert further_up.left > n_tokens(engine, AFTER) // 2 + 100
    engine.workspaces.check()
    sync(engine, OTHERS)
    further_down = complete(engine, SAID, AFTER[8:], "spm")
    assert further_down.decoded <= FRESH + 6
    engine.workspaces.check()
    ends_otherwise = complete(engine, SAID, AFTER[8:-60] + "\n    return None\n", "spm")
    assert ends_otherwise.decoded < n_tokens(engine, AFTER) // 2 + FRESH
    engine.workspaces.check()
    complete(engine, SAID, AFTER[8:-60] + "\n    return None\n", "spm", kv="decode")
    mine = logits(engine, "typing")
    complete(engine, SAID, AFTER[8:-60] + "\n    return None\n", "spm", tail="fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE


def test_the_code_before_and_behind_the_cursor_is_shifted_once(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shift goes through all of llama.cpp's cache, and takes longer than decoding a few tokens."""
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID, AFTER, "spm")
    context, pending = engine.context, list[bool]()
    call = context.call

    def counted(batch: Any) -> int:
        pending.append(context.shift_pending)
        return call(batch)

    # no door: what llama.cpp is asked to do
    monkeypatch.setattr(context, "call", counted)
    answer = complete(engine, SAID, "\n        for name in wanted:\n            found = self.find(name)" + AFTER, "spm")
    assert answer.left > n_tokens(engine, AFTER) // 2 + 100, "both have moved"
    assert pending == [True, False]
    engine.workspaces.check()


def test_who_goes_up_in_a_function_and_back_decodes_only_what_is_new(make_engine: MakeEngine) -> None:
    """Its code is copied to where it stands above, since it stays where it is for the place below."""
    engine = make_engine()
    sync(engine, MINE)
    complete(engine, SAID, AFTER, "spm")
    lines = SAID.splitlines(keepends=True)
    above = "".join(lines[: len(lines) // 3])
    below = SAID[len(above) :]
    up = complete(engine, above, "\n" + below + AFTER, "spm")
    assert up.decoded <= n_tokens(engine, below) + FRESH + 6
    assert up.left >= n_tokens(engine, above) - FRESH - 4
    engine.workspaces.check()
    back = complete(engine, SAID, AFTER, "spm")
    assert back.decoded <= FRESH
    engine.workspaces.check()
    complete(engine, above, "\n" + below + AFTER, "spm", kv="decode")
    mine = logits(engine, "typing")
    complete(engine, above, "\n" + below + AFTER, "spm", tail="fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE


def test_a_suffix_that_begins_alike_is_exact(make_engine: MakeEngine) -> None:
    """Its beginning stays where it is, and nothing of it has seen anything else."""
    engine, begins = make_engine(), AFTER[:160]
    sync(engine, MINE)
    complete(engine, "def f():\n", begins + "return\n", "spm")
    answer = complete(engine, "def f():\n", begins + "x = 1\n", "spm")
    assert answer.left == 0
    assert answer.decoded < n_tokens(engine, begins)
    engine.workspaces.check()
    mine = logits(engine, "typing")
    complete(engine, "def f():\n", begins + "x = 1\n", "spm", tail="fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE


@pytest.fixture
def engine(make_engine: MakeEngine) -> TestedEngine:
    return make_engine()


@examples(6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_typed_and_changed_its_cells_are_what_is_noted_of_them(
    engine: TestedEngine, data: st.DataObject
) -> None:
    """And what is asked for exactly has the logits of a tail that nothing was kept of."""
    forget(engine)
    layouts = cast(list[wire.FimLayout], ["spm", "isolated", "psm"])
    layout = data.draw(st.sampled_from(layouts))
    places = [SAID, text(7, 500) + "\n", text(8, 300) + "\n"]
    arranged = [MINE, OTHERS, []]
    sync(engine, MINE)
    for _ in range(data.draw(st.integers(3, 12))):
        if data.draw(st.booleans()):
            sync(engine, data.draw(st.sampled_from(arranged)))
        place = data.draw(st.sampled_from(places))
        prefix = place[: data.draw(st.integers(len(place) // 2, len(place)))] + data.draw(
            st.sampled_from(["", "x", "x = y"])
        )
        suffix = data.draw(st.sampled_from([AFTER, "", "\n", "\n    x = 1" + AFTER, AFTER[30:], AFTER[:-40] + "y = 2"]))
        answer = complete(engine, prefix, suffix, layout, max_tokens=data.draw(st.integers(0, 2)))
        assert answer.left <= answer.reused
        engine.workspaces.check()
    complete(engine, SAID, AFTER, layout, kv="decode")
    mine = logits(engine, "typing")
    complete(engine, SAID, AFTER, layout, tail="fresh", kv="decode")
    assert np.abs(mine - logits(engine, "fresh")).max() < CLOSE
