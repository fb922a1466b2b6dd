"""How long the index of a workspace takes to build, and how much memory.

In: a workspace.  Out: files a second, megabytes at the most; the index, ready to be asked.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from palimpsest.config.settings import IndexSettings
from palimpsest.errors import PalimpsestError
from palimpsest.index.messages import BeginIndex, Built, Failed, IndexOpened, Told
from palimpsest.index.workspace_index import WorkspaceIndex

MOST_S = 600.0
"""Without any word of the process."""


@dataclass(frozen=True, slots=True)
class Building:
    """`usable_s`: from the start of the process until it can be asked."""

    files: int
    seconds: float
    peak_mb: float
    usable_s: float


@contextmanager
def indexed(root: Path, cache: Path) -> Iterator[tuple[WorkspaceIndex, Building]]:
    """The index, built by its own process as a window has it built.  Raises PalimpsestError."""
    told: queue.Queue[Told] = queue.Queue()
    index, settings = WorkspaceIndex(told.put), IndexSettings()
    start = time.monotonic()
    index.begin(BeginIndex((str(root),), str(cache), (), (), settings.max_files, settings.max_file_bytes))
    try:
        yield index, _built(index, told, start)
    finally:
        process = index.process
        index.end()
        if process is not None:
            process.wait(MOST_S)


def _built(index: WorkspaceIndex, told: queue.Queue[Told], start: float) -> Building:
    usable_s = 0.0
    while True:
        message = told.get(timeout=MOST_S)
        if isinstance(message, Failed):
            raise PalimpsestError(message.why)
        if isinstance(message, IndexOpened):
            usable_s = time.monotonic() - start
        if isinstance(message, Built):
            return Building(message.files, message.seconds, _peak_mb(index), usable_s)


def _peak_mb(index: WorkspaceIndex) -> float:
    """The most memory of the process so far; 0 where the system does not say."""
    pid = None if index.process is None else index.process.pid
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)
