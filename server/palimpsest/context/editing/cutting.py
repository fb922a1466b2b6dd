"""What of a long editing block is shown: the pieces around the cursor.

In: pieces in order, where the cursor is, a budget in characters.  Out: which to show.  This room knows no syntax.

The cut must stay where it is while somebody types, as each move of it costs the whole tail's tokens.  So what is cut
away is measured from the start for the front and from the end for the back, both without the piece the cursor is in,
and goes in steps: walking down a long function moves the cut once per step, not once per line.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

STEPS = 6
"""Steps per budget: more of them use the budget better, fewer keep the cut longer."""
_BACK_SHARE = 0.3
"""What stands behind the cursor has at least this share of the room; what stands before it says more."""


def window(sizes: Sequence[int], cursor: int, budget: int) -> range:
    """The pieces to show of pieces with these sizes: a range that holds `cursor`.

    Within the budget, unless the piece at the cursor and a step are too large for it by themselves; everything where
    everything fits.
    """
    if sum(sizes) <= budget:
        return range(len(sizes))
    step = max(1, budget // STEPS)
    # The cursor's piece counts in whole steps, so that typing in it does not move the cut.
    room = max(0, budget - _up(sizes[cursor], step))
    front, back = sum(sizes[:cursor]), sum(sizes[cursor + 1 :])
    back_room = min(back, max(int(room * _BACK_SHARE), room - front))
    n_before = _cut_away(sizes[:cursor], front - (room - back_room), step)
    n_after = _cut_away(sizes[:cursor:-1], back - back_room, step)
    return range(n_before, len(sizes) - n_after)


def _cut_away(sizes: Sequence[int], excess: int, step: int) -> int:
    """How many pieces, from the first on, have at least `excess` rounded up to whole steps."""
    if excess <= 0:
        return 0
    wanted = _up(excess, step)
    return next((n for n, total in enumerate(accumulate(sizes), 1) if total >= wanted), len(sizes))


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
