"""How a block shows the line that the cursor is on, so that typing does not change the block.

In: a block's lines with and without the cursor's line, and its last lines.  Out: which of the three to show.  A block
that followed every keystroke would be decoded again each time; but a cursor that only stands on a line changes nothing,
and hiding that line would have the block decoded twice.
"""

from collections.abc import Sequence


def stable(full: Sequence[str], without: Sequence[str], last: Sequence[str] | None) -> Sequence[str]:
    """`full` until something is typed on the cursor's line; then `last`, as it was before that, until the cursor leaves
    the line; `without` if the line is new."""
    if full == without or last is None or last == full:
        return full
    if len(last) == len(full) and _is_part(without, last):
        return last
    return without


def _is_part(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether `whole` has the lines of `part` in their order."""
    rest = iter(whole)
    return all(line in rest for line in part)
