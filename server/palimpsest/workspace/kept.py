"""What is made of files' texts: parses, skeletons, configurations.

In: texts, functions of them.  Out: what these make, once for each version of a file.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from palimpsest.newest import Newest
from palimpsest.workspace.files import FileText, Stamp

K = TypeVar("K")
V = TypeVar("V")
MOST_CHARACTERS = 4_000_000
"""The texts have at most so many together: a parse takes tens of bytes for each character."""


class Kept(Generic[K, V]):
    """Each is kept as long as its text is the same, and the texts have at most so many characters together; the least
    recently used go first.  Any thread."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._known = Newest[K, tuple[Stamp, int, V]](None, lambda _, known: known[1], most_characters)
        self._lock = threading.Lock()

    def __contains__(self, key: K) -> bool:
        """Whether there is something of a file, in whatever version."""
        return key in self._known

    def get(self, key: K, text: FileText, make: Callable[[], V]) -> V:
        known = self._known.get(key)
        if known is None or known[0] != text.stamp:
            known = text.stamp, len(text.text) + 1, make()
        with self._lock:
            self._known[key] = known
        return known[2]
