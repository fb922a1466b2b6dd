"""An answer's text as its tokens come: whole characters only, cut at a stop string, without the healed piece.

In: each token's bytes.  Out: text that is final.  Knows no token id and no model.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class GeneratedText:
    """`skip` bytes at the beginning are the healed piece and are not part of the text."""

    def __init__(self, stops: Sequence[str], skip: int = 0) -> None:
        self._stops = [stop for stop in stops if stop]
        self._skip = skip
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.text = ""
        self.stopped = False

    def push(self, piece: bytes) -> str:
        """Add a token's bytes; the text that became final.  Sets `stopped` when a stop string is complete."""
        cut = min(self._skip, len(piece))
        self._skip -= cut
        self._held += self._decoder.decode(piece[cut:])
        at = min((i for i in (self._held.find(stop) for stop in self._stops) if i >= 0), default=-1)
        if at >= 0:
            self.stopped = True
            return self._release(at, drop=True)
        return self._release(len(self._held) - self._could_stop())

    def finish(self) -> str:
        """No more comes: what was held back for a stop string.  Bytes of an unfinished character are dropped."""
        return self._release(len(self._held), drop=True)

    def _could_stop(self) -> int:
        """Length of the longest end of what is held that a stop string begins with."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for n in range(min(longest, len(self._held)), 0, -1):
            if any(stop.startswith(self._held[-n:]) for stop in self._stops):
                return n
        return 0

    def _release(self, end: int, *, drop: bool = False) -> str:
        final = self._held[:end]
        self._held = "" if drop else self._held[end:]
        self.text += final
        return final
