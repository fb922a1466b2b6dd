"""The planner: what a plan does to a simulated cache, and what it costs."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from palimpsest.engine.arena.arena import Arena, Move
from palimpsest.engine.arena.plan import PlanLimits, Wanted, plan, shrink
from palimpsest.engine.arena.steps import Evict, Keep, apply

from .simulator import Cache, kinds, of, stage, wanted


def text(name: int, n: int) -> tuple[int, ...]:
    """`n` tokens that no text of another name shares."""
    return tuple(name * 10_000 + i for i in range(n))


def cache(size: int, n_cells: int = 100_000, **kwargs) -> Cache:
    return Cache(Arena(10, 10 + size), n_cells, **kwargs)


def fifteen(n: int = 300) -> list[Wanted]:
    return [wanted(f"block {i}", text(i, n)) for i in range(15)]


# ---- what it costs


def test_a_first_sync_writes_every_block_in_order_of_value():
    made = cache(6000).sync(fifteen())
    assert kinds(made) == ["Write"] * 15
    assert [step.key for step in made.writes] == [w.key for w in fifteen()]
    assert all(step.n_decoded == 300 for step in made.writes)


def test_what_is_resident_and_equal_is_kept_whatever_the_order():
    c = cache(6000)
    c.sync(fifteen())
    assert kinds(c.sync(fifteen()[::-1])) == ["Keep"] * 15


def test_replacing_one_of_fifteen_blocks_decodes_that_block_and_moves_nothing():
    c = cache(6000)
    c.sync(fifteen())
    blocks = fifteen()
    blocks[7] = wanted("block 7", text(99, 310))
    made = c.sync(blocks)
    assert kinds(made) == ["Evict", *["Keep"] * 14, "Write"]
    assert made.writes[0].key == "block 7"
    assert made.writes[0].n_decoded == 310


def test_a_block_that_grows_within_its_slack_stays_where_it_is_in_a_full_arena():
    c = cache(15 * 337)  # 300 tokens and an eighth of slack each
    c.sync(fifteen())
    blocks = fifteen()
    at = c.arena["block 7"].span.start
    blocks[7] = wanted("block 7", text(99, 337))
    made = c.sync(blocks)
    assert kinds(made) == ["Evict", *["Keep"] * 14, "Write"]
    assert made.writes[0].span.start == at


def test_a_changed_block_is_decoded_from_its_first_differing_token():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100)), wanted("b", text(2, 100))])
    made = c.sync([wanted("a", text(1, 60) + text(3, 45)), wanted("b", text(2, 100))])
    assert kinds(made) == ["Save", "Cut", "Keep", "Write"]
    assert (made.writes[0].from_index, made.writes[0].n_decoded) == (60, 45)


def test_a_block_that_lost_its_end_decodes_nothing_and_gives_back_its_cells():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100))])
    made = c.sync([wanted("a", text(1, 60))])
    assert kinds(made) == ["Save", "Cut", "Write"]
    assert made.writes[0].n_decoded == 0
    assert len(c.cells) == 60


def test_a_block_that_only_grew_is_not_copied_to_the_store():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100))])
    made = c.sync([wanted("a", text(1, 100) + text(2, 5))])
    assert kinds(made) == ["Write"]
    assert made.writes[0].n_decoded == 5


def test_returning_to_a_replaced_or_changed_text_decodes_nothing():
    one = [wanted("a", text(1, 100)), wanted("b", text(2, 100))]
    two = [wanted("a", text(1, 60) + text(3, 45)), wanted("b", text(4, 90)), wanted("c", text(5, 50))]
    c = cache(1000)
    c.sync(one)
    c.sync(two)
    for blocks in (one, two, one, two):
        made = c.sync(blocks)
        assert not made.writes
        assert not of(made, Move)


def test_returning_restores_where_it_was_saved_when_that_is_free_though_another_hole_fits_better():
    c = cache(3000)
    names = "axbdc"
    c.sync([wanted(key, text(i, n)) for i, (key, n) in enumerate(zip(names, (100, 100, 50, 110, 50), strict=True))])
    c.sync([wanted(key, text(10 + i, 600)) for i, key in enumerate("axd")] + [wanted("b", text(2, 50))])
    assert [hole.size for hole in c.arena.holes[:2]] == [232, 126], "where a and x were, where d was"
    made = c.sync([wanted("a", text(0, 100)), wanted("b", text(2, 50))])
    assert [(r.span.start, r.saved_start) for r in made.restores] == [(10, 10)]


def test_what_the_store_has_already_is_freed_without_another_copy():
    one, two = [wanted("a", text(1, 100))], [wanted("a", text(2, 100))]
    c = cache(1000)
    c.sync(one)
    assert kinds(c.sync(two)) == ["Evict", "Write"]
    assert kinds(c.sync(one)) == ["Evict", "Restore"]
    assert kinds(c.sync(two)) == ["Free", "Restore"]


def test_what_is_no_longer_wanted_is_detached_and_attached_again_for_nothing():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100)), wanted("b", text(2, 100))])
    assert kinds(c.sync([wanted("a", text(1, 100))])) == ["Detach", "Keep"]
    assert kinds(c.sync([wanted("b", text(2, 100))])) == ["Detach", "Attach"]


def test_the_same_text_under_another_key_is_only_renamed():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100)), wanted("b", text(2, 100))])
    assert kinds(c.sync([wanted("a", text(2, 100)), wanted("b", text(1, 100))])) == ["Rekey", "Keep", "Keep"]
    assert kinds(c.sync([wanted("c", text(1, 100))])) == ["Detach", "Rekey", "Keep"]


# ---- room


def test_the_detached_block_used_least_recently_goes_first_and_nothing_moves():
    c = cache(300)
    for i in range(3):
        c.sync([wanted(f"block {i}", text(i, 80))])
    c.sync([wanted("block 0", text(0, 80))])
    made = c.sync([wanted("block 0", text(0, 80)), wanted("new", text(9, 80))])
    assert [step.key for step in of(made, Evict)] == ["block 1"]
    assert not of(made, Move)


def test_an_older_detached_block_goes_before_a_newer_one_though_that_is_smaller():
    c = cache(300)
    c.sync([wanted("old", text(1, 150))])
    c.sync([wanted("new", text(2, 100))])
    made = c.sync([wanted("b", text(3, 90))])
    assert [step.key for step in of(made, Evict)] == ["old"]


def test_without_a_store_blocks_are_moved_before_one_is_lost():
    c = cache(300, stores=False)
    c.sync([wanted(f"block {i}", text(i, 100)) for i in range(3)])
    c.sync([wanted("block 1", text(1, 50))])  # 0 and 2 detached, a gap of 50 after 1
    c.arena.free("block 0")
    for position in range(10, 110):
        del c.cells[position]
    made = c.sync([wanted("new", text(9, 120)), wanted("block 1", text(1, 50))])
    assert kinds(made) == ["Move", "Keep", "Write"]


def test_scattered_room_becomes_one_hole_by_moving_attached_blocks_in_one_run():
    c = cache(400)
    small = [wanted(f"block {i}", text(i, 40)) for i in range(10)]
    c.sync(small)
    kept = small[1::2]
    made = c.sync([wanted("large", text(99, 190)), *kept])
    assert not made.unfit
    stages = [stage(step) for step in made.steps]
    assert stages == sorted(stages)
    assert of(made, Move)
    assert made.writes[0].n_decoded == 190
    assert len(of(made, Keep)) == 5


def test_a_block_that_outgrows_its_place_takes_its_beginning_along():
    c = cache(1000)
    c.sync([wanted("a", text(1, 200)), wanted("b", text(2, 100))])
    made = c.sync([wanted("a", text(1, 200) + text(3, 100)), wanted("b", text(2, 100))])
    assert kinds(made) == ["Move", "Keep", "Write"]
    assert made.writes[0].n_decoded == 100


def test_a_block_grows_over_a_detached_one_behind_it_only_where_that_is_kept():
    for stores, steps in ((True, ["Evict", "Write"]), (False, ["Move", "Write"])):
        c = cache(1000, stores=stores)
        c.sync([wanted("a", text(1, 100)), wanted("b", text(2, 100))])
        c.sync([wanted("a", text(1, 100))])
        assert kinds(c.sync([wanted("a", text(1, 100) + text(3, 50))])) == steps


def test_a_more_valuable_block_takes_the_place_of_a_less_valuable_one_which_is_named():
    c = cache(300)
    c.sync([wanted(f"block {i}", text(i, 100)) for i in range(3)])
    made = c.sync([wanted("new", text(9, 100)), *[wanted(f"block {i}", text(i, 100)) for i in range(3)]])
    assert made.unfit == ("block 2",)
    assert [step.key for step in of(made, Evict)] == ["block 2"]
    assert not of(made, Move)


def test_a_less_valuable_block_never_takes_the_place_of_a_more_valuable_one():
    c = cache(300)
    c.sync([wanted(f"block {i}", text(i, 100)) for i in range(3)])
    made = c.sync([*[wanted(f"block {i}", text(i, 100)) for i in range(3)], wanted("new", text(9, 100))])
    assert made.unfit == ("new",)
    assert kinds(made) == ["Keep"] * 3


def test_a_block_larger_than_the_arena_is_named_and_smaller_ones_still_come():
    made = cache(100).sync([wanted("huge", text(1, 101)), wanted("small", text(2, 100))])
    assert made.unfit == ("huge",)
    assert [step.key for step in made.writes] == ["small"]


def test_cells_bound_what_fits_though_positions_are_plenty():
    c = cache(10_000, n_cells=250, header_tokens=20)
    made = c.sync([wanted(f"block {i}", text(i, 100)) for i in range(3)])
    assert made.unfit == ("block 2",)
    made = c.sync([wanted("new", text(9, 100)), wanted("block 0", text(0, 100))])
    assert (made.unfit, [step.key for step in of(made, Evict)]) == ((), ["block 1"])


def test_cells_taken_by_others_are_given_back_by_what_is_detached():
    c = cache(1000, n_cells=400)
    c.sync([wanted(f"block {i}", text(i, 100)) for i in range(3)])
    c.sync([wanted("block 0", text(0, 100))])
    c.n_cells = 150
    made = c.sync([wanted("block 0", text(0, 100))])
    assert kinds(made) == ["Evict", "Evict", "Keep"]


def test_shrink_gives_back_what_is_asked_for_and_keeps_what_is_attached():
    c = cache(1000)
    c.sync([wanted(f"block {i}", text(i, 100)) for i in range(3)])
    c.sync([wanted("block 0", text(0, 100))])
    made = shrink(c.arena, 101, c.stored, c.limits)
    assert [step.key for step in of(made, Evict)] == ["block 2", "block 1"]
    c.carry_out(made)
    c.carry_out(shrink(c.arena, 1, c.stored, c.limits))
    assert [r.key for r in c.arena] == ["block 0"]
    c.carry_out(shrink(c.arena, 1, c.stored, c.limits, attached=True))
    assert not c.cells
    assert len(c.store) == 3


def test_a_sync_stopped_halfway_leaves_an_arena_that_the_next_plan_completes():
    blocks = [wanted("a", text(1, 100)), wanted("b", text(2, 100))]
    changed = [wanted("a", text(1, 60) + text(3, 45)), wanted("b", text(4, 90))]
    n_steps = len(_synced(blocks).plan(changed).steps)
    for stop in range(n_steps):
        c = _synced(blocks)
        made = c.plan(changed)
        c.carry_out(_beginning(made, stop, c.arena))
        c.sync(changed)
        assert kinds(c.sync(changed)) == ["Keep", "Keep"]


def _synced(blocks):
    c = cache(1000)
    c.sync(blocks)
    return c


def _beginning(made, n, arena):
    after = arena.copy()
    for step in made.steps[:n]:
        apply(after, step, made.tick)
    return replace(made, steps=made.steps[:n], arena=after)


# ---- a bound on what may be decoded


def test_a_bound_defers_what_goes_beyond_it_in_order_of_value():
    c = cache(1000)
    made = c.sync([wanted("a", text(1, 60)), wanted("b", text(2, 100)), wanted("c", text(3, 40))], max_decode=100)
    assert [step.key for step in made.writes] == ["a", "c"]
    assert made.deferred == ("b",)
    assert not made.unfit


def test_what_is_deferred_does_not_keep_its_old_text_attached_nor_lose_it():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100)), wanted("b", text(2, 50))])
    changed = [wanted("a", text(1, 60) + text(3, 45)), wanted("b", text(2, 50))]
    made = c.sync(changed, max_decode=20)
    assert kinds(made) == ["Detach", "Keep"]
    assert (made.deferred, c.arena["a"].n_tokens, c.arena["a"].attached) == (("a",), 100, False)
    made = c.sync(changed)
    assert [step.n_decoded for step in made.writes] == [45], "what is alike is still there"
    assert not made.deferred


def test_a_bound_costs_nothing_that_decodes_nothing():
    c = cache(1000)
    c.sync([wanted("a", text(1, 100)), wanted("b", text(2, 50))])
    c.sync([wanted("b", text(2, 50)), wanted("c", text(3, 70))])
    c.carry_out(shrink(c.arena, 1, c.stored, c.limits))
    made = c.sync([wanted("a", text(1, 100)), wanted("c", text(3, 70)), wanted("d", text(2, 50))], max_decode=0)
    assert kinds(made) == ["Rekey", "Keep", "Keep", "Restore"]
    assert not made.deferred


def test_whatever_is_small_enough_comes_though_nothing_else_may():
    """Bounded again and again, all of what fits the bound by itself is there at last."""
    c = cache(1000)
    blocks = [wanted(f"block {i}", text(i, 30)) for i in range(5)]
    left = [len(c.sync(blocks, max_decode=40).deferred) for _ in range(5)]
    assert left == [4, 3, 2, 1, 0]


# ---- whatever comes

texts = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 40), st.integers(0, 40)), min_size=1, max_size=12, unique=True
).map(
    lambda drawn: [
        text(family, min(n, same)) + text(10 + i, n - min(n, same)) for i, (family, n, same) in enumerate(drawn)
    ]
)
rounds = st.lists(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 11)), max_size=8, unique_by=lambda pair: pair[0]),
    min_size=1,
    max_size=6,
)


@given(
    texts=texts,
    rounds=rounds,
    size=st.integers(20, 250),
    n_cells=st.integers(10, 300),
    header_tokens=st.integers(0, 8),
    stores=st.booleans(),
    move_cost=st.sampled_from([0, 10, 64]),
)
@example(  # without a store: a detached block is moved, then has to go after all
    texts=[text(i, n) for i, n in enumerate((36, 1, 24))],
    rounds=[[(2, 0), (3, 0)], [(1, 2), (4, 2), (0, 1)]],
    size=120,
    n_cells=121,
    header_tokens=0,
    stores=False,
    move_cost=0,
)
def test_after_any_syncs_what_fits_stands_attached_and_the_rest_is_named(
    texts, rounds, size, n_cells, header_tokens, stores, move_cost
):
    c = cache(size, n_cells, header_tokens=header_tokens, stores=stores)
    for drawn in rounds:
        blocks = [wanted(f"key {key}", texts[i % len(texts)]) for key, i in drawn]
        before, resident = c.arena.copy(), {r.digest for r in c.arena}
        known = set(c.store)
        made = c.plan(blocks, move_cost=move_cost)
        assert c.arena == before, "planning changes nothing"
        c.carry_out(made)
        # what stands
        fit = [w for w in blocks if w.key not in made.unfit]
        for w in fit:
            r = c.arena[w.key]
            assert (r.tokens, r.digest, r.attached) == (w.tokens, w.digest, True)
            # no door: the simulator's own
            assert c._read(r.span, r.n_tokens) == w.tokens
        assert c.main == {p for w in fit for p in range(*c.arena[w.key].used)}
        # what does not, by counting alone
        equal = {w.key for w in blocks if (r := before.get(w.key)) and (r.digest, r.tokens) == (w.digest, w.tokens)}
        used = 0
        for w in blocks:
            fits = used + len(w.tokens) <= size and used + len(w.tokens) + header_tokens <= n_cells
            if w.key in made.unfit:
                assert not fits
            else:
                used += len(w.tokens)
        assert used <= min(size, n_cells)
        # what it costs
        assert not [step for step in made.writes if step.from_index == 0 and step.key in equal]
        assert not [step for step in made.writes if step.digest in known]
        for step in made.writes:
            same = [w for w in blocks if w.digest == step.digest]
            assert step.digest not in resident or len(same) > 1
        stages = [stage(step) for step in made.steps]
        assert stages == sorted(stages)
        assert not stores or not of(made, Move) or made.writes or made.restores
        # and again
        again = c.plan(blocks, move_cost=move_cost)
        assert set(kinds(again)) <= {"Keep"}
        assert again.unfit == made.unfit


@given(
    texts=texts,
    rounds=rounds,
    bounds=st.lists(st.integers(0, 120), min_size=6, max_size=6),
    size=st.integers(20, 250),
    n_cells=st.integers(10, 300),
    stores=st.booleans(),
)
def test_under_any_bound_what_is_not_deferred_stands_and_without_one_all_of_it(
    texts, rounds, bounds, size, n_cells, stores
):
    c = cache(size, n_cells, stores=stores)
    for drawn, bound in zip(rounds, bounds, strict=False):
        blocks = [wanted(f"key {key}", texts[i % len(texts)]) for key, i in drawn]
        free = c.plan(blocks)
        made = c.plan(blocks, max_decode=bound)
        c.carry_out(made)
        assert made.unfit == free.unfit, "what fits is not a question of the bound"
        assert sum(step.n_decoded for step in made.writes) <= bound
        here = [w for w in blocks if w.key not in (*made.unfit, *made.deferred)]
        for w in here:
            r = c.arena[w.key]
            assert (r.tokens, r.attached) == (w.tokens, True)
        assert c.main == {p for w in here for p in range(*c.arena[w.key].used)}, "and nothing of what is deferred"
        if sum(step.n_decoded for step in free.writes) <= bound:
            assert made.steps == free.steps
        c.sync(blocks)
        assert c.main == {p for w in blocks if w.key not in made.unfit for p in range(*c.arena[w.key].used)}


def test_planning_says_nothing_for_nothing_wanted_in_an_empty_arena():
    made = plan(Arena(0, 0), [], lambda digest: None, PlanLimits(0, 0))
    assert (made.steps, made.unfit) == ((), ())
