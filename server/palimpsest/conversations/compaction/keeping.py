"""Pure: which messages a compaction leaves as they are, beside its summary.

In: messages, the oldest first.  Out: the ids of those to keep.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

IMPORTANT = re.compile(r"\bimportant\b", re.IGNORECASE)
ID = re.compile(r"\b(?:turn|result)-\d+(?:-\d+)?\b|\bref:[\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Message:
    """`names`: what others can call it by; `mentions`: those that it calls; `is_marked`: by the person."""

    id: int
    n_chars: int
    is_marked: bool
    names: Collection[str]
    mentions: Collection[str]


def kept(messages: Sequence[Message], until: int, before: Collection[int], most_chars: int) -> list[int]:
    """Of those up to `until`: first what the person marked, then what later ones mention and what was kept `before`,
    the newest first, as long as they fit."""
    marked, others, mentioned = list[Message](), list[Message](), set[str]()
    is_behind = True
    for one in reversed(messages):
        is_behind = is_behind and one.id != until
        if not is_behind and one.is_marked:
            marked.append(one)
        elif not is_behind and (one.id in before or mentioned.intersection(one.names)):
            others.append(one)
        mentioned.update(one.mentions)
    found, left = list[int](), most_chars
    for one in (*marked, *others):
        if one.n_chars <= left:
            found.append(one.id)
            left -= one.n_chars
    return sorted(found)
