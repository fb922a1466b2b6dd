"""Keeps the index of one workspace folder up to date, a file at a time.

In: that something may have changed, documents that are open.  Out: rows in the database; `Building`, `Built`,
`IndexChanged` and `Failed` to who listens.  Runs in the index's own process; knows no pipe.

A walk through the folder compares each file's time stamp and size with the database's and reads what differs, so it
is right however the last one ended.  Only one process walks through a folder; the others write what their editors say
has changed, and take over when that process is gone.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from palimpsest.index.messages import BeginIndex, Building, Built, Failed, IndexChanged, IndexOpened, Told
from palimpsest.index.rows import FileRows, rows_of
from palimpsest.index.store import Stamp, Store, database
from palimpsest.index.walk import FoundFile, Walk
from palimpsest.languages.registry import language_in, language_of
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.system import process_lock
from palimpsest.text.patterns import Patterns
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles

BATCH = 200
BATCH_S = 0.5
"""Files, and seconds, of one transaction."""
logger = logging.getLogger(__name__)
MOST_DAMAGED = 3
"""Times that an index is made anew; then it is the disk."""
RULES = frozenset({".gitignore", ".palimpsestignore", "exclude"})
"""Names of files that say which others are ignored."""


class IndexWrites:
    """Changes of a store that are written together. All methods may raise `sqlite3.Error`. `wrote`: whether there was
    anything to write so far."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files = list[tuple[str, Stamp, FileRows]]()
        self._gone = list[str]()
        self._since = time.monotonic()
        self.wrote = False

    def put(self, name: str, stamp: Stamp, rows: FileRows) -> None:
        self._files.append((name, stamp, rows))
        if len(self._files) >= BATCH or time.monotonic() - self._since > BATCH_S:
            self.write()

    def remove(self, name: str) -> None:
        self._gone.append(name)

    def write(self) -> None:
        files, gone = self._files, self._gone
        self._files, self._gone = [], []
        if files:
            self._store.put(files)
        if gone:
            self._store.remove(gone)
        self._since = time.monotonic()
        self.wrote |= bool(files or gone)


