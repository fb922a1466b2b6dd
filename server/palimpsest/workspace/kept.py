"""What is made of files' texts: parses, skeletons, configurations.

In: texts, functions of them.  Out: what these make, once for each version of a file.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from palimpsest.workspace.files import FileText, Stamp

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Each is kept as long as its text is the same, and the texts have at most so many characters together; the least
    recently used go first.  Any thread."""

    def __init__(self, most_characters: int = 4_000_000) -> None:
        self._most_characters = most_characters
        self._known: dict[K, tuple[Stamp, int, V]] = {}
        self._characters = 0
        self._lock = threading.Lock()

    def __contains__(self, key: K) -> bool:
        """Whether there is something of a file, in whatever version."""
        return key in self._known

    def get(self, key: K, text: FileText, make: Callable[[], V]) -> V:
        known = self._known.get(key)
        if known is None or known[0] != text.stamp:
            known = text.stamp, len(text.text) + 1, make()
        with self._lock:
            before = self._known.pop(key, None)
            self._known[key] = known
            self._characters += known[1] - (before[1] if before is not None else 0)
            while len(self._known) > 1 and self._characters > self._most_characters:
                self._characters -= self._known.pop(next(iter(self._known)))[1]
        return known[2]
