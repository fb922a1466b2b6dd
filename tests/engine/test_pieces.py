"""Pieces of a tail that stand in the next prompt as well."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.cache.carried import LEAST, CarriedPiece, pieces

tokens = st.lists(st.integers(0, 3), max_size=60)


@given(tokens, tokens, st.integers(1, 6))
def test_pieces_are_the_same_tokens_in_order_and_do_not_overlap(old: list[int], new: list[int], least: int) -> None:
    at_old = at_new = 0
    for i, piece in enumerate(pieces(old, new, least)):
        assert old[piece.old : piece.old + piece.n] == new[piece.new : piece.new + piece.n]
        assert piece.old >= at_old
        assert piece.new >= at_new
        assert piece.n >= least or (i == 0 and piece.old == piece.new == 0 and piece.n > 0)
        at_old, at_new = piece.old + piece.n, piece.new + piece.n
    assert at_old <= len(old)
    assert at_new <= len(new)


@given(tokens, tokens, st.lists(st.integers(10, 13), max_size=60), tokens)
def test_what_stands_behind_a_piece_that_was_replaced_is_found(
    a: list[int], x: list[int], y: list[int], b: list[int]
) -> None:
    """What replaced it stands nowhere in the old tokens: else the first place that is alike counts, see below."""
    behind = [*range(100, 100 + LEAST), *b]
    found = pieces([*a, *x, *behind], [*a, *y, *behind])
    assert found[-1] == CarriedPiece(len(a) + len(x), len(a) + len(y), len(behind)) or found[-1].n >= len(behind)


def test_what_stands_twice_is_taken_at_the_first_place_behind_the_piece_before() -> None:
    once, again = list(range(100, 100 + LEAST)), [0] * LEAST
    assert pieces([*once, *again], [*again, *once, *again]) == [CarriedPiece(LEAST, 0, LEAST)]


def test_several_replaced_results_leave_what_is_between_them() -> None:
    between, behind = list(range(100, 150)), list(range(200, 260))
    old = [1, 2, 3, *[7] * 90, *between, *[8] * 90, *behind]
    new = [1, 2, 3, 9, *between, 9, *behind, 4, 5]
    assert pieces(old, new) == [CarriedPiece(0, 0, 3), CarriedPiece(93, 4, 50), CarriedPiece(233, 55, 60)]


def test_the_same_words_many_times_take_no_square_time() -> None:
    old = [5] * 8000
    assert pieces([1, *old], [2, *old]) == [CarriedPiece(1, 1, 8000)]
