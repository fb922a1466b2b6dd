"""Pure: what is kept of the latest, where nobody needs all of it.

In: entries.  Out: the last ones that were set.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Newest(dict[K, V]):
    """A dictionary of at most `most` entries, the one that was set last at its end: the first ones make room.

    With `size`, they are at most `most_size` together as well: sources differ by a factor of a thousand.  The last one
    stays, whatever its size.  `update`, `setdefault` and `|=` know no bound.  Threads may share it."""

    def __init__(
        self, most: int | None = 256, size: Callable[[K, V], int] = lambda _key, _value: 0, most_size: int = 0
    ) -> None:
        super().__init__()
        self._most = sys.maxsize if most is None else most
        self._size, self._most_size = size, most_size
        self._total = 0
        self._lock = threading.RLock()

    def __setitem__(self, key: K, value: V) -> None:
        with self._lock:
            self.pop(key, None)
            super().__setitem__(key, value)
            self._total += self._size(key, value)
            while len(self) > 1 and (len(self) > self._most or self._total > self._most_size):
                del self[next(iter(self))]

    def __delitem__(self, key: K) -> None:
        self.pop(key)

    def pop(self, key: K, *default: Any) -> Any:
        with self._lock:
            if key in self:
                self._total -= self._size(key, self[key])
            return super().pop(key, *default)

    def clear(self) -> None:
        with self._lock:
            super().clear()
            self._total = 0

    def used(self, key: K) -> V | None:
        """The entry, which is the last one from then on."""
        with self._lock:
            if key not in self:
                return None
            self[key] = value = self[key]
            return value
