"""The arena: a free list over positions, against a plain set of positions."""

import os
import random

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from palimpsest.engine.arena.arena import Arena
from palimpsest.engine.arena.span import Span
from tests.examples import examples


def tokens(n: int, first: int = 0) -> tuple[int, ...]:
    return tuple(range(first, first + n))


def filled(size: int, *blocks: tuple[str, int, int]) -> Arena:
    """An arena from 0 with `(key, start, n_tokens)` blocks without slack."""
    arena = Arena(0, size)
    for key, start, n in blocks:
        arena.place(key, tokens(n), key, Span(start, start + n))
    arena.check()
    return arena


def holes(arena: Arena) -> list[tuple[int, int]]:
    return [tuple(hole) for hole in arena.holes]


# ---- taking and giving back


def allocate(arena: Arena, key, tokens, digest, slack=0):
    """A new block by best fit; None where no hole is large enough."""
    span = arena.find(len(tokens), slack)
    return None if span is None else arena.place(key, tokens, digest, span)


def test_the_smallest_hole_that_fits_is_taken_and_of_equal_ones_the_lowest():
    arena = filled(100, ("a", 20, 10), ("b", 40, 10), ("c", 60, 30))  # holes of 20, 10, 10, 10
    assert arena.find(10) == Span(30, 40)
    assert arena.find(11) == Span(0, 11)
    assert arena.find(21) is None


def test_slack_is_given_where_the_hole_allows_it_and_withheld_where_not():
    arena = filled(100, ("a", 20, 10), ("b", 40, 60))  # holes of 20 and 10
    assert arena.find(8, slack=5) == Span(0, 13)
    assert arena.find(18, slack=5) == Span(0, 20)
    assert allocate(arena, "c", tokens(18), "c", slack=5).n_slack == 2


def test_allocating_what_fits_nowhere_changes_nothing():
    arena = filled(20, ("a", 5, 10))
    before = arena.copy()
    assert allocate(arena, "b", tokens(6), "b") is None
    assert arena == before


def test_freed_neighbours_become_one_hole():
    arena = filled(40, ("a", 0, 10), ("b", 10, 10), ("c", 20, 10))
    arena.free("a")
    arena.free("c")
    assert holes(arena) == [(0, 10), (20, 40)]
    arena.free("b")
    assert holes(arena) == [(0, 40)]


def test_placing_on_anothers_slack_takes_it_and_leaves_the_rest_free():
    arena = Arena(0, 100)
    arena.place("a", tokens(10), "a", Span(0, 40))
    assert arena.can_place(Span(20, 30))
    arena.place("b", tokens(10), "b", Span(20, 30))
    assert arena["a"].span == Span(0, 20)
    assert holes(arena) == [(30, 100)]
    arena.check()


def test_placing_on_a_used_position_is_our_own_mistake():
    arena = filled(100, ("a", 10, 10))
    for start in (1, 10, 19):
        assert not arena.can_place(Span(start, start + 10))
        with pytest.raises(AssertionError, match="taken"):
            arena.place("b", tokens(10), "b", Span(start, start + 10))
    with pytest.raises(AssertionError, match="resident already"):
        arena.place("a", tokens(1), "a", Span(50, 51))
    with pytest.raises(AssertionError, match="taken"):
        arena.place("b", tokens(10), "b", Span(95, 105))


def test_growing_stays_in_the_slack_then_takes_the_hole_right_after():
    arena = Arena(0, 100)
    arena.place("a", tokens(10), "a", Span(10, 20))
    arena.place("b", tokens(10), "b", Span(50, 60))
    assert arena.resize("a", 5) == Span(10, 20)
    assert arena.resize("a", 25, slack=5) == Span(10, 40)
    assert arena.resize("a", 38, slack=5) == Span(10, 50)
    assert arena.resize("a", 41) is None
    arena.rewrite("a", tokens(38, 500), "other", Span(10, 50))
    assert (arena["a"].used, arena["a"].n_slack, arena["a"].digest) == (Span(10, 48), 2, "other")
    arena.check()


def test_a_truncated_block_is_incomplete_and_keeps_its_span():
    arena = filled(20, ("a", 0, 10))
    cut = arena.truncate("a", 4)
    assert (cut.tokens, cut.complete, cut.span, cut.n_slack) == (tokens(4), False, Span(0, 10), 6)
    arena.check()


def test_a_block_can_slide_over_its_own_old_place():
    arena = filled(30, ("a", 10, 10))
    arena.relocate("a", Span(5, 15))
    assert holes(arena) == [(0, 5), (15, 30)]
    arena.relocate("a", Span(12, 22))
    assert holes(arena) == [(0, 12), (22, 30)]


def test_keys_can_be_exchanged():
    arena = filled(30, ("a", 0, 10), ("b", 10, 10))
    arena.rekey({"a": "b", "b": "a"})
    assert (arena["a"].digest, arena["b"].digest) == ("b", "a")
    assert [r.key for r in arena] == ["b", "a"]
    arena.check()
    with pytest.raises(AssertionError, match="taken"):
        arena.rekey({"a": "b"})


