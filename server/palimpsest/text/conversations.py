"""Which documents are conversations.

In: a document's name and lines.  Out: yes or no.  Pure.
"""

import re
from collections.abc import Sequence
from itertools import islice

SUFFIX = ".palimpsest.md"
MOST_FRONT = 40
"""Lines of front matter that are looked at."""
MARK = "\ufeff"
"""A byte order mark, which some editors keep as a character of the text."""
_ID = re.compile(r"""id:[ \t]*["']?c-[0-9a-f]{8}\b""")


def is_conversation(name: str, lines: Sequence[str]) -> bool:
    """By its name (a path or URI), or by the id in its front matter."""
    if name.lower().endswith(SUFFIX):
        return True
    has_front = bool(lines) and lines[0].removeprefix(MARK).rstrip() == "---"
    return has_front and any(_ID.match(line) for line in islice(lines, 1, MOST_FRONT))