class Builder:
    """One folder's.  `fingerprint` is what the index has to be made with."""

    def __init__(self, root: Path, begin: BeginIndex, fingerprint: str, tell: Callable[[Told], None]) -> None:
        self.root = root
        self._tell = tell
        self._fingerprint = fingerprint
        self._path = database(Path(begin.cache), root)
        self._begin = begin
        self._unindexed = Patterns(begin.unindexed, "index.exclude")
        self._files = WorkspaceFiles((root,), begin.exclude, kept=1, clock=time.thread_time)
        self._store: Store | None = None
        self._lock: int | None = None
        self._failed = False
        self._n_damaged = 0
        self._suspected = ""
        self._refused: dict[str, tuple[Stamp, str]] = {}

    def open(self) -> bool:
        """Open the database, or make it; whether a walk is due, because this process now keeps it.  May be called again
        while another process keeps it."""
        if self._failed or (self._lock is not None and self._store is not None):
            return False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._lock is None:
                self._lock = process_lock.take(self._path.with_suffix(".lock"))
                self._suspected = "" if self._lock is None else _written(self._lock)
        except OSError as error:
            self._fail(error)
            return False
        try:
            if self._store is not None and self._lock is None and self._store.is_current:
                return False
            self._close()
            store = Store(self._path, self._fingerprint, self.root, may_begin_anew=self._lock is not None)
        except (sqlite3.Error, OSError) as error:
            if self._lock is not None:
                self._fail(error)  # else who keeps it may be making it
            return False
        self._store = store
        self._tell(IndexOpened(str(self.root), str(self._path), store.is_complete))
        return self._lock is not None

    def check(self) -> bool:
        """Somebody could not read the database.  Open it anew, which looks at all of it, or make it anew if that did
        not help the last time; whether a walk is due."""
        self._write("")
        self._close()
        if self._lock is not None and self._n_damaged:
            with suppress(OSError):  # then it cannot be opened either
                self._path.unlink(missing_ok=True)
        self._n_damaged += 1
        if self._n_damaged > MOST_DAMAGED:
            self._fail(sqlite3.OperationalError("its file was damaged again and again"))
        return self.open()

    def walk(self) -> Iterator[None]:
        """Look at every file, a step for each that is read.  A walk that is given up has done no harm."""
        begun, store = time.monotonic(), self._store
        if store is None or self._lock is None:
            return
        try:
            known, batch = store.stamps(), IndexWrites(store)
            self._files.look_again()
            walk = Walk(self._files, self.root, self._begin, self._unindexed)
            due, seen = list[FoundFile](), set[str]()
            for found in walk:
                seen.add(found.name)
                if known.get(found.name) != found.stamp:
                    due.append(found)
                yield
            store.remove(name for name in known if name not in seen)
            for done, found in enumerate(due):
                if done % BATCH == 0:
                    self._tell(Building(str(self.root), done, len(due)))
                    self._files.look_again()
                self._put(batch, found, walk)
                yield
            batch.write()
            self._write("")
            n_files = store.n_files()
            seconds = time.monotonic() - begun
            left_out = dict(walk.left_out)
            store.note("complete", True)
            store.note("built", {"files": n_files, "seconds": seconds, "left_out": left_out})
            self._tell(Built(str(self.root), n_files, len(due), seconds, left_out))
        except (sqlite3.Error, OSError) as error:
            self._fail(error)

    def look(self, paths: Iterable[Path]) -> bool:
        """Read files that may have changed; whether a walk is due, since it may have been a folder or a rule."""
        if self._store is None:
            return False
        try:
            batch, is_due = IndexWrites(self._store), False
            self._files.look_again()
            for path in paths:
                name = _relative(path, self.root)
                if name is None:
                    continue
                is_due = is_due or path.name in RULES or path.is_dir()
                self._look(batch, path, name)
            batch.write()
            if batch.wrote:
                self._tell(IndexChanged(str(self.root)))
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return False
        return is_due

    def leave(self) -> None:
        """The process ends, and it is no file's fault."""
        self._write("")

    def close(self) -> None:
        self._write("")
        self._close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _look(self, batch: IndexWrites, path: Path, name: str) -> None:
        walk = Walk(self._files, self.root, self._begin, self._unindexed)
        is_link = os.path.realpath(path) != os.path.join(os.path.realpath(self.root), *name.split("/"))
        found = None if is_link or self._files.refusal(path) is not None else walk.file(path, name)
        if found is None:
            batch.remove(name)
        else:
            self._put(batch, found, walk)

    def _put(self, batch: IndexWrites, found: FoundFile, walk: Walk) -> None:
        if found.name == self._suspected:
            self._suspected = ""
            self._refused[found.name] = found.stamp, "ended the process that read it"
        known = self._refused.get(found.name)
        source = self._files.source(found.path) if known is None or known[0] != found.stamp else None
        if source is None:
            why = known[1] if known is not None and known[0] == found.stamp else self._files.why_not(found.path)
            self._refused[found.name] = found.stamp, why or "cannot be read"
            walk.left_out[self._refused[found.name][1]] += 1
            batch.remove(found.name)
            return
        self._refused.pop(found.name, None)
        self._write(found.name)
        batch.put(found.name, found.stamp, rows_of_text(to_uri(found.path), "", source.text))

    def _fail(self, error: Exception) -> None:
        """No index from here on: a full disk, a folder that cannot be written.  One whose file was damaged while in use
        is made anew: `open` finds it damaged."""
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        self._n_damaged += damaged
        if damaged and self._n_damaged <= MOST_DAMAGED:
            logger.warning("the index of %s is damaged and made anew: %s", self.root, error)
            self._write("")
            self._close()
            return
        self._failed = True
        self.close()
        self._tell(Failed(str(self.root), f"There is no index of {self.root}: {error}."))

    def _write(self, name: str) -> None:
        """Note, in the file that locks, which file is being read: should its grammar end the process, the next one
        leaves it out."""
        if self._lock is not None:
            with suppress(OSError):  # then no file is left out
                os.ftruncate(self._lock, 0)
                os.lseek(self._lock, 0, os.SEEK_SET)
                os.write(self._lock, name.encode())

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None


def _written(lock: int) -> str:
    os.lseek(lock, 0, os.SEEK_SET)
    return os.read(lock, 1 << 16).decode("utf-8", "replace")


def rows_of_text(uri: str, language_id: str, text: str) -> FileRows:
    language = language_of(language_id, uri) if language_id else language_in(uri, text)
    return rows_of(parse_snapshot(Snapshot(uri, 0, language.id, text), language))  # a file that ends us is known then


def _relative(path: Path, root: Path) -> str | None:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path != root else None
