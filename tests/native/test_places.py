"""What was decoded at a place is there when the cursor comes back to it with the blocks that it had."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from palimpsest.engine.cache.tails import MAX_ASIDE
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, done, fim, request, sized, sync, text

Blocks = list[tuple[str, str]]
MINE: Blocks = [("a", text(1, 300)), ("b", text(2, 300))]
OTHERS: Blocks = [("c", text(3, 300)), ("b", text(2, 300))]
LAYOUTS = ("spm", "isolated", "psm")
HERE, THERE = (text(6, 900), text(7, 300)), (text(12, 900), text(13, 300))


def logits(engine: NativeEngine) -> Logits:
    found = engine.workspaces.open("w").tails["typing"].logits
    assert found is not None
    return found.copy()


def n_aside(engine: NativeEngine) -> int:
    tails = engine.workspaces.open("w").tails
    return len(tails.seqs - {seq for tail in tails.values() for seq in tail.seqs})


def check_fresh(engine: NativeEngine, place: tuple[str, str], layout: str) -> None:
    """The logits there are those of a tail that nothing was kept of."""
    kept = logits(engine)
    engine.workspaces.open("w").tails["typing"].drop()
    engine.workspaces.open("w").tails.drop_all()
    ask(engine, fim(*place, layout=layout, max_tokens=0))
    assert np.abs(kept - logits(engine)).max() < CLOSE


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["fim", "swa"])
def test_going_back_decodes_nothing(make_engine: MakeEngine, kind: str, layout: str) -> None:
    engine = make_engine(kind)
    sync(engine, MINE)
    first = ask(engine, fim(*HERE, layout=layout, max_tokens=4))
    assert ask(engine, fim(*THERE, layout=layout)).decoded > 100
    back = ask(engine, fim(*HERE, layout=layout, max_tokens=4))
    assert (back.decoded, back.choices) == (0, first.choices)
    engine.workspaces.check()
    typed = (HERE[0] + "x = 1\n", HERE[1])
    assert ask(engine, fim(*typed, layout=layout, max_tokens=0)).decoded < (120 if layout == "psm" else 12)
    check_fresh(engine, typed, layout)


def test_so_it_does_where_each_place_has_blocks_of_its_own(make_engine: MakeEngine) -> None:
    engine = make_engine()
    for _ in range(3):
        sync(engine, MINE)
        here = ask(engine, fim(*HERE, max_tokens=0))
        sync(engine, OTHERS)
        there = ask(engine, fim(*THERE, max_tokens=0))
        engine.workspaces.check()
    assert (here.decoded, there.decoded) == (0, 0)
    check_fresh(engine, THERE, "spm")


def test_with_other_blocks_it_is_decoded_anew_and_kept_once(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    ask(engine, fim(*HERE, max_tokens=0))
    sync(engine, OTHERS)
    again = ask(engine, fim(*HERE, max_tokens=0))
    assert 0 < again.decoded < again.tail_tokens, "the code behind the cursor sees no block"
    assert n_aside(engine) == 0
    check_fresh(engine, HERE, "spm")


def test_what_was_taken_back_is_there_when_it_is_typed_again(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    ask(engine, fim(*HERE, max_tokens=0))
    ask(engine, fim(HERE[0][:300], HERE[1], max_tokens=0))
    assert ask(engine, fim(*HERE, max_tokens=0)).decoded <= 1
    check_fresh(engine, HERE, "spm")


def test_places_are_bounded_and_go_before_what_is_in_use(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    for i in range(MAX_ASIDE + 3):
        ask(engine, fim(text(5 + i, 700), max_tokens=0))
    tails = engine.workspaces.open("w").tails
    last, before = tails["typing"], engine.pool.used_cells
    assert n_aside(engine) == 2 * MAX_ASIDE
    assert tails.drop_one()
    assert tails["typing"] is last
    assert engine.pool.used_cells < before
    assert ask(engine, fim(text(5, 700), max_tokens=0)).reused < 10, "the first was given up"
    engine.workspaces.check()


def test_the_ends_of_two_files_are_two_places(make_engine: MakeEngine) -> None:
    engine = make_engine()
    for _ in range(2):
        sync(engine, MINE)
        here = ask(engine, fim(HERE[0], "", max_tokens=0))
        sync(engine, OTHERS)
        there = ask(engine, fim(THERE[0], "", max_tokens=0))
    assert (here.decoded, there.decoded) == (0, 0)
    check_fresh(engine, (THERE[0], ""), "spm")


def test_long_answers_that_nobody_wants_are_no_places(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, MINE)
    ask(engine, fim(*THERE, max_tokens=0))
    typed = HERE[0]
    for i in range(MAX_ASIDE + 1):
        assert ask(engine, fim(typed, HERE[1], max_tokens=100)).generated == 100
        typed += f"x{i} = {i}\n"
    assert ask(engine, fim(*THERE, max_tokens=0)).decoded == 0


def test_places_make_way_for_a_copy_before_other_windows_do(make_engine: MakeEngine) -> None:
    engine = make_engine()
    done(engine.workspaces.open("other").sync(request(MINE, "other")))
    ask(engine, replace(fim(*HERE, max_tokens=0), workspace="other"))
    sync(engine, MINE)
    for i in range(3):
        ask(engine, fim(text(5 + i, 700), max_tokens=0))
    ask(engine, fim(*HERE, max_tokens=0))
    held = [engine.pool.take() for _ in range(engine.pool.free_sequences)]
    ask(engine, fim(HERE[0][:300], HERE[1], max_tokens=0))
    assert engine.workspaces.open("other").tails["typing"].seq >= 0
    for seq in held:
        engine.pool.give(seq)
    engine.workspaces.check()


def test_places_of_any_window_make_way_for_a_search(make_engine: MakeEngine) -> None:
    engine = make_engine()
    wanted = fim(HERE[0] + "\n    self.val", HERE[1], word_search=4)
    sync(engine, MINE)
    found = ask(engine, wanted)
    assert found.searched > 0
    for name in ("w1", "w2", "w3"):
        done(engine.workspaces.open(name).sync(request(MINE, name)))
        for i in range(MAX_ASIDE + 1):
            there = fim(text(5 + i, 500), text(25 + i, 200), layout="isolated", max_tokens=0)
            ask(engine, replace(there, workspace=name))
    engine.workspaces.open("w").tails.drop_all()
    again = ask(engine, wanted)
    assert (again.searched, again.choices[0].text) == (found.searched, found.choices[0].text)
    engine.workspaces.check()


def test_a_block_that_goes_takes_what_stands_on_it_along(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=2048)
    sync(engine, [("a", sized(engine, 300, 1))])
    ask(engine, fim(*HERE, max_tokens=0))
    ask(engine, fim(*THERE, max_tokens=0))
    evicted = sync(engine, [(f"l{i}", sized(engine, 200, 2 + i)) for i in range(4)])
    assert "a" in evicted.evicted_keys
    assert not evicted.unfit
    assert n_aside(engine) == 0
    engine.workspaces.check()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("store_mb", [0, 64])
def test_whatever_blocks_come_and_go_a_place_is_as_if_nothing_had_been_kept(
    make_engine: MakeEngine, store_mb: int, layout: str
) -> None:
    """In a small cache, so that blocks are evicted, restored, cut and moved under it."""
    engine, random = make_engine("short", n_ctx=1536, store_mb=store_mb), Random(f"{layout}{store_mb}")
    pieces = {f"k{i}": sized(engine, random.randrange(40, 150), i) for i in range(7)}
    views = [random.sample(sorted(pieces), random.randrange(1, 4)) for _ in range(3)]
    places = [(text(6 + i, 250), text(16 + i, 100)) for i in range(3)]
    n_reused = 0
    for step in range(60):
        at = random.randrange(3)
        sync(engine, [(key, pieces[key]) for key in views[at if random.random() < 0.8 else random.randrange(3)]])
        match random.randrange(5):
            case 0:
                key = random.choice(sorted(pieces))
                pieces[key] = pieces[key][: random.randrange(60, 200)] + random.choice(["", "x = 1\n", text(step, 80)])
            case 1:
                prefix, suffix = places[at]
                places[at] = ((prefix + text(step, 20))[-400:], suffix)
            case _:
                answer = ask(engine, fim(*places[at], layout=layout, heal=False, max_tokens=0))
                n_reused += answer.reused > 20
                kept = logits(engine)
                if random.random() < 0.5:
                    fresh = ask(engine, fim(*places[at], layout=layout, heal=False, max_tokens=0, tail="fresh"))
                    assert fresh.decoded > 0
                    other = engine.workspaces.open("w").tails["fresh"]
                    assert other.logits is not None
                    assert np.abs(kept - other.logits).max() < CLOSE, f"step {step}"
                    other.drop()
        engine.workspaces.check()
    assert n_reused > 3, "or nothing was tried"
