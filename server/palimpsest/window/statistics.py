"""What became of what was offered: counts per day, language and kind, in one file on this machine.

In: that something was shown, accepted or rejected, and how often what a model was sure of came true.  Out: sums.
Holds no code and no file names, and is never sent anywhere.  Counting only adds to a table in memory; a thread of its
own soon adds that to the file, which several windows share.  A problem with the file disturbs nobody: it is logged
once, and what could not be written stays in memory and is tried again.
"""

import logging
import math
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from operator import add
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
"""Seconds until a count is written, with what was counted meanwhile."""
BUSY_S, ANSWER_S = 5.0, 0.25
"""Seconds for which another process's transaction is waited for, and where somebody waits for an answer meanwhile."""
VERSION = 1
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS counts (day TEXT, language TEXT, what TEXT, happened TEXT, part TEXT, n INTEGER,"
    " characters INTEGER, PRIMARY KEY (day, language, what, happened, part)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS latency (day TEXT, language TEXT, what TEXT, bucket INTEGER, n INTEGER,"
    " PRIMARY KEY (day, language, what, bucket)) WITHOUT ROWID",
    f"PRAGMA user_version = {VERSION}",
)
WORTH_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS worth (workspace TEXT, kind TEXT, expected REAL, found REAL,"
    " PRIMARY KEY (workspace, kind)) WITHOUT ROWID"
)
"""The schema of a table that is newer than the others: a window of an earlier version goes on without it."""
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

Rows = dict[tuple[Any, ...], tuple[Any, ...]]
"""The rows of a table: what is counted, and the sums."""


@dataclass(frozen=True, slots=True)
class SumTable:
    """A table of the file whose rows are sums: its columns that say of what, and those with numbers."""

    name: str
    keys: tuple[str, ...]
    sums: tuple[str, ...]

    @property
    def columns(self) -> str:
        return ", ".join((*self.keys, *self.sums))


COUNTS = SumTable("counts", ("day", "language", "what", "happened", "part"), ("n", "characters"))
LATENCY = SumTable("latency", ("day", "language", "what", "bucket"), ("n",))
"""A bucket ends with 2 ** (bucket / 2) ms."""
WORTH = SumTable("worth", ("workspace", "kind"), ("expected", "found"))
"""Completions that were shown and those that came true, by model and bin of probability."""


@dataclass(slots=True)
class Sums:
    """The sums of some rows, `accepted` by part."""

    shown: int = 0
    accepted: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PARTS, 0))
    rejected: int = 0
    characters: int = 0

    def add(self, happened: str, part: str, n: int, characters: int) -> None:
        if happened == "accepted":
            self.accepted[part] = self.accepted.get(part, 0) + n
            self.characters += characters
        elif happened == "shown":
            self.shown += n
        elif happened == "rejected":
            self.rejected += n


class Statistics:
    """One window's way to the file that all windows share.  Every method may be called from any thread; none raises
    for the file's sake.  `path` None: in memory only.  Not `enabled`: nothing is counted."""

    def __init__(self, path: Path | None, *, enabled: bool = True, write_s: float = WRITE_S) -> None:
        self._path = path
        self.enabled = enabled
        self._write_s = write_s
        self._waiting = _no_rows()  # not in the file yet
        self._written = _no_rows()  # on their way to the file
        self._lock = threading.Lock()  # of the two above and the timer
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
            _add_up(self._waiting[COUNTS], {(day, language, what, happened, part): (1, max(0, chars))})
            if ms >= 0:
                _add_up(self._waiting[LATENCY], {(day, language, what, _bucket(ms)): (1,)})
            self._soon()

    def learn(self, place: str, counts: Mapping[str, tuple[float, float]]) -> None:
        """What was shown of a model and came true, by bin of probability; whether anything is counted besides."""
        with self._lock:
            _add_up(self._waiting[WORTH], {(place, kind): both for kind, both in counts.items()})
            self._soon()

    def learned(self, place: str) -> dict[str, tuple[float, float]]:
        """What the file has of it."""
        rows = self._in_file(lambda file: _read(file, WORTH)) or {}
        return {kind: both for (name, kind), both in rows.items() if name == place}

    def forget_learned(self, place: str) -> None:
        with self._lock:
            waiting = self._waiting[WORTH]
            self._waiting[WORTH] = {key: both for key, both in waiting.items() if key[0] != place}
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
        for (day, _, what, bucket), (n,) in times.items():
            if day >= first:
                buckets = waited.setdefault(what, {})
                buckets[bucket] = buckets.get(bucket, 0) + n
        return {
            "enabled": self.enabled,
            "complete": is_complete,
            "since": since,
            **asdict(whole),
            **{name: {key: asdict(sums) for key, sums in table.items()} for name, table in tables.items()},
            "latency": {what: _quantiles(buckets) for what, buckets in sorted(waited.items())},
        }

    def reset(self) -> None:
        """Forget everything, other windows' counts included.  Raises StorageError where the file cannot be used now."""
        if self._path is not None and not self._in_file(_forget, ANSWER_S):
            raise StorageError(f"The statistics cannot be forgotten now: {self._path} is in use, or cannot be written.")
        with self._lock:
            self._waiting |= {COUNTS: {}, LATENCY: {}}

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
            if self._path is None or not any(self._waiting.values()):
                return True
            new, self._waiting = self._waiting, _no_rows()
            self._written = new
        is_written = self._in_file(lambda file: _add(file, new), wait_s)
        with self._lock:
            self._written = _no_rows()
            for table, rows in new.items() if not is_written else ():
                _add_up(self._waiting[table], rows)
        return bool(is_written)

    # The file -------------------------------------------------------------------------------------------------

    def _rows(self) -> tuple[Rows, Rows, bool]:
        """The file's and those not written yet; whether the file's are there.  While a writer of this window waits for
        the file, it is not asked for them."""
        in_file: tuple[Rows, Rows] | None = None
        is_free = self._writing.acquire(timeout=ANSWER_S)
        try:
            if is_free and self._path is not None and self._write(ANSWER_S):
                in_file = self._in_file(lambda file: (_read(file, COUNTS), _read(file, LATENCY)), ANSWER_S)
            counts, times = in_file or ({}, {})
            with self._lock:
                for more in (self._waiting, self._written):
                    _add_up(counts, more[COUNTS])
                    _add_up(times, more[LATENCY])
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
        file.execute(WORTH_SCHEMA)
        result = work(file)
        file.execute("COMMIT")  # closing without it rolls back
        return result


def _add(file: sqlite3.Connection, new: Mapping[SumTable, Rows]) -> bool:
    for table, rows in new.items():
        marks = ", ".join("?" * (len(table.keys) + len(table.sums)))
        sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in table.sums)
        file.executemany(
            f"INSERT INTO {table.name} ({table.columns}) VALUES ({marks}) ON CONFLICT DO UPDATE SET {sums}",
            [(*row, *values) for row, values in rows.items()],
        )
    return True


def _read(file: sqlite3.Connection, table: SumTable) -> Rows:
    n = len(table.keys)
    return {row[:n]: row[n:] for row in file.execute(f"SELECT {table.columns} FROM {table.name}")}


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


def _no_rows() -> dict[SumTable, Rows]:
    return {COUNTS: {}, LATENCY: {}, WORTH: {}}


def _add_up(rows: Rows, more: Rows) -> None:
    """Add the second ones to the first."""
    for row, sums in more.items():
        rows[row] = tuple(map(add, rows[row], sums)) if row in rows else sums


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
