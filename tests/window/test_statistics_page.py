"""The statistics as a page of text."""

from palimpsest.window.statistics_page import PARTLY, page

SUMS = {"shown": 2, "accepted": {"all": 1, "word": 1}, "rejected": 0, "characters": 17}
FOUND = {
    **SUMS,
    "enabled": True,
    "complete": True,
    "since": "2026-11-23",
    "by_kind": {"completion": SUMS},
    "by_language": {"python": SUMS},
    "by_day": {"2026-11-23": SUMS},
    "latency": {"completion": {"n": 2, "p50": 40, "p95": 90}},
}


def test_statistics_are_columns_of_plain_text_which_an_editor_does_not_wrap() -> None:
    lines = page(FOUND).split("\n")
    assert lines[0] == "Palimpsest: statistics since 2026-11-23"
    assert not any("|" in line for line in lines)
    first = next(i for i, line in enumerate(lines) if line.startswith("kind "))
    head, row = lines[first : first + 2]
    assert len(head) == len(row)
    assert row.split() == ["completion", "2", "1", "0", "1", "0", "17"]
    assert any(line.split() == ["completion", "2", "40", "ms", "90", "ms"] for line in lines)


def test_where_nothing_is_counted_the_page_says_why() -> None:
    assert "is off.\n\nNothing was shown yet." in page({**FOUND, "enabled": False, "since": ""})


def test_where_the_file_could_not_be_read_the_page_says_so() -> None:
    for since in ("", "2026-11-23"):
        assert PARTLY in page({**FOUND, "complete": False, "since": since}).split("\n")
    assert PARTLY not in page(FOUND)