def test_a_copy_is_an_arena_of_its_own():
    arena = filled(30, ("a", 0, 10))
    other = arena.copy()
    other.free("a")
    assert "a" in arena
    assert "a" not in other
    arena.check()


@pytest.mark.parametrize(
    "spoil",
    [
        # no door: what `check` finds is what no caller can do
        lambda a: a._holes.take(Span(10, 20)),
        lambda a: a._holes.give(Span(0, 5)),
        lambda a: a._holes._holes.__setitem__(slice(None), [Span(10, 15), Span(15, 30)]),
        lambda a: a._starts.reverse(),
        lambda a: a._residents.pop("b"),
        lambda a: a._residents.__setitem__("a", a["b"]),
    ],
)
def test_check_tells_what_does_not_add_up(spoil):
    arena = filled(40, ("a", 0, 10), ("b", 30, 10))
    spoil(arena)
    with pytest.raises(AssertionError):
        arena.check()


# ---- what would have to go, or to move


def test_detached_blocks_go_first_the_least_recently_used_and_least_valuable_before_others():
    arena = filled(50, *((key, 10 * i, 10) for i, key in enumerate("abcde")))
    for key, rank, tick in [("a", 0, 1), ("b", 1, 1), ("c", 0, 2), ("d", 1, 3), ("e", 0, 3)]:
        arena.attach(key, rank=rank, tick=tick)
    for key in "abc":
        arena.detach(key)
    assert arena.victims() == ["b", "a", "c"]
    assert arena.victims(attached=True) == ["b", "a", "c", "d", "e"]
    assert arena.victims(11) == ["b", "a"]
    assert arena.victims(0) == []
    arena.touch("b", 9)
    assert arena.victims() == ["a", "c", "b"]
    assert arena.tick == 9


def test_the_cheapest_run_clears_the_fewest_cells():
    arena = filled(100, ("a", 10, 30), ("b", 50, 10), ("c", 70, 30))
    assert arena.window(25) is None
    assert arena.window(25, "abc") == (Span(40, 65), ["b"])
    assert arena.window(31, "abc") == (Span(0, 31), ["a"])
    assert arena.window(25, "ac")[1] == ["a"]
    assert arena.window(101, "abc") is None


def test_slack_is_part_of_a_run_as_far_as_it_is_needed():
    arena = Arena(0, 30)
    arena.place("a", tokens(10), "a", Span(0, 20))
    assert arena.window(15) == (Span(15, 30), [])


def test_the_fewest_cells_are_moved_to_make_one_hole():
    arena = filled(100, ("a", 10, 40), ("b", 60, 5), ("c", 75, 25))  # holes of 10, 10, 10
    moves = arena.moves_to_fit(20)
    assert [(m.key, m.old.start, m.new.start, m.n_tokens, m.distance) for m in moves] == [("b", 60, 50, 5, -10)]
    assert [m.key for m in arena.moves_to_fit(30)] == ["a", "b"]
    assert arena.moves_to_fit(10) == []
    assert arena.moves_to_fit(31) is None


def test_blocks_keep_their_slack_when_they_move_unless_it_is_needed():
    arena = Arena(0, 60)
    arena.place("a", tokens(10), "a", Span(10, 25))
    arena.place("b", tokens(10), "b", Span(35, 45))
    kept = arena.moves_to_fit(20)
    assert [(m.key, m.new) for m in kept] == [("b", Span(25, 35))]
    assert [m.new.size for m in arena.moves_to_fit(30)] == [15, 10]
    assert [m.new.size for m in arena.moves_to_fit(40)] == [10, 10]
    assert arena.moves_to_fit(41) is None


def room_after(arena: Arena, n: int) -> bool:
    """Apply the moves for `n` to a copy one by one; whether `n` positions in a row are free then."""
    trial = arena.copy()
    for move in trial.moves_to_fit(n) or []:
        assert trial[move.key].span == move.old
        assert trial.can_place(move.new, ignoring=move.key), "a move lands on another block"
        trial.relocate(move.key, move.new)
        trial.check()
    return trial.window(n) is not None


# ---- whatever is done


