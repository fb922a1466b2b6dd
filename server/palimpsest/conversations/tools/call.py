"""A call on its way to its handler, and handlers by their tool's name.

In: nothing.  Out: values.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.conversations.tools.tool import Answer
from palimpsest.conversations.tools.tool_host import Hands


@dataclass(frozen=True, slots=True)
class Call:
    """`arguments` are checked; those that were not given are not there.  `most_chars`: of a part that is read, where
    there is a bound."""

    conversation_id: str
    arguments: dict[str, Any]
    hands: Hands
    most_chars: int | None = None

    def text(self, name: str, default: str = "") -> str:
        return str(self.arguments.get(name, default))

    def texts(self, name: str) -> list[str]:
        return list(self.arguments.get(name, ()))

    def number(self, name: str) -> int | None:
        return self.arguments.get(name)

    def is_set(self, name: str) -> bool:
        return bool(self.arguments.get(name, False))


Quick = Callable[[Call], Answer]
"""Run on a thread: it reads and writes the database."""
Waiting = Callable[[Call], Awaitable[Answer]]
Handlers = Mapping[str, Quick | Waiting]
