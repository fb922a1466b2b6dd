"""Pure: an answer's text as it comes in pieces, cut at a stop string.

In: pieces of text, stop strings.  Out: text that is final.
"""

from collections.abc import Sequence


class StoppedText:
    """What may be the beginning of a stop string is held back.  Sets `stopped` when a stop string is complete."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._waiting = ""
        self.text = ""
        self.stopped = False

    def add(self, piece: str) -> str:
        """The text that is final now."""
        if self.stopped:
            return ""
        self._waiting += piece
        at = min((i for i in (self._waiting.find(stop) for stop in self._stops) if i >= 0), default=-1)
        if at >= 0:
            self.stopped = True
            return self._release(at)
        return self._release(len(self._waiting) - self._could_stop())

    def finish(self) -> str:
        """No more comes: the text that was held back because a stop string could have begun with it."""
        return "" if self.stopped else self._release(len(self._waiting))

    def _could_stop(self) -> int:
        """Length of the longest end of what is held back that a stop string begins with."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for n in range(min(longest, len(self._waiting)), 0, -1):
            if any(stop.startswith(self._waiting[-n:]) for stop in self._stops):
                return n
        return 0

    def _release(self, end: int) -> str:
        final, self._waiting = self._waiting[:end], self._waiting[end:]
        self.text += final
        return final
