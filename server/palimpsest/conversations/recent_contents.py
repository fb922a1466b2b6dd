"""Texts that were read lately: a conversation's turns are read again for each reply.

In: texts by their hashes.  Out: the same.  Owner of them: so many characters, the least recently read go first.  A hash
names one text for ever, so none can be out of date.  Any thread.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

MOST_CHARS, LONGEST = 4_000_000, 50_000
"""Of all together, and of one: longer ones are read in parts anyway."""


class KeptTexts:
    def __init__(self, most_chars: int = MOST_CHARS, longest: int = LONGEST) -> None:
        self._most, self._longest = most_chars, longest
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._n_chars = 0
        self._lock = Lock()

    def find(self, name: str) -> str | None:
        with self._lock:
            text = self._texts.get(name)
            if text is not None:
                self._texts.move_to_end(name)
            return text

    def keep(self, name: str, text: str) -> str:
        """The text."""
        if len(text) <= self._longest:
            with self._lock:
                self._n_chars += len(text) - len(self._texts.pop(name, ""))
                self._texts[name] = text
                while self._n_chars > self._most:
                    self._n_chars -= len(self._texts.popitem(last=False)[1])
        return text

    def forget(self, name: str) -> None:
        with self._lock:
            self._n_chars -= len(self._texts.pop(name, ""))
