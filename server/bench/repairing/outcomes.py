"""What a reply made of a damaged function.

In: the case, what was shown, the reply's text.  Out: an `Outcome`.  The format's own reader and the product's checks
decide.  Knows no engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.repairing.cases import Case
from palimpsest import wire
from palimpsest.edits.candidates import NOTHING, candidate_of
from palimpsest.edits.check import checked
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.reply import EditReply
from palimpsest.edits.shown import ShownBlock
from palimpsest.edits.validate import Baseline
from palimpsest.languages.registry import language_of
from palimpsest.syntax.indentation import is_worse
from palimpsest.text.snapshot import Snapshot

UNFINISHED = ("length", "time")


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
    documents: Mapping[str, Snapshot],
    ms: float,
) -> Outcome:
    """`name` of the format; `documents` by URI, the damaged one among them."""
    reply, is_cut = FORMATS[name].read(choice.text, shown), choice.finish in UNFINISHED
    given = {uri: found.lines for uri, found in documents.items()}
    baseline = {uri: Baseline(found.lines, language_of("", uri)) for uri, found in documents.items()}
    original = case.function.parsed
    here = original.snapshot.uri
    candidate, refused = candidate_of(checked(reply, shown, given), baseline, here=here, cut_off=is_cut)
    parts = candidate.parts if candidate else ()
    result = next((part.result for part in parts if part.change.uri == here), baseline[here].parsed)
    return Outcome(
        kind=case.damage.kind,
        well_formed=is_well_formed(reply, shown, is_cut),
        is_cut=is_cut,
        applied=candidate is not None,
        unchanged=any(refusal.reason == NOTHING for refusal in refused),
        parses=not is_worse(result, original),
        repaired=result.snapshot.lines == original.snapshot.lines,
        tokens=choice.tokens,
        ms=ms,
    )


def is_well_formed(reply: EditReply, shown: Mapping[str, ShownBlock], is_cut: bool) -> bool:
    """Something is edited, only blocks that were shown, and nothing in it cannot be read but for its end."""
    return bool(reply.written) and all(
        written.name in shown and (not written.problem or (is_cut and not written.complete))
        for written in reply.written
    )
