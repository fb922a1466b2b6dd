"""What is kept of the latest, where nobody needs all of it.

In: entries.  Out: the last ones that were set.
"""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Newest(dict[K, V]):
    """A dictionary of at most `most` entries, the one that was set last at its end: the first one makes room."""

    def __init__(self, most: int = 256) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        if len(self) > self._most:
            del self[next(iter(self))]
