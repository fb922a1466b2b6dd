"""A dictionary that keeps what was set last."""

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
