"""A stable order of blocks, for servers that reuse the longest common beginning of a prompt.

In: the names of the requested blocks.  Out: their order.  Keeps nothing but the order; knows no text and no server.

A block keeps its place while it is remembered; a new one goes to the end.  So the blocks that stay form a beginning
that was decoded before, those that change often move to the end, and a person who returns to a file gets the same
prompt again."""

from __future__ import annotations

from collections.abc import Sequence

REMEMBERED = 512


class Order:
    """The order of one workspace.  A name includes the text: a block with another text is another block."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._places: dict[str, int] = {}
        self._next = 0

    def arrange(self, names: Sequence[str]) -> list[str]:
        """`names` (each once) in their order."""
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
