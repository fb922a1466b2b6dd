"""Which texts an engine has had from us: those go over the wire as their hash.

In: sync requests.  Out: the same with the texts left out that the engine knows.  Remembers hashes alone, a bounded
number of them; one forgotten here is only sent once more, one forgotten there is asked for (`unknown_text`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from palimpsest.wire import SyncRequest

MAX_HASHES = 1 << 14


class Sent:
    """One engine process's.  Texts count as had once an answer came to the request that they were sent with."""

    def __init__(self, max_hashes: int = MAX_HASHES) -> None:
        self._max = max_hashes
        self._hashes: OrderedDict[str, None] = OrderedDict()  # least recently sent first

    def __len__(self) -> int:
        return len(self._hashes)

    def brief(self, request: SyncRequest) -> SyncRequest:
        """The request with known texts named by their hash alone."""
        blocks = [replace(b, text=None) if b.hash in self._hashes else b for b in request.blocks]
        return replace(request, blocks=blocks)

    def had(self, request: SyncRequest) -> None:
        """The engine has done what `request` asks."""
        for block in request.blocks:
            if block.hash:
                self._hashes[block.hash] = None
                self._hashes.move_to_end(block.hash)
        while len(self._hashes) > self._max:
            self._hashes.popitem(last=False)

    def forget(self, hashes: Iterable[str]) -> None:
        """The engine does not know them (any more)."""
        for unknown in hashes:
            self._hashes.pop(unknown, None)
