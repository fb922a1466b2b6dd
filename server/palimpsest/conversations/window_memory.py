"""The memory of the window's folders, opened when it is first asked for.

In: the folders.  Out: the memory.  Owner of the connection to its database.  Windows on the same folders share the
database, and so does whoever else works there.
"""

import asyncio
import threading
from pathlib import Path

from palimpsest.conversations.database_path import path_of
from palimpsest.conversations.events import MemorySetAside
from palimpsest.conversations.memory import Memory
from palimpsest.window.events import SettingsChanged
from palimpsest.window.services import Services


class WindowMemory:
    """Opens the memory of the window's folders when it is asked for, and closes it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._open: tuple[Path, Memory] | None = None
        services.events.on(SettingsChanged, lambda _: self._changed())

    def now(self) -> Memory:
        """Raises StorageError."""
        with self._lock:
            if self._open is None:
                path = path_of(self._services.roots.folders)
                self._open = path, Memory.open(path)
                if (aside := self._open[1].database.set_aside) is not None:
                    self._services.events.emit(MemorySetAside(aside))
            return self._open[1]

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open[1].close()
                self._open = None

    def _changed(self) -> None:
        """Other folders are another workspace.  The end of what is being written is not waited for here."""
        with self._lock:
            if self._open is not None and self._open[0] != path_of(self._services.roots.folders):
                asyncio.get_running_loop().run_in_executor(None, self._open[1].close)
                self._open = None