class ArenaMachine(RuleBasedStateMachine):
    """The arena against a dictionary from position to key."""

    @initialize(start=st.integers(0, 20), size=st.integers(0, 120))
    def begin(self, start, size):
        self.arena = Arena(start, start + size)
        self.model: dict[int, str] = {}
        self.next = 0

    def used(self, key):
        return sorted(p for p, k in self.model.items() if k == key)

    def put(self, key, start, n):
        for position in range(start, start + n):
            assert position not in self.model
            self.model[position] = key

    def take(self, key):
        for position in self.used(key):
            del self.model[position]

    @rule(n=st.integers(1, 40), slack=st.integers(0, 10))
    def allocate(self, n, slack):
        key, self.next = f"block {self.next}", self.next + 1
        sizes = [hole.size for hole in self.arena.holes]
        found = allocate(self.arena, key, tokens(n), key, slack)
        if found is None:
            assert all(size < n for size in sizes)
        else:
            assert found.span.size in range(n, n + slack + 1)
            if found.n_slack < slack:
                assert found.span.size == min(size for size in sizes if size >= n)
            self.put(key, found.span.start, n)

    @precondition(lambda self: len(self.arena))
    @rule(data=st.data())
    def free(self, data):
        key = self.any_key(data)
        self.arena.free(key)
        self.take(key)

    @precondition(lambda self: len(self.arena))
    @rule(data=st.data(), n=st.integers(1, 40), slack=st.integers(0, 10))
    def resize(self, data, n, slack):
        key = self.any_key(data)
        start = self.arena[key].span.start
        span = self.arena.resize(key, n, slack)
        free = all(self.model.get(p, key) == key for p in range(start, start + n)) and start + n <= self.arena.span.end
        if span is None:
            free_until = next((hole.end for hole in self.arena.holes if hole.start == self.arena[key].span.end), 0)
            assert n > self.arena[key].span.size
            assert free_until - start < n
        else:
            assert free
            self.arena.rewrite(key, tokens(n), key, span)
            self.take(key)
            self.put(key, start, n)

    @precondition(lambda self: len(self.arena))
    @rule(data=st.data())
    def truncate(self, data):
        key = self.any_key(data)
        n = data.draw(st.integers(1, self.arena[key].n_tokens))
        self.arena.truncate(key, n)
        for position in self.used(key)[n:]:
            del self.model[position]

    @precondition(lambda self: len(self.arena))
    @rule(data=st.data(), slack=st.integers(0, 5))
    def relocate(self, data, slack):
        key = self.any_key(data)
        n = self.arena[key].n_tokens
        start = data.draw(st.integers(self.arena.span.start, self.arena.span.end - n))
        span = Span(start, start + n + slack)
        free = all(self.model.get(p, key) == key for p in range(*span)) and span.end <= self.arena.span.end
        assert self.arena.can_place(span, ignoring=key) == free
        if free:
            self.arena.relocate(key, span)
            self.take(key)
            self.put(key, start, n)

    @rule(n=st.integers(1, 120))
    def moving_together_makes_room_exactly_when_there_is_any(self, n):
        assert room_after(self.arena, n) == (self.arena.size - len(self.model) >= n)

    @precondition(lambda self: len(self.arena))
    @rule(data=st.data(), n=st.integers(1, 60))
    def a_window_clears_the_fewest_cells(self, data, n):
        evictable = data.draw(st.sets(st.sampled_from([r.key for r in self.arena])))
        costs = []
        for start in range(self.arena.span.start, self.arena.span.end - n + 1):
            keys = {self.model[p] for p in range(start, start + n) if p in self.model}
            if keys <= evictable:
                costs.append(sum(len(self.used(key)) for key in keys))
        found = self.arena.window(n, evictable)
        assert (found is None) == (not costs)
        if found is not None:
            span, keys = found
            assert span.size == n
            assert {self.model[p] for p in range(*span) if p in self.model} <= set(keys)
            assert sum(len(self.used(key)) for key in keys) == min(costs)

    def any_key(self, data):
        return data.draw(st.sampled_from([r.key for r in self.arena]))

    @invariant()
    def adds_up(self):
        if hasattr(self, "arena"):
            self.arena.check()
            assert {p: r.key for r in self.arena for p in range(*r.used)} == self.model
            assert self.arena.n_tokens == len(self.model)


TestArenaMachine = ArenaMachine.TestCase
TestArenaMachine.settings = examples(1, stateful_step_count=40)


def test_thousands_of_random_operations_add_up_after_every_one():
    draw, arena = random.Random(7), Arena(32, 8192)
    done = dict.fromkeys(["allocate", "free", "resize", "relocate", "evict", "compact"], 0)
    for i in range(20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 2_000):
        what = draw.choice(["allocate", "allocate", "free", "resize", "relocate"])
        n = draw.randint(1, 400)
        keys = [r.key for r in arena]
        if what == "allocate" and allocate(arena, f"block {i}", tokens(n), f"{i}", draw.randint(0, 50)) is None:
            moves = arena.moves_to_fit(n) if draw.random() < 0.5 else None
            what = "evict" if moves is None else "compact"
            for move in moves or []:
                arena.relocate(move.key, move.new)
            for key in arena.victims(n) if moves is None else []:
                arena.free(key)
        elif what == "free" and keys:
            arena.free(draw.choice(keys))
        elif what == "resize" and keys:
            key = draw.choice(keys)
            if (span := arena.resize(key, n, slack=20)) is not None:
                arena.rewrite(key, tokens(n), f"{i}", span)
        elif what == "relocate" and keys:
            key = draw.choice(keys)
            if (span := arena.find(arena[key].n_tokens)) is not None:
                arena.relocate(key, span)
        done[what] += 1
        arena.check()
    assert all(done.values()), done
