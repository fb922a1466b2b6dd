"""Pure: a reply as it comes, up to where a call may begin: an editor shows calls by themselves, not as text, too.

In: all that has come of a reply.  Out: what may be shown of it now.  Which lines were calls is known at the reply's end
alone (`without_calls`); where one of a tool may begin, all waits until then.
"""

import re
from collections.abc import Collection

from palimpsest.documents.markdown import fences

_BEGIN = re.compile(r"^ {0,3}([A-Za-z_][\w.]{0,60})[ \t]?(\(|\Z)", re.MULTILINE | re.ASCII)


class HeldCalls:
    """One reply.  `tools`: all names that a call may have."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = tools
        self._read_to = 0
        self._held: int | None = None

    def shown(self, text: str) -> str:
        """`text` begins with what was given before."""
        end = len(text)
        for begin in _BEGIN.finditer(text, self._read_to) if self._held is None else ():
            if begin[2] and begin[1] in self._tools and not _in_a_fence(text, begin.start()):
                self._held = begin.start()
                break
            if not begin[2] and any(name.startswith(begin[1]) for name in self._tools):
                end = begin.start()
        self._read_to = text.rfind("\n", 0, end) + 1
        return text[: end if self._held is None else self._held]


def _in_a_fence(text: str, at: int) -> bool:
    return any(fence.start <= at < fence.end for fence in fences(text))
