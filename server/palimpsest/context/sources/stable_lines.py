"""What a block shows of the line that the cursor stands on.

In: a block's lines with and without what is on the cursor's line, and as they last were.  Out: which of them to show.
A line that is being typed changes with every keystroke and would have its block decoded anew each time; but to stand on
a line is not to type there, and to leave lines out that were shown would have the block decoded anew twice.
"""

from __future__ import annotations

from collections.abc import Sequence


def stable(full: Sequence[str], without: Sequence[str], last: Sequence[str] | None) -> Sequence[str]:
    """All lines as long as nothing was typed on the cursor's; then, until the cursor leaves it, what stood there
    before; without that line where nothing did.  One of the arguments is returned as it is."""
    if full == without or last is None or last == full:
        return full
    if len(last) == len(full) and _is_part(without, last):
        return last
    return without


def _is_part(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether `whole` has the lines of `part` in their order."""
    rest = iter(whole)
    return all(line in rest for line in part)
