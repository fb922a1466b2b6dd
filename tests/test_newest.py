"""A dictionary that keeps what was set last."""

import sys
from concurrent.futures import ThreadPoolExecutor

from palimpsest.newest import Newest


def test_the_first_make_room() -> None:
    kept = Newest[str, int](2)
    for number, key in enumerate("abac"):
        kept[key] = number
    assert dict(kept) == {"a": 2, "c": 3}


def test_the_oldest_go_until_number_and_size_are_kept() -> None:
    kept = Newest[int, str](5, lambda _, text: len(text), 20)
    for number in range(10):
        kept[number] = "x" * number
    assert list(kept) == [8, 9]
    kept[10] = "x" * 100
    assert list(kept) == [10], "one always stays"
    kept[10] = "x"
    kept[11] = "x" * 19
    assert list(kept) == [10, 11]
    kept.clear()
    kept[12], kept[13] = "x" * 10, "x" * 10
    assert list(kept) == [12, 13]
    del kept[12]
    kept[14] = "x" * 10
    assert list(kept) == [13, 14]


def test_what_is_used_goes_last() -> None:
    kept = Newest[str, int](2)
    kept["a"], kept["b"] = 1, 2
    assert (kept.used("a"), kept.used("c")) == (1, None)
    kept["d"] = 4
    assert list(kept) == ["a", "d"]


def test_threads_that_set_and_use_entries_find_it_whole() -> None:
    kept, before = Newest[int, str](4, lambda _, text: len(text), 12), sys.getswitchinterval()

    def work(start: int) -> None:
        for number in range(10_000):
            kept[(start + number) % 9] = "x" * (number % 5)
            kept.used(number % 9)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
    finally:
        sys.setswitchinterval(before)
    kept.clear()
    kept[0], kept[1] = "x" * 6, "x" * 6
    assert list(kept) == [0, 1], "their sizes still add up"
