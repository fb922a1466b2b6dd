"""A tail outlasts other blocks: where the same ones are asked for again, it goes on where it was."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import UnknownTail
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, fim, sized, sync, text
from tests.native.test_interruption import stepped

Blocks = list[tuple[str, str]]
MINE: Blocks = [("a", text(1, 300)), ("b", text(2, 300))]
OTHERS: Blocks = [("c", text(3, 300)), ("b", text(2, 300)), ("d", text(4, 200))]
SAID = text(6, 700) + "\n"
MORE = "And then?\n"


def say(engine: NativeEngine, what: str, tail: str = "conversation:c-1", **others: Any) -> wire.GenerateAnswer:
    wanted = wire.GenerateRequest(
        "w", text=wire.TextTail(what), tail=tail, **{"max_tokens": 3, "slot": "chat", **others}
    )
    return ask(engine, wanted)


def logits(engine: NativeEngine, tail: str = "conversation:c-1") -> Logits:
    found = engine.workspaces.open("w").tails[tail].logits
    assert found is not None
    return found.copy()


def n_tokens(engine: NativeEngine, what: str) -> int:
    return len(engine.model.tokenize(what))


def check_fresh(engine: NativeEngine, what: str) -> None:
    """Its logits are those of a tail that nothing was kept of."""
    kept = logits(engine)
    fresh = say(engine, what, "fresh")
    assert np.abs(kept - logits(engine, "fresh")).max() < CLOSE
    assert fresh.decoded <= fresh.tail_tokens
    engine.workspaces.open("w").tails["fresh"].drop()


@pytest.mark.parametrize("kind", ["fim", "swa"])
def test_a_conversation_goes_on_where_it_was_after_completions_with_other_blocks(
    make_engine: MakeEngine, kind: str
) -> None:
    engine = make_engine(kind)
    first = sync(engine, MINE)
    say(engine, SAID, max_tokens=0)
    for prefix in ("def f(", "def f(self", "def f(self, x"):
        sync(engine, OTHERS)
        ask(engine, fim(prefix))
    back = sync(engine, MINE)
    assert (back.decoded, back.revision) == (0, first.revision)
    answer = say(engine, SAID + MORE, max_tokens=0)
    assert answer.decoded == n_tokens(engine, SAID + MORE) - answer.reused < 10
    check_fresh(engine, SAID + MORE)
    engine.workspaces.check()


def test_so_does_what_is_typed_after_a_turn_of_a_conversation(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    typed = ask(engine, fim("def f(", max_tokens=4))
    sync(engine, OTHERS)
    say(engine, SAID)
    sync(engine, MINE)
    again = ask(engine, fim("def f(", max_tokens=4))
    assert (again.decoded, again.choices) == (0, typed.choices)


def test_what_was_said_behind_a_text_that_has_changed_since_is_decoded_again(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    say(engine, SAID, max_tokens=0)
    changed = [MINE[0], ("b", MINE[1][1] + "x = 1\n")]
    assert sync(engine, changed).revision != sync(engine, changed[:1]).revision
    sync(engine, changed)
    answer = say(engine, SAID, max_tokens=0)
    assert (answer.decoded, answer.reused) == (answer.tail_tokens, 0)
    check_fresh(engine, SAID)


def test_where_what_it_stood_on_had_to_go_nothing_is_kept(make_engine: MakeEngine) -> None:
    """The cells of an evicted block are free, although a tail had them too."""
    engine = make_engine(n_ctx=2048)
    sync(engine, [("a", sized(engine, 300, 1))])
    say(engine, SAID, max_tokens=0)
    evicted = sync(engine, [(f"l{i}", sized(engine, 200, 2 + i)) for i in range(4)])
    assert "a" in evicted.evicted_keys
    assert not evicted.unfit
    workspace = engine.workspaces.open("w")
    assert workspace.tails["conversation:c-1"].seq < 0
    engine.workspaces.check()


def test_a_long_conversation_takes_no_room_from_blocks(make_engine: MakeEngine) -> None:
    def after(said: bool) -> list[str]:
        engine = make_engine(n_ctx=2048)
        sync(engine, MINE)
        if said:
            for i in range(4):
                say(engine, sized(engine, 400, 5 + i), f"conversation:{i}", max_tokens=0)
        answer = sync(engine, [(f"l{i}", sized(engine, 200, 20 + i)) for i in range(4)])
        engine.workspaces.check()
        return answer.unfit

    assert after(said=True) == after(said=False) == []


def test_a_tail_behind_other_blocks_is_copied_for_forks_too(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    say(engine, SAID, max_tokens=0)
    sync(engine, OTHERS)
    before = engine.pool.stats["decoded"]
    engine.workspaces.open("w").tails.fork("conversation:c-1", ["one"])
    assert engine.pool.stats["decoded"] == before
    sync(engine, MINE)
    answer = say(engine, SAID + MORE, "one", max_tokens=0)
    assert answer.decoded == n_tokens(engine, SAID + MORE) - answer.reused < 10
    engine.workspaces.reset("w")
    sync(engine, MINE)
    with pytest.raises(UnknownTail):
        engine.workspaces.open("w").tails.fork("conversation:c-1", ["one"])


def test_tails_behind_other_blocks_are_given_up_first(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    say(engine, SAID, "one", max_tokens=0)
    sync(engine, OTHERS)
    say(engine, SAID, "two", max_tokens=0)
    sync(engine, MINE)
    say(engine, SAID, "three", max_tokens=0)
    tails = engine.workspaces.open("w").tails
    assert tails.drop_one()
    assert list(tails) == ["one", "three"]
    assert tails.drop_one()
    assert list(tails) == ["three"]


def test_a_job_that_ends_after_its_blocks_went_keeps_no_cell_of_theirs(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    workspace = engine.workspaces.open("w")
    wanted = wire.GenerateRequest("w", text=wire.TextTail(SAID), tail="slow", slot="suggestion", max_tokens=20)
    slow = generate(engine.generator, workspace, wanted, None)
    assert stepped(slow, 3)
    sync(engine, [("a", text(9, 300)), ("b", text(8, 200))])
    for _ in slow:
        pass
    assert workspace.tail_cells == 0
    engine.workspaces.check()


@pytest.mark.parametrize("store_mb", [0, 64])
def test_whatever_blocks_come_and_go_a_conversation_is_as_if_nothing_had_been_kept(
    make_engine: MakeEngine, store_mb: int
) -> None:
    """In a small cache, so that blocks are evicted, restored, cut and moved under it."""
    engine, random = make_engine("short", n_ctx=1536, store_mb=store_mb), Random(store_mb + 3)
    pieces = {f"k{i}": sized(engine, random.randrange(40, 150), i) for i in range(7)}
    views = [random.sample(sorted(pieces), random.randrange(1, 4)) for _ in range(4)]
    said = text(6, 200) + "\n"
    n_reused = 0
    for step in range(60):
        sync(engine, [(key, pieces[key]) for key in views[random.choice([0, 0, 0, 1, 2, 3])]])
        match random.randrange(5):
            case 0 | 1:
                answer = say(engine, said, max_tokens=0)
                n_reused += answer.reused > 0
                check_fresh(engine, said)
                said = (said + f"{step}: {text(step, 20)}\n")[-400:] if random.random() < 0.4 else said
            case 2:
                ask(engine, fim(text(step, 60), max_tokens=2))
            case 3:
                key = random.choice(sorted(pieces))
                pieces[key] = pieces[key][: random.randrange(60, 200)] + random.choice(["", "x = 1\n", text(step, 80)])
        engine.workspaces.check()
    assert n_reused > 3, "or nothing was tried"
