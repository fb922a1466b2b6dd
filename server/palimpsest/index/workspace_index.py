"""The index as the server has it: databases, and over them what is open in the editor.

In: messages of the process that builds it, documents.  Out: a `NameIndex` for a gathering's files.  Owner of the
process and the readers.  Thread-safe.

A row counts only while its file is as it was read and may be shown to a model; so an index that lags behind says
less, never something wrong.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from palimpsest.index.asking import Asking
from palimpsest.index.messages import Asked, BeginIndex, Built, CheckIndex, Failed, IndexOpened, Look, Read, Rows, Told
from palimpsest.index.process import IndexProcess
from palimpsest.index.reader import IndexReader
from palimpsest.index.rows import FileRows
from palimpsest.languages.name_index import NameIndex
from palimpsest.workspace.files import WorkspaceFiles

_HIDDEN = FileRows("")
logger = logging.getLogger(__name__)


class WorkspaceIndex:
    """One window's.  `told` is called with each message, on a thread of the process."""

    def __init__(self, told: Callable[[Told], None] = lambda _: None) -> None:
        self.told = told
        self._lock = threading.Lock()
        self._readers: dict[str, IndexReader] = {}
        self._complete = frozenset[str]()
        self._roots = frozenset[str]()
        self._revision = 0
        self._wanted: dict[str, int] = {}
        """The newest version of each document that is open; until its rows come, the last ones count."""
        self._opened: Mapping[str, FileRows] = {}
        self._process: IndexProcess | None = None

    def begin(self, begin: BeginIndex) -> None:
        """Build an index, of other folders or with other settings if there is one already."""
        self.end()
        with self._lock:
            self._roots = frozenset(begin.roots)
            self._process = IndexProcess(begin, self._hear)

    def end(self) -> None:
        """Until the next `begin`, nothing is known."""
        with self._lock:
            if self._process is not None:
                self._process.close()
            self._process = None
            for reader in self._readers.values():
                reader.close()
            self._readers, self._complete, self._roots = {}, frozenset(), frozenset()
            self._wanted, self._opened = {}, {}
            self._revision += 1

    @property
    def process(self) -> IndexProcess | None:
        """What builds it."""
        return self._process

    @property
    def readers(self) -> Sequence[IndexReader]:
        with self._lock:
            return tuple(self._readers.values())

    @property
    def opened(self) -> Mapping[str, FileRows]:
        """What is in the documents that are open, by path, in place of their files' rows; replaced, never changed."""
        return self._opened

    @property
    def is_complete(self) -> bool:
        return bool(self._roots) and self._complete >= self._roots and all(it.is_usable for it in self.readers)

    @property
    def revision(self) -> int:
        return self._revision

    def seen_by(self, files: WorkspaceFiles) -> NameIndex:
        """The index, with what these files let through."""
        return Asking(self, files)

    def read(self, path: Path, version: int, language_id: str, text: str) -> None:
        """A document is open, with this text."""
        with self._lock:
            self._wanted[str(path)] = version
        self._ask(Read(str(path), version, language_id, text))

    def hide(self, path: Path) -> None:
        """A document is open whose text no model may see."""
        with self._lock:
            self._wanted.pop(str(path), None)
            self._opened = {**self._opened, str(path): _HIDDEN}
            self._revision += 1

    def closed(self, path: Path) -> None:
        with self._lock:
            self._wanted.pop(str(path), None)
            self._opened = {known: rows for known, rows in self._opened.items() if known != str(path)}
            self._revision += 1

    def look(self, paths: Sequence[Path] = ()) -> None:
        """Files may have changed; without any, everything may have."""
        self._ask(Look(tuple(map(str, paths))))

    def _ask(self, message: Asked) -> None:
        if (process := self._process) is not None:
            process.ask(message)

    def _hear(self, process: IndexProcess, message: Told) -> None:
        with self._lock:
            if process is not self._process:
                return  # it was ended, and said this before
            match message:
                case IndexOpened():
                    self._forget(message.root)
                    root, check = Path(message.root), partial(self._ask, CheckIndex(message.root))
                    self._readers[message.root] = IndexReader(root, Path(message.database), check)
                    if message.complete:
                        self._complete |= {message.root}
                case Built():
                    self._complete |= {message.root}
                    _log(message)
                case Failed():
                    logger.warning("%s", message.why)
                    self._forget(message.root)
                case Rows():
                    if self._wanted.get(message.path, -1) >= message.version:
                        self._opened = {**self._opened, message.path: message.rows}
            self._revision += 1
        self.told(message)

    def _forget(self, root: str) -> None:
        self._complete -= {root}
        if (reader := self._readers.pop(root, None)) is not None:
            reader.close()


def _log(built: Built) -> None:
    logger.info("index of %s: %d files, %d of them read in %.1f s", built.root, built.files, built.read, built.seconds)
    for reason, n in built.left_out.items():
        logger.info("index of %s: left out: %d %s", built.root, n, reason)
