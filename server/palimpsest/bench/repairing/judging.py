"""What a reply made of a damaged function.

In: the case, what was shown, the reply's text.  Out: an `Outcome`.  The format's own reader and the product's checks
decide.  Knows no engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.bench.repairing.cases import Case
from palimpsest.suggest.check import Document, checked
from palimpsest.suggest.edits import applied
from palimpsest.suggest.formats import FORMATS
from palimpsest.suggest.reply import Reply
from palimpsest.suggest.shown import ShownBlock
from palimpsest.syntax.parse import parse_text

UNFINISHED = ("length", "time")
UNCHANGED = "it changes nothing"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one reply.

    `well_formed`: what there is of it can be read, and edits what was shown; one that the token limit cut off
    (`is_cut`) is not malformed by that.  `applied`: an edit of it passes the checks.  `unchanged`: it says the text
    as it is.  `parses`: the document has no syntax errors that it did not have before the damage.  `repaired`: it is
    what it was before the damage.  `tokens` were generated in `ms`.
    """

    kind: str
    well_formed: bool
    is_cut: bool
    applied: bool
    unchanged: bool
    parses: bool
    repaired: bool
    tokens: int
    ms: float


def outcome(
    case: Case,
    name: str,
    choice: wire.Choice,
    shown: Mapping[str, ShownBlock],
    documents: Mapping[str, Document],
    ms: float,
) -> Outcome:
    """`name` of the format; `documents` by URI, the damaged one among them."""
    reply, is_cut = FORMATS[name].read(choice.text, shown), choice.finish in UNFINISHED
    reading = checked(reply, shown, documents)
    original = case.function.parsed
    here = original.snapshot.uri
    edits = [edit for suggestion in reading.suggestions[:1] if suggestion.uri == here for edit in suggestion.edits]
    lines = applied(documents[here].lines, edits)
    return Outcome(
        kind=case.damage.kind,
        well_formed=is_well_formed(reply, shown, is_cut),
        is_cut=is_cut,
        applied=bool(reading.suggestions),
        unchanged=any(refusal.reason == UNCHANGED for refusal in reading.refused),
        parses=parse_text("\n".join(lines), original.language).n_errors <= original.n_errors,
        repaired=lines == list(original.snapshot.lines),
        tokens=choice.tokens,
        ms=ms,
    )


def is_well_formed(reply: Reply, shown: Mapping[str, ShownBlock], is_cut: bool) -> bool:
    """Something is edited, only blocks that were shown, and nothing in it cannot be read but for its end."""
    return bool(reply.written) and all(
        written.name in shown and (not written.problem or (is_cut and not written.complete))
        for written in reply.written
    )
