"""What one process at a time may do in a folder of models, and the room that it takes there.

In: paths, bytes.  Out: nothing, or a ModelError that says what is in the way.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palimpsest.errors import ModelError
from palimpsest.system import process_lock


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Raises ModelError where another process has the lock, OSError where there can be none."""
    fd = process_lock.take(lock)
    if fd is None:
        raise ModelError("Another process is downloading this file.", hint="Wait for it to be done.")
    try:
        yield
    finally:
        os.close(fd)


def need_room(folder: Path, missing: int) -> None:
    """Raises ModelError where a folder, which exists, has no room for so many bytes more."""
    free = shutil.disk_usage(folder).free
    if missing > free:
        raise ModelError(f"{missing / 1e9:.2f} GB are missing, but {folder} has room for {free / 1e9:.2f} GB.")
