"""What became of what was offered: counts per day, language and kind, in one file on this machine.

In: that something was shown, accepted or rejected, and how often what a model was sure of came true.  Out: sums.
Holds no code and no file names, and is never sent anywhere.  Counting only adds to a table in memory; a thread of its
own soon adds that to the file, which several windows share.  A problem with the file disturbs nobody: it is logged
once, and what could not be written stays in memory and is tried again.
"""

from __future__ import annotations

import logging
import math
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

from palimpsest.errors import StorageError

logger = logging.getLogger(__name__)
T = TypeVar("T")

What = Literal["completion", "suggestion", "nextEdit"]
Happened = Literal["shown", "accepted", "rejected"]
Part = Literal["all", "line", "word"]
HAPPENED: tuple[Happened, ...] = ("shown", "accepted", "rejected")
PARTS: tuple[Part, ...] = ("all", "line", "word")

FILE = "statistics.sqlite"
WRITE_S = 1.0
"""So long after a count it is written, with what was counted meanwhile."""
BUSY_S, ANSWER_S = 5.0, 0.25
"""So long another process's transaction is waited for; and where somebody waits for an answer meanwhile."""
VERSION = 1
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS counts (day TEXT, language TEXT, what TEXT, happened TEXT, part TEXT, n INTEGER,"
    " characters INTEGER, PRIMARY KEY (day, language, what, happened, part)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS latency (day TEXT, language TEXT, what TEXT, bucket INTEGER, n INTEGER,"
    " PRIMARY KEY (day, language, what, bucket)) WITHOUT ROWID",
    f"PRAGMA user_version = {VERSION}",
)
WORTH = (
    "CREATE TABLE IF NOT EXISTS worth (workspace TEXT, kind TEXT, expected REAL, found REAL,"
    " PRIMARY KEY (workspace, kind)) WITHOUT ROWID"
)
"""Newer than the others; a window of before goes on without it."""
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

Counted = tuple[str, str, str, str, str]
"""day, language, what, happened, part: a row of `counts`."""
Timed = tuple[str, str, str, int]
"""day, language, what, bucket: a row of `latency`; a bucket ends with 2 ** (bucket / 2) ms."""
Worth = dict[tuple[str, str], tuple[float, float]]
"""model, bin of probability: completions shown, and those that came true."""
Counts = dict[Counted, tuple[int, int]]
Times = dict[Timed, int]


@dataclass(slots=True)
class Sums:
    """Of some rows; `accepted` by part."""

    shown: int = 0
    accepted: dict[str, int] | None = None
    rejected: int = 0
    characters: int = 0

    def add(self, happened: str, part: str, n: int, characters: int) -> None:
        if happened == "accepted":
            accepted = self.accepted = self.accepted or dict.fromkeys(PARTS, 0)
            accepted[part] = accepted.get(part, 0) + n
            self.characters += characters
        elif happened == "shown":
            self.shown += n
        elif happened == "rejected":
            self.rejected += n

    def as_object(self) -> dict[str, Any]:
        return {
            "shown": self.shown,
            "accepted": self.accepted or dict.fromkeys(PARTS, 0),
            "rejected": self.rejected,
            "characters": self.characters,
        }


