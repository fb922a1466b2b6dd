"""A lock on a file that one process at a time can hold, and that ends with the process.

In: a path.  Out: whether the lock is ours.  Knows nothing of engines.
"""

from __future__ import annotations

import os
from pathlib import Path

from palimpsest.system import process_lock


class ProcessLock:
    """The system takes the lock back when the process goes (`process_lock.py`), so there is no stale one to clean up.

    The file stays: were it removed, two processes could each lock a file of the same name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def acquire(self) -> bool:
        """Take the lock now, or return False.  Raises OSError where the file cannot be made."""
        assert self._fd is None, "the lock is already held"
        self._fd = process_lock.take(self.path)
        return self._fd is not None

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
