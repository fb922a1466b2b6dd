"""The store on disk: KV by digest, under a bound of bytes, written by a thread of its own.

    <cache folder>/kv/<model's identity>/<digest>.kv

In: blocks' KV from the engine's thread.  Out: the same KV, in a later process too.  A file that is not what was
written is removed and was never there.  Several engines may share the folder: files appear whole, whoever has too
little room removes what was used least recently, and what is gone is decoded.  When the disk refuses, nothing more is
written in this process.  Knows no llama.cpp.
"""

import logging
import os
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from palimpsest.engine.arena.store import StoredKV
from palimpsest.engine.cache.disk_file import Damaged, FileHeader, checksum, read, read_header, write

LOG = logging.getLogger("palimpsest.engine")
MAX_WAITING = 256 << 20
"""Bytes that may wait to be written; what comes when there are more is not kept."""
ABANDONED_S = 3600.0
"""A file half written for so long is nobody's."""


@dataclass(frozen=True, slots=True)
class DiskKV:
    """A block's KV that is read when it is needed.  Another engine may have rewritten its file since, with the same
    tokens at other positions."""

    disk: "DiskStore"
    digest: str
    n_tokens: int
    start: int
    key: str

    def read(self) -> StoredKV | None:
        """All of it as it is now, which may be another copy than was looked at; None when it is gone or damaged."""
        return self.disk.read(self.digest)


StoredItem: TypeAlias = StoredKV | DiskKV


class DiskStore:
    """Digest → KV.  Every method but the writer's own belongs to the engine's thread, and none of them waits for the
    disk to write but `close` and a patient `put`."""

    def __init__(self, folder: Path, model: str, max_bytes: int, *, max_waiting: int = MAX_WAITING) -> None:
        """`folder` is shared by all models, and so is the bound."""
        self.max_bytes = max_bytes
        self._folder, self._own, self._model = folder, folder / model, model
        self._max_waiting = max_waiting
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, StoredKV] = OrderedDict()
        self._waiting_bytes = 0
        self._dropped = False  # while it is being written
        self._writing = ""
        self._closed = self._off = False
        self.bytes = 0
        try:
            for made in (folder, self._own):
                made.mkdir(mode=0o700, parents=True, exist_ok=True)
                made.chmod(0o700)
            self.bytes = self._trimmed(0)
        except OSError as error:
            self._give_up(error)
        self._thread = threading.Thread(target=self._write_all, name="palimpsest-disk", daemon=True)
        self._thread.start()

    # What the engine's thread asks

    def __contains__(self, digest: object) -> bool:
        return isinstance(digest, str) and self.get(digest) is not None

    def start_of(self, digest: str) -> int | None:
        item = self.get(digest)
        return None if item is None else item.start

    def get(self, digest: str) -> StoredItem | None:
        with self._changed:
            waiting = self._waiting.get(digest)
        if waiting is not None:
            return waiting
        header = self._header(digest)
        return None if header is None else DiskKV(self, digest, header.n_tokens, header.start, header.key)

    def read(self, digest: str) -> StoredKV | None:
        """Header and data of one file, verified; None when it is gone or damaged."""
        path = self._path(digest)
        try:
            header, data = read(path)
            if (header.digest, header.model) != (digest, self._model):
                raise Damaged(path)
            with suppress(OSError):  # it counts as not used
                os.utime(path)
        except (OSError, Damaged) as error:
            self._forget(digest, error)
            return None
        return StoredKV(data, header.n_tokens, header.start, header.key)

    def put(self, digest: str, item: StoredKV, *, patient: bool = False) -> bool:
        """Have it written some time; False when it will not be.  `patient` waits until there is room among what
        waits."""
        if item.n_bytes > self.max_bytes:
            return False
        if digest in self:
            return True
        with self._changed:
            while not self._off and self._waiting and self._waiting_bytes + item.n_bytes > self._max_waiting:
                if not patient:
                    return False
                self._changed.wait()
            if self._off or self._closed:
                return False
            self._waiting[digest] = item
            self._waiting_bytes += item.n_bytes
            self._changed.notify_all()
        return True

    def drop(self, digest: str) -> None:
        with self._changed:
            if digest == self._writing:
                self._dropped = True
            elif (item := self._waiting.pop(digest, None)) is not None:
                self._waiting_bytes -= item.n_bytes
        with suppress(OSError):  # what stays is overwritten, or trimmed
            self._path(digest).unlink(missing_ok=True)

    def close(self) -> None:
        """Write what waits, end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _header(self, digest: str) -> FileHeader | None:
        try:
            header = read_header(self._path(digest))
            if (header.digest, header.model) != (digest, self._model):
                raise Damaged(digest)
        except FileNotFoundError:
            return None
        except (OSError, Damaged) as error:
            self._forget(digest, error)
            return None
        return header

    def _forget(self, digest: str, error: Exception) -> None:
        if isinstance(error, Damaged):
            LOG.info("a damaged file of the store on disk is removed: %s", self._path(digest).name)
        with suppress(OSError):  # what stays is found damaged again
            self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self._own / f"{digest}.kv"

    # On the writer's thread

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                digest, item = next(iter(self._waiting.items()))
                self._writing, self._dropped = digest, False
            try:
                self._write(digest, item)
            except OSError as error:
                self._give_up(error)
            with self._changed:
                if self._dropped:
                    with suppress(OSError):  # what stays is trimmed some time
                        self._path(digest).unlink(missing_ok=True)
                if self._waiting.pop(digest, None) is not None:
                    self._waiting_bytes -= item.n_bytes
                self._writing = ""
                self._changed.notify_all()

    def _write(self, digest: str, item: StoredKV) -> None:
        header = FileHeader(self._model, digest, item.n_tokens, item.start, item.key, item.n_bytes, checksum(item.data))
        self.bytes = self._trimmed(item.n_bytes)
        write(self._path(digest), header, item.data)
        self.bytes += item.n_bytes

    def _give_up(self, error: OSError) -> None:
        with self._changed:
            if not self._off:
                LOG.warning("the store on disk (%s) is off until the next start: %s", self._folder, error)
            self._off = True
            self._waiting.clear()
            self._waiting_bytes = 0
            self._changed.notify_all()

    def _trimmed(self, coming: int) -> int:
        """Remove what was used least recently until `coming` bytes more are within the bound; bytes that are left."""
        files = []
        for path in self._folder.glob("*/*"):
            with suppress(OSError):  # another engine removed it
                facts = path.stat()
                files.append((facts.st_mtime, facts.st_size, path))
        total = sum(size for _, size, _ in files)
        oldest = time.time() - ABANDONED_S
        for changed, size, path in sorted(files):
            half = path.suffix == ".tmp"
            if (half and changed < oldest) or (not half and total + coming > self.max_bytes):
                with suppress(OSError):  # another engine removed it, or nobody can
                    path.unlink(missing_ok=True)
                total -= size
        return total
