"""What one process at a time may do in a folder of models, the room that it takes there, and whether a file is right.

In: paths, bytes.  Out: digests, or a ModelError that says what is in the way.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palimpsest.errors import ModelError
from palimpsest.system import process_lock


@contextmanager
def alone(
    lock: Path,
    message: str = "Another process is downloading this file.",
    hint: str = "Wait for it to be done.",
) -> Iterator[None]:
    """Raises ModelError where another process has the lock, OSError where there can be none."""
    fd = process_lock.take(lock)
    if fd is None:
        raise ModelError(message, hint=hint)
    try:
        yield
    finally:
        os.close(fd)


def need_room(folder: Path, missing: int) -> None:
    """Raises ModelError where a folder, which exists, has no room for so many bytes more."""
    free = shutil.disk_usage(folder).free
    if missing > free:
        raise ModelError(f"{missing / 1e9:.2f} GB are missing, but {folder} has room for {free / 1e9:.2f} GB.")


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
