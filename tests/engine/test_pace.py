"""The pace: how large a micro-batch is, and what there is time for."""

import math

import pytest

from palimpsest import wire
from palimpsest.engine.cache.pace import FIRST_BATCH, LEAST_BATCH, TILE, TILE_S, WAIT_S, Pace, SyncBound


def at(tokens_a_second: float) -> Pace:
    pace = Pace()
    pace.note(100, 100 / tokens_a_second)
    return pace


@pytest.mark.parametrize(
    ("tokens_a_second", "size"),
    [(40, LEAST_BATCH), (44, TILE), (650, TILE), (1270, TILE), (1290, 128), (5000, 256), (1_000_000, 512)],
)
def test_a_micro_batch_takes_as_long_as_a_keystroke_may_wait(tokens_a_second: float, size: int) -> None:
    assert at(tokens_a_second).batch(512) == size
    assert size <= TILE or size / tokens_a_second <= WAIT_S
    assert size < TILE or size / tokens_a_second <= TILE_S


@pytest.mark.parametrize("n_batch", [16, 100, 512])
def test_it_is_never_larger_than_a_batch_of_the_context(n_batch: int) -> None:
    assert Pace().batch(n_batch) == min(FIRST_BATCH, n_batch)
    assert at(40).batch(n_batch) == min(LEAST_BATCH, n_batch)
    assert at(1_000_000).batch(n_batch) == n_batch


@pytest.mark.parametrize("tokens_a_second", [40, 100, 2000])
@pytest.mark.parametrize("n_batch", [16, 64, 100, 512])
@pytest.mark.parametrize("n_tokens", [1, 63, 64, 65, 127, 128, 200, 1000])
def test_a_prompt_leaves_no_small_rest(tokens_a_second: float, n_batch: int, n_tokens: int) -> None:
    pace, parts, left = at(tokens_a_second), list[int](), n_tokens
    while left:
        parts.append(pace.part(left, n_batch))
        left -= parts[-1]
    assert max(parts) <= n_batch
    assert max(parts) < pace.batch(n_batch) + (TILE if tokens_a_second > 40 else 1)
    if tokens_a_second > 40 and n_batch >= 2 * TILE:
        assert n_tokens < TILE or min(parts) >= TILE


def test_a_few_slow_batches_are_believed_one_is_not() -> None:
    pace = at(10_000)
    pace.note(100, 100 / 5_000)
    assert pace.batch(512) == 512
    for _ in range(10):
        pace.note(100, 100 / 1_000)
    assert pace.batch(512) == 64


def test_single_tokens_tell_nothing() -> None:
    pace = Pace()
    pace.note(1, 0.05)
    assert pace == Pace()
    assert pace.tokens_in(100) is None


def sync(**bounds: int) -> wire.SyncRequest:
    return wire.SyncRequest("w", "", "", [], **bounds)


def test_a_sync_is_bounded_by_tokens_by_time_or_by_neither() -> None:
    pace = at(1000)
    assert SyncBound.of(sync(), pace) == SyncBound(None, math.inf)
    assert SyncBound.of(sync(max_decode=70), pace) == SyncBound(70, math.inf)
    assert SyncBound.of(sync(max_decode_ms=50), pace).tokens == 50
    assert SyncBound.of(sync(max_decode=70, max_decode_ms=50), pace).tokens == 50
    assert SyncBound.of(sync(max_decode=30, max_decode_ms=50), pace).tokens == 30
    assert SyncBound.of(sync(max_decode_ms=50), Pace()).tokens is None, "no pace is known: time alone will tell"
    assert SyncBound.of(sync(max_decode_ms=50), Pace()).deadline < math.inf


def test_what_is_left_of_a_bound() -> None:
    assert SyncBound(70).remaining(30) == 40
    assert SyncBound(70).remaining(90) == 0
    assert SyncBound().remaining(90) is None
