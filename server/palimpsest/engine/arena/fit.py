"""Pure: making room: which run of positions is the cheapest to clear, and which blocks to slide to make one hole.

In: spans and what they are.  Out: spans.  This package knows no arena and changes nothing; `arena.py` asks it.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from palimpsest.engine.arena.span import Span


class Segment(NamedTuple):
    """A piece of the arena: free, a block's slack, a block that may go, or a wall that may not."""

    span: Span
    kind: Literal["hole", "slack", "block", "wall"]
    key: str = ""


def window(segments: Sequence[Segment], n_tokens: int) -> tuple[Span, list[str]] | None:
    """The cheapest run of `n_tokens` positions without a wall, and the keys of the blocks in it.

    `segments` cover the arena in order.  Cheapest: fewest positions of blocks, then fewest of slack, then lowest.
    A block is paid for whole, so only runs that begin and end with a segment need looking at; for each end, the
    shortest that is long enough.
    """
    best: tuple[tuple[int, int, int], Span, list[str]] | None = None
    first = 0
    for last, segment in enumerate(segments):
        if segment.kind == "wall":
            first = last + 1
            continue
        end = segment.span.end
        if end - segments[first].span.start < n_tokens:
            continue
        while first < last and end - segments[first + 1].span.start >= n_tokens:
            first += 1
        run = segments[first : last + 1]
        blocks, slack = (sum(s.span.size for s in run if s.kind == kind) for kind in ("block", "slack"))
        # Begin behind as much of a leading block's slack as can be spared.
        start = end - n_tokens if run[0].kind == "slack" else run[0].span.start
        cost = (blocks, slack, start)
        if best is None or cost < best[0]:
            best = cost, Span(start, start + n_tokens), [s.key for s in run if s.kind == "block"]
    return None if best is None else best[1:]


def slide(arena: Span, spans: Sequence[tuple[str, Span]], n_tokens: int) -> list[tuple[str, Span]] | None:
    """Slide neighbours towards the start until one hole has `n_tokens` positions: `(key, new span)` in order.

    `spans` are what may not be given up, in order of position.  Chosen is the run of neighbours with the fewest
    positions among those with enough gaps around and between them; the whole arena compacted is the last of
    these.  Applied in order, none lands on another: each moves left, and those left of it have moved before.
    None when all gaps together are too small; a run may be empty (one gap suffices as it is).
    """
    ends = [arena.start, *(span.end for _, span in spans)]
    starts = [*(span.start for _, span in spans), arena.end]
    gaps = [start - end for end, start in zip(ends, starts, strict=True)]  # gap k is before span k
    best: tuple[int, int, int] | None = None
    first, total, moved = 0, 0, 0
    for last, gap in enumerate(gaps):
        if last > 0:
            moved += spans[last - 1][1].size
        total += gap
        while first < last and total - gaps[first] >= n_tokens:
            total -= gaps[first]
            moved -= spans[first][1].size
            first += 1
        if total >= n_tokens and (best is None or moved < best[0]):
            best = moved, first, last
    if best is None:
        return None
    _, first, last = best
    at, slid = ends[first], list[tuple[str, Span]]()
    for key, span in spans[first:last]:
        slid.append((key, Span(at, at + span.size)))
        at += span.size
    return slid
