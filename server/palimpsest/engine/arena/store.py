"""Pure: the host store: KV of blocks that are not in the cache, in host memory, under a budget of bytes.

In: bytes that were read from a sequence.  Out: the same bytes, by the digest of the tokens they encode.  Knows no
llama.cpp and no arena.  Takes no lock: it belongs to the engine's thread.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Data: TypeAlias = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True, eq=False)
class StoredKV:
    """One block's KV: `n_tokens` cells, saved when the first was at position `start`.  `key`: what the block was
    called.  `lasting`: of use to a later process.  `tokens`: what they encode, where that is known."""

    data: Data
    n_tokens: int
    start: int
    key: str = ""
    lasting: bool = True
    tokens: tuple[int, ...] = ()

    @property
    def n_bytes(self) -> int:
        return memoryview(self.data).nbytes

    def read(self) -> "StoredKV":
        """The same, as of what is on disk (`cache/disk.py`)."""
        return self


class HostStore:
    """Digest → StoredKV, the least recently used dropped first when `max_bytes` is exceeded.

    `max_bytes` 0 turns it off.  Of one key, only the newest `max_versions` are kept: a block that changes while
    somebody types would otherwise push everything else out with versions nobody comes back to.  `pushed_out` hears of
    what the budget alone costs.
    """

    def __init__(
        self,
        max_bytes: int,
        *,
        max_versions: int = 8,
        pushed_out: Callable[[str, StoredKV], object] = lambda _digest, _item: None,
    ) -> None:
        assert max_bytes >= 0, f"budget {max_bytes}"
        assert max_versions >= 1, f"{max_versions} versions"
        self.max_bytes = max_bytes
        self.max_versions = max_versions
        self._pushed_out = pushed_out
        self._items: OrderedDict[str, StoredKV] = OrderedDict()  # least recently used first
        self._bytes = 0

    @property
    def enabled(self) -> bool:
        return self.max_bytes > 0

    @property
    def bytes(self) -> int:
        """Bytes in the store, never above `max_bytes`."""
        return self._bytes

    def __contains__(self, digest: object) -> bool:
        return digest in self._items

    def __len__(self) -> int:
        return len(self._items)

    def items(self) -> tuple[tuple[str, StoredKV], ...]:
        """`(digest, item)`, least recently used first; does not count as use."""
        return tuple(self._items.items())

    def versions(self, key: str) -> list[tuple[str, StoredKV]]:
        """`(digest, item)` of what a block was, the newest last; does not count as use."""
        return [(digest, item) for digest, item in self._items.items() if item.key == key]

    def start_of(self, digest: str) -> int | None:
        """Where the KV was saved, None when it is not stored; does not count as use (the planner's `stored`)."""
        item = self._items.get(digest)
        return None if item is None else item.start

    def peek(self, digest: str) -> StoredKV | None:
        """The item; does not count as use."""
        return self._items.get(digest)

    def get(self, digest: str) -> StoredKV | None:
        """The item, from now on the most recently used; None when it is not stored."""
        item = self._items.get(digest)
        if item is not None:
            self._items.move_to_end(digest)
        return item

    def put(self, digest: str, item: StoredKV) -> bool:
        """Store `item`, dropping what was used least recently; False when it is larger than the whole budget."""
        if item.n_bytes > self.max_bytes:
            return False
        self.drop(digest)
        self._items[digest] = item
        self._bytes += item.n_bytes
        versions = [d for d, other in self._items.items() if item.key and other.key == item.key]
        for old in versions[: -self.max_versions]:
            self.drop(old)
        while self._bytes > self.max_bytes:
            oldest, gone = next(iter(self._items.items()))
            self.drop(oldest)
            self._pushed_out(oldest, gone)
        return True

    def drop(self, digest: str) -> bool:
        """Forget one item; False when it was not stored."""
        item = self._items.pop(digest, None)
        if item is None:
            return False
        self._bytes -= item.n_bytes
        return True

    def clear(self) -> None:
        """Forget everything."""
        self._items.clear()
        self._bytes = 0
