"""A tail that leaves what it has decoded: other blocks, or other words in it, cost what is new alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, sync, text

Blocks = list[tuple[str, str]]
MINE: Blocks = [("a", text(1, 300)), ("b", text(2, 300))]
OTHERS: Blocks = [("a", text(1, 300) + "\n# new\n"), ("d", text(4, 200))]
ASKED = "What is this?\n"
RESULT = text(9, 900) + "\n"
POINTER = "[dropped: read_fd]\n"
SAID = text(6, 700) + "\n"
MORE = "And then?\n"


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
