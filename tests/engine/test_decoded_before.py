"""What is decoded that was decoded before."""

from palimpsest.engine.cache.pool import MOST_STRETCHES, STRETCH, DecodedBefore


def test_tokens_in_a_stretch_that_was_there_before_are_counted_once_each() -> None:
    shown = DecodedBefore()
    assert shown.note(range(20)) == 0
    assert shown.note(range(20)) == 20
    assert shown.note([*range(100, 105), *range(4, 20), 105]) == 16
    assert shown.note(range(STRETCH - 1)) == 0


def test_what_repeats_itself_was_not_decoded_before() -> None:
    shown = DecodedBefore()
    assert shown.note([1, 2, 3, 4] * 16) == 0
    assert shown.note([1, 2, 3, 4] * 16) == 64


def test_what_was_decoded_longest_ago_is_forgotten() -> None:
    shown = DecodedBefore()
    shown.note(range(-STRETCH, 0))
    shown.note(range(MOST_STRETCHES // 2))
    assert shown.note(range(-STRETCH, 0)) == STRETCH
    shown.note(range(MOST_STRETCHES + STRETCH))
    assert shown.note(range(-STRETCH, 0)) == 0
