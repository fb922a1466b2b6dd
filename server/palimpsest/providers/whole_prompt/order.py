"""A stable order of blocks, for servers that reuse the longest common beginning of a prompt.

In: the names of the blocks wanted.  Out: their order.  Pure but for what it remembers; knows no text and no server.

A block keeps its place for as long as it is remembered, a new one goes to the end.  So what stays is a beginning that
was decoded before, what changes often comes to stand last, and a person who comes back to a file finds the same
prompt again.
"""

from __future__ import annotations

from collections.abc import Sequence

REMEMBERED = 512


class Order:
    """One workspace's.  A name says which text it is: a block with another text is another block."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._places: dict[str, int] = {}
        self._next = 0

    def arrange(self, names: Sequence[str]) -> list[str]:
        """`names` (each once) by their places."""
        for name in names:
            if name not in self._places:
                self._places[name] = self._next
                self._next += 1
        over = len(self._places) - max(self._remembered, len(names))
        if over > 0:
            wanted = set(names)
            for name in [name for name in self._places if name not in wanted][:over]:  # the oldest come first
                del self._places[name]
        return sorted(names, key=self._places.__getitem__)
