"""Which texts an engine has: they are sent as their hashes alone.

In: sync requests.  Out: the same without the texts that the engine has.  Remembers a bounded number of hashes.  A text
forgotten here is sent once more; one forgotten by the engine is asked for (`unknown_text`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from palimpsest.wire import SyncRequest

MAX_HASHES = 1 << 14


class KnownTexts:
    """Those of one engine process.  A text counts as known once the request it was sent with was answered."""

    def __init__(self, max_hashes: int = MAX_HASHES) -> None:
        self._max = max_hashes
        self._hashes: OrderedDict[str, None] = OrderedDict()  # least recently sent first

    def __len__(self) -> int:
        return len(self._hashes)

    def without_known(self, request: SyncRequest) -> SyncRequest:
        """The request with known texts named by their hash alone."""
        blocks = [replace(b, text=None) if b.hash in self._hashes else b for b in request.blocks]
        return replace(request, blocks=blocks)

    def add(self, request: SyncRequest) -> None:
        """The engine has done what `request` asks."""
        for block in request.blocks:
            if block.hash:
                self._hashes[block.hash] = None
                self._hashes.move_to_end(block.hash)
        while len(self._hashes) > self._max:
            self._hashes.popitem(last=False)

    def forget(self, hashes: Iterable[str]) -> None:
        """The engine says that it does not know them."""
        for unknown in hashes:
            self._hashes.pop(unknown, None)
