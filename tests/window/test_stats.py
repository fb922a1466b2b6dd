"""Counts of what was offered, and the file that windows share."""

from __future__ import annotations

import logging
import sqlite3
import stat
import threading
import time
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import StorageError
from palimpsest.window.statistics import BUSY_S, HAPPENED, PARTS, Statistics, What

LATER = 3600.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "statistics.sqlite"


def test_two_windows_add_to_one_file(file: Path) -> None:
    one, two = Statistics(file, write_s=LATER), Statistics(file, write_s=LATER)
    for window in (one, two, one):
        window.count("completion", "shown", language="python", ms=3)
    two.count("completion", "accepted", part="word", chars=4, language="python")
    two.close()
    report = one.report()
    assert report["shown"] == 3
    assert report["accepted"] == {"all": 0, "line": 0, "word": 1}
    assert report["characters"] == 4
    assert report["latency"] == {"completion": {"n": 3, "p50": 4.0, "p95": 4.0}}
    assert report["since"] == date.today().isoformat()
    assert Statistics(file).report() == report
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_it_is_written_by_itself_a_moment_later(file: Path) -> None:
    window = Statistics(file, write_s=0.01)
    window.count("suggestion", "shown")
    for _ in range(1000):
        if file.exists() and Statistics(file).report()["shown"]:
            return
        threading.Event().wait(0.01)
    raise AssertionError("it was never written")


def test_many_threads_lose_nothing(file: Path) -> None:
    windows = [Statistics(file, write_s=LATER) for _ in range(3)]

    def work(window: Statistics) -> None:
        for _ in range(20):
            window.count("completion", "shown")
            window.write()

    threads = [threading.Thread(target=work, args=(window,)) for window in windows for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert windows[0].report()["shown"] == 120


def test_a_range_of_days_begins_where_it_says(file: Path) -> None:
    window = Statistics(file)
    window.count("completion", "shown")
    window.write()
    old = (date.today() - timedelta(days=7)).isoformat()
    with sqlite3.connect(file) as rows:
        rows.execute("UPDATE counts SET day = ?", (old,))
    window.count("completion", "shown")
    assert window.report()["shown"] == 2
    assert window.report()["since"] == old
    assert window.report(8)["shown"] == 2
    assert window.report(7)["shown"] == 1
    assert list(window.report(7)["by_day"]) == [date.today().isoformat()]


def test_a_reset_forgets_what_is_written_and_what_is_not(file: Path) -> None:
    window = Statistics(file, write_s=LATER)
    window.count("completion", "shown")
    window.write()
    window.count("completion", "shown")
    window.reset()
    assert window.report()["shown"] == 0


@pytest.mark.parametrize("is_being_written", [False, True])
def test_while_another_process_holds_the_file_the_rest_is_told_at_once(file: Path, is_being_written: bool) -> None:
    window = Statistics(file, write_s=LATER)
    window.count("completion", "shown")
    assert window.report()["complete"]
    window.count("suggestion", "shown")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        writer = threading.Thread(target=window.write)
        if is_being_written:
            writer.start()
        asked = time.monotonic()
        report = window.report()
        assert (report["complete"], list(report["by_kind"])) == (False, ["suggestion"])
        with pytest.raises(StorageError, match="cannot be forgotten now"):
            window.reset()
        assert time.monotonic() - asked < BUSY_S, "nobody waits as long as what is written in the background"
        other.execute("ROLLBACK")
    if is_being_written:
        writer.join()
    report = window.report()
    assert (report["complete"], report["shown"]) == (True, 2), "nothing is lost, and nothing counted twice"


def test_nothing_is_counted_and_no_file_made_when_it_is_off(file: Path) -> None:
    window = Statistics(file, enabled=False)
    window.count("completion", "shown")
    window.close()
    assert not file.exists()
    assert window.report()["shown"] == 0


def test_a_broken_file_is_set_aside(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_bytes(b"SQLite format 3\0" + b"garbage " * 400)
    window = Statistics(file, write_s=LATER)
    window.count("completion", "shown")
    assert window.report()["shown"] == 1
    assert (file.parent / "statistics.sqlite.broken").read_bytes().endswith(b"garbage ")
    assert Statistics(file).report()["shown"] == 1
    assert len(caplog.records) == 1


def test_a_file_broken_in_the_middle_is_set_aside(file: Path) -> None:
    window = Statistics(file, write_s=LATER)
    for language in map(str, range(2000)):
        window.count("completion", "shown", language=language)
    window.write()
    content = bytearray(file.read_bytes())
    content[4096 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4096)
    file.write_bytes(content)
    window.count("completion", "shown")
    assert window.report()["shown"] == 1


@pytest.mark.parametrize("why", ["a folder", "no folder", "a newer version"])
def test_a_file_that_cannot_be_used_is_said_once_and_counted_around(
    file: Path, caplog: pytest.LogCaptureFixture, why: str
) -> None:
    if why == "a folder":
        file.mkdir()
    elif why == "no folder":
        file = file.parent / "none" / "statistics.sqlite"
    else:
        with sqlite3.connect(file) as newer:
            newer.execute("PRAGMA user_version = 99")
    with caplog.at_level(logging.WARNING):
        window = Statistics(file, write_s=LATER)
        for _ in range(3):
            window.count("completion", "shown")
            window.write()
        assert window.report()["shown"] == 3
    assert len(caplog.records) == 1
    if why == "no folder":  # and once it can be, what was counted is in it
        file.parent.mkdir()
        window.write()
        assert Statistics(file).report()["shown"] == 3


def test_a_full_disk_loses_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(sqlite3.Connection):
        def executemany(self, *_: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("database or disk is full")

    connect = sqlite3.connect
    window = Statistics(file, write_s=LATER)
    window.count("completion", "shown")
    with monkeypatch.context() as full:
        full.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, factory=Full, **options))
        window.write()
        window.count("completion", "shown")
        assert window.report()["shown"] == 2
    window.write()
    assert Statistics(file).report()["shown"] == 2


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(get_args(What)),
        st.sampled_from(HAPPENED),
        st.sampled_from(PARTS),
        st.integers(0, 99),
        st.sampled_from(["python", "go", ""]),
    )
)


@given(EVENTS)
def test_the_sums_agree_with_one_another(events: list[tuple[str, str, str, int, str]]) -> None:
    window = Statistics(None)
    for what, happened, part, chars, language in events:
        window.count(what, happened, part=part, chars=chars, language=language)  # type: ignore[arg-type]
    report = window.report()
    assert report["shown"] == sum(e[1] == "shown" for e in events)
    assert sum(report["accepted"].values()) == sum(e[1] == "accepted" for e in events)
    assert report["characters"] == sum(e[3] for e in events if e[1] == "accepted")
    for table in ("by_kind", "by_language", "by_day"):
        for name in ("shown", "rejected", "characters"):
            assert sum(sums[name] for sums in report[table].values()) == report[name]


def test_what_was_learned_is_kept_by_model_also_where_nothing_is_counted_and_forgotten(file: Path) -> None:
    one, two = (Statistics(file, enabled=False, write_s=LATER) for _ in range(2))
    for window in (one, two):
        window.learn("here", {"class": (1.0, 2.0)})
        window.learn("there", {"class": (5.0, 0.0)})
        window.close()
    again = Statistics(file)
    assert again.learned("here") == {"class": (2.0, 4.0)}
    again.forget_learned("here")
    assert (again.learned("here"), again.learned("there")) == ({}, {"class": (10.0, 0.0)})
    assert again.report()["shown"] == 0
