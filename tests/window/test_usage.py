"""What a window counts of the engine's answers, block by block."""

from __future__ import annotations

from palimpsest import wire
from palimpsest.types import BlockKey
from palimpsest.window import usage
from palimpsest.window.usage import Usage


def answer(**decoded: int) -> wire.SyncAnswer:
    """Of class blocks by their names."""
    reports = [wire.BlockReport(f"class:{name}", 9, "written", n) for name, n in decoded.items()]
    return wire.SyncAnswer(1, reports, [])


def test_tokens_are_counted_for_each_block_whatever_its_text_was() -> None:
    counted = Usage()
    counted.synced(answer(a=9, b=5, kept=0), [])
    counted.synced(answer(a=4, kept=0), [])
    assert counted.by_block == {BlockKey("class", "b"): 5, BlockKey("class", "a"): 13}


def test_of_too_many_the_ones_decoded_longest_ago_are_forgotten() -> None:
    counted = Usage()
    for n in range(usage.MOST_COUNTED):
        counted.synced(answer(**{f"b{n}": 1}), [])
    counted.synced(answer(b0=1), [])
    counted.synced(answer(new=1), [])
    assert len(counted.by_block) == usage.MOST_COUNTED
    assert BlockKey("class", "b1") not in counted.by_block
    assert counted.by_block[BlockKey("class", "b0")] == 2


def test_comparing_lines_counts_and_is_no_request_for_text() -> None:
    counted = Usage()
    counted.compared(wire.ScoreAnswer([1.0], 7))
    assert (counted.totals.decoded, counted.last.decoded) == (7, 0)
