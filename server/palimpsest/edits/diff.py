"""Pure: a suggestion as a unified diff, for people.

In: document lines and edits.  Out: the text of a diff.  Models never see it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from palimpsest.edits.line_edits import applied
from palimpsest.types import LineEdit


def unified(lines: Sequence[str], edits: Iterable[LineEdit], file: str, *, context: int = 3) -> str:
    """The edits of `lines` in the format of `diff -u`, with a newline after each line; empty if nothing changes.

    `file` is the name shown, relative to the workspace.
    """
    changed = applied(lines, edits)
    names = f"a/{file}", f"b/{file}"
    return "".join(f"{line}\n" for line in difflib.unified_diff(lines, changed, *names, n=context, lineterm=""))