class Statistics:
    """One window's way to the file that all windows share.  Every method may be called from any thread; none raises
    for the file's sake.  `path` None: in memory only.  Not `enabled`: nothing is counted."""

    def __init__(self, path: Path | None, *, enabled: bool = True, write_s: float = WRITE_S) -> None:
        self._path = path
        self.enabled = enabled
        self._write_s = write_s
        self._counts: Counts = {}  # not in the file yet: n, characters
        self._times: Times = {}
        self._worth: Worth = {}
        self._written: tuple[Counts, Times] = {}, {}  # on their way to the file
        self._lock = threading.Lock()  # of the four above and the timer
        self._writing = threading.Lock()  # one writer of this window at a time
        self._timer: threading.Timer | None = None
        self._complained = False

    def count(
        self, what: What, happened: Happened, *, part: Part = "all", chars: int = 0, language: str = "", ms: float = -1
    ) -> None:
        """One more.  `chars`: characters that an acceptance inserted; `ms`: how long what is shown was waited for."""
        if not self.enabled:
            return
        day = date.today().isoformat()
        with self._lock:
            row = day, language, what, happened, part
            n, characters = self._counts.get(row, (0, 0))
            self._counts[row] = n + 1, characters + max(0, chars)
            if ms >= 0:
                timed = day, language, what, _bucket(ms)
                self._times[timed] = self._times.get(timed, 0) + 1
            self._soon()

    def learn(self, place: str, counts: Mapping[str, tuple[float, float]]) -> None:
        """What was shown of a model and came true, by bin of probability; whether anything is counted besides."""
        with self._lock:
            _add_up(self._worth, {(place, kind): both for kind, both in counts.items()})
            self._soon()

    def learned(self, place: str) -> dict[str, tuple[float, float]]:
        """What the file has of it."""
        rows = self._in_file(_read_worth) or {}
        return {kind: both for (name, kind), both in rows.items() if name == place}

    def forget_learned(self, place: str) -> None:
        with self._lock:
            self._worth = {key: both for key, both in self._worth.items() if key[0] != place}
        self._in_file(lambda file: file.execute("DELETE FROM worth WHERE workspace = ?", (place,)).rowcount, ANSWER_S)

    def _soon(self) -> None:
        if self._path is not None and self._timer is None:
            self._timer = threading.Timer(self._write_s, self.write)
            self._timer.daemon = True
            self._timer.start()

    def report(self, days: int | None = None) -> dict[str, Any]:
        """Sums of the last `days` days with today, or of all: `since` (the first day with anything, or ""), `shown`,
        `accepted` by part, `rejected`, `characters` accepted; the same `by_kind`, `by_language` and `by_day`; `latency`
        by kind, in ms, as `{"n", "p50", "p95"}`, rounded up to the next half power of two.  Where the file cannot be
        read at once, what this window counted and has not written yet; it is not `complete` then."""
        first = (date.today() - timedelta(days=days - 1)).isoformat() if days else ""
        counts, times, is_complete = self._rows()
        whole = Sums()
        tables: dict[str, dict[str, Sums]] = {"by_kind": {}, "by_language": {}, "by_day": {}}
        since = ""
        for (day, language, what, happened, part), (n, characters) in sorted(counts.items()):
            if day < first:
                continue
            since = since or day
            for sums in (
                whole,
                tables["by_kind"].setdefault(what, Sums()),
                tables["by_language"].setdefault(language or "other", Sums()),
                tables["by_day"].setdefault(day, Sums()),
            ):
                sums.add(happened, part, n, characters)
        waited: dict[str, dict[int, int]] = {}
        for (day, _, what, bucket), n in times.items():
            if day >= first:
                buckets = waited.setdefault(what, {})
                buckets[bucket] = buckets.get(bucket, 0) + n
        return {
            "enabled": self.enabled,
            "complete": is_complete,
            "since": since,
            **whole.as_object(),
            **{name: {key: sums.as_object() for key, sums in table.items()} for name, table in tables.items()},
            "latency": {what: _quantiles(buckets) for what, buckets in sorted(waited.items())},
        }

    def reset(self) -> None:
        """Forget everything, other windows' counts included.  Raises StorageError where the file cannot be used now."""
        if self._path is not None and not self._in_file(_forget, ANSWER_S):
            raise StorageError(f"The statistics cannot be forgotten now: {self._path} is in use, or cannot be written.")
        with self._lock:
            self._counts, self._times = {}, {}

    def close(self) -> None:
        """Write what is left."""
        self.write()

    def write(self) -> None:
        """Add what was counted to the file; where that cannot be, it stays in memory until the next time."""
        with self._writing:
            self._write(BUSY_S)

    def _write(self, wait_s: float) -> bool:
        """Whether nothing is left to write."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._path is None or not (self._counts or self._times or self._worth):
                return True
            counts, self._counts = self._counts, {}
            times, self._times = self._times, {}
            worth, self._worth = self._worth, {}
            self._written = counts, times
        is_written = self._in_file(lambda file: _add(file, counts, times, worth), wait_s)
        with self._lock:
            self._written = {}, {}
            if not is_written:
                _merge(self._counts, self._times, counts, times)
                _add_up(self._worth, worth)
        return bool(is_written)

    # The file -------------------------------------------------------------------------------------------------

    def _rows(self) -> tuple[Counts, Times, bool]:
        """The file's and those not written yet; whether the file's are there.  While a writer of this window waits for
        the file, it is not asked for them."""
        in_file: tuple[Counts, Times] | None = None
        is_free = self._writing.acquire(timeout=ANSWER_S)
        try:
            if is_free and self._path is not None and self._write(ANSWER_S):
                in_file = self._in_file(_read, ANSWER_S)
            counts, times = in_file or ({}, {})
            with self._lock:
                for more in ((self._counts, self._times), self._written):
                    _merge(counts, times, *more)
        finally:
            if is_free:
                self._writing.release()
        return counts, times, in_file is not None or self._path is None

    def _in_file(self, work: Callable[[sqlite3.Connection], T], wait_s: float = BUSY_S) -> T | None:
        """What `work` makes of the file in one transaction, None where it cannot be used; a broken one is set aside."""
        path = self._path
        if path is None:
            return None
        try:
            which = _inode(path)
            try:
                return _transaction(path, work, wait_s)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", None) not in BROKEN:
                    raise
                if _inode(path) == which:  # else another window has begun a new one already
                    aside = _set_aside(path)
                    logger.warning("the statistics are broken (%s); they begin anew, the old file is %s", error, aside)
                return _transaction(path, work, wait_s)
        except (sqlite3.Error, OSError) as error:
            if not self._complained:
                self._complained = True
                logger.warning("statistics stay in memory: %s: %s", path, error)
            return None


def _transaction(path: Path, work: Callable[[sqlite3.Connection], T], wait_s: float) -> T:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    path.chmod(0o600)
    with closing(sqlite3.connect(path, timeout=wait_s, isolation_level=None)) as file:
        version = file.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise sqlite3.NotSupportedError(f"made by a newer version of Palimpsest ({version})")
        file.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA if version < VERSION else ():
            file.execute(statement)
        file.execute(WORTH)
        result = work(file)
        file.execute("COMMIT")  # closing without it rolls back
        return result


def _add(file: sqlite3.Connection, counts: Counts, times: Times, worth: Worth) -> bool:
    file.executemany(
        "INSERT INTO counts VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET n = n + excluded.n, characters = characters + excluded.characters",
        [(*row, *values) for row, values in counts.items()],
    )
    file.executemany(
        "INSERT INTO latency VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
        [(*row, n) for row, n in times.items()],
    )
    file.executemany(
        "INSERT INTO worth VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET expected = expected + excluded.expected, found = found + excluded.found",
        [(*row, *both) for row, both in worth.items()],
    )
    return True


def _read_worth(file: sqlite3.Connection) -> Worth:
    rows = file.execute("SELECT workspace, kind, expected, found FROM worth").fetchall()
    return {row[:2]: row[2:] for row in rows}


def _read(file: sqlite3.Connection) -> tuple[Counts, Times]:
    counts = file.execute("SELECT day, language, what, happened, part, n, characters FROM counts").fetchall()
    times = file.execute("SELECT day, language, what, bucket, n FROM latency").fetchall()
    return {row[:5]: row[5:] for row in counts}, {row[:4]: row[4] for row in times}


def _forget(file: sqlite3.Connection) -> bool:
    file.execute("DELETE FROM counts")
    file.execute("DELETE FROM latency")
    return True


def _inode(path: Path) -> int:
    with suppress(FileNotFoundError):  # the first transaction makes it
        return path.stat().st_ino
    return -1


def _set_aside(path: Path) -> Path:
    aside = path.with_name(path.name + ".broken")
    os.replace(path, aside)
    path.with_name(path.name + "-journal").unlink(missing_ok=True)
    return aside


def _merge(counts: Counts, times: Times, more: Counts, more_times: Times) -> None:
    """Add the second pair to the first."""
    for row, (n, characters) in more.items():
        before = counts.get(row, (0, 0))
        counts[row] = before[0] + n, before[1] + characters
    for timed, n in more_times.items():
        times[timed] = times.get(timed, 0) + n


def _add_up(worth: Worth, more: Worth) -> None:
    for row, (expected, found) in more.items():
        before = worth.get(row, (0.0, 0.0))
        worth[row] = before[0] + expected, before[1] + found


def _bucket(ms: float) -> int:
    return max(0, math.ceil(2 * math.log2(max(ms, 1.0))))


def _quantiles(buckets: dict[int, int]) -> dict[str, float]:
    """Upper ends of the buckets that hold the median and the 95th percentile."""
    n = sum(buckets.values())

    def quantile(share: float) -> float:
        seen = 0
        for bucket in sorted(buckets):
            seen += buckets[bucket]
            if seen >= share * n:
                break
        return round(2 ** (bucket / 2), 1)

    return {"n": n, "p50": quantile(0.5), "p95": quantile(0.95)}
