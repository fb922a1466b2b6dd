"""Which pieces of a long editing block are shown: those around the cursor.

In: the sizes of the pieces, the cursor's piece, a budget in characters.  Out: a range of pieces.  Knows no syntax.

The cut must not move while the user types, since each move costs all tokens of the tail.  So the front is measured from
its start and the back from its end, both without the cursor's piece, and both are cut in steps: moving down a long
function moves the cut once for each step, not once for each line.
"""

from collections.abc import Sequence
from itertools import accumulate

STEPS = 6
"""Steps in a budget.  More steps use the budget better; fewer steps move the cut less often."""
_BACK_SHARE = 0.3
"""The least share of the room for what follows the cursor, which says less than what comes before it."""


def window(sizes: Sequence[int], cursor: int, budget: int) -> range:
    """The pieces to show, a range that holds `cursor`; all of them if they fit.

    Exceeds the budget only if the cursor's piece and one step do so by themselves.
    """
    if sum(sizes) <= budget:
        return range(len(sizes))
    step = max(1, budget // STEPS)
    # The cursor's piece counts in whole steps, so that typing in it does not move the cut.
    room = max(0, budget - _up(sizes[cursor], step))
    front, back = _excess(sum(sizes[:cursor]), sum(sizes[cursor + 1 :]), room)
    n_before = _cut_away(sizes[:cursor], front, step)
    n_after = _cut_away(sizes[:cursor:-1], back, step)
    return range(n_before, len(sizes) - n_after)


def characters(length: int, cursor: int, budget: int) -> range:
    """The characters of a line to show, a range that has `cursor`, which is before one of them."""
    step = max(1, budget // STEPS)
    front, back = _excess(cursor, length - cursor, budget)
    return range(min(cursor, _up(max(0, front), step)), length - min(length - cursor, _up(max(0, back), step)))


def _excess(front: int, back: int, room: int) -> tuple[int, int]:
    """How much too long both sides are."""
    back_room = min(back, max(int(room * _BACK_SHARE), room - front))
    return front - (room - back_room), back - back_room


def _cut_away(sizes: Sequence[int], excess: int, step: int) -> int:
    """How many of the first pieces to cut, so that at least `excess`, rounded up to whole steps, is gone."""
    if excess <= 0:
        return 0
    least = _up(excess, step)
    return next((n for n, total in enumerate(accumulate(sizes), 1) if total >= least), len(sizes))


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
