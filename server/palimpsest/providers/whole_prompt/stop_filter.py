"""An answer's text as a server streams it: cut at a stop string, and without the piece that healing held back.

In: text in any pieces.  Out: text that is final.  Pure; knows no server.
"""

from __future__ import annotations

from collections.abc import Sequence


class StopFilter:
    """`held`: what the answer must begin with and what is no part of the text.  An answer that begins otherwise, from a
    server that ignored it, has no text at all, and `stopped` is set."""

    def __init__(self, stops: Sequence[str], held: str = "") -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = held
        self._waiting = ""
        self.text = ""
        self.stopped = False

    def push(self, piece: str) -> str:
        """Add a piece; the text that is final now."""
        if self.stopped:
            return ""
        self._waiting += piece
        if self._held:
            n = min(len(self._held), len(self._waiting))
            if self._waiting[:n] != self._held[:n]:
                self.stopped, self._waiting = True, ""
                return ""
            self._held, self._waiting = self._held[n:], self._waiting[n:]
        at = min((i for i in (self._waiting.find(stop) for stop in self._stops) if i >= 0), default=-1)
        if at >= 0:
            self.stopped = True
            return self._release(at)
        return self._release(len(self._waiting) - self._could_stop())

    def finish(self) -> str:
        """The answer ends: the text that was kept back because a stop string could have begun with it."""
        return "" if self.stopped else self._release(len(self._waiting))

    def _could_stop(self) -> int:
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for n in range(min(longest, len(self._waiting)), 0, -1):
            if any(stop.startswith(self._waiting[-n:]) for stop in self._stops):
                return n
        return 0

    def _release(self, end: int) -> str:
        final, self._waiting = self._waiting[:end], self._waiting[end:]
        self.text += final
        return final
