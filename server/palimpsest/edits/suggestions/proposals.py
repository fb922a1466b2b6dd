"""Proposals by id, and which ones a person rejected.

In: proposals, the documents they apply to, the request they answer.  Out: offers.  Owner of that state: the newest
`KEPT` offers and the rejected edits.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.errors import InvalidArgument
from palimpsest.newest import Newest
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import LineEdit, Proposal

KEPT = 50
KEPT_MARKS = 500
PREFIX = "s-"
Mark = frozenset[tuple[str, tuple[tuple[str, ...], ...]]]
"""Identifies what a proposal changes and where, by text, so it stays the same when other lines change."""


@dataclass(frozen=True, slots=True)
class SuggestionRequest:
    """What was asked.  `lines` are the document lines selected, None for the whole block; `format` is empty for the
    setting's.  `number` stays the same when it is asked again, 0 for none of a person's; `round` counts that."""

    uri: str
    position: Position
    instruction: str = ""
    n: int = 1
    lines: range | None = None
    format: str = ""
    number: int = 0
    round: int = 0


@dataclass(frozen=True, slots=True)
class OfferedProposal:
    """`snapshots` has the documents that the proposal applies to, by URI."""

    proposal: Proposal
    snapshots: Mapping[str, Snapshot]
    request: SuggestionRequest

    @property
    def mark(self) -> Mark:
        return mark_of(self.proposal, self.snapshots)


def mark_of(proposal: Proposal, snapshots: Mapping[str, Snapshot]) -> Mark:
    """The mark of a proposal for these documents."""
    return frozenset((change.uri, _pieces(change.edits, snapshots[change.uri].lines)) for change in proposal.changes)


def _pieces(edits: Sequence[LineEdit], lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    pieces = list[tuple[str, ...]]()
    for edit in edits:
        around = (*lines[max(0, edit.start - 1) : edit.start], *lines[edit.end : edit.end + 1])
        old, new = lines[edit.start : edit.end], edit.lines
        pieces += [tuple(line.rstrip() for line in piece) for piece in (around, old, new)]
    return tuple(pieces)


class OfferedProposals:
    """The newest proposals by id, and the edits that were rejected."""

    def __init__(self) -> None:
        self._offers = dict[str, OfferedProposal]()
        self._gone = Newest[str, str](KEPT_MARKS)
        self._rejected = Newest[Mark, None](KEPT_MARKS)
        self._ids = itertools.count(1)
        self._numbers = itertools.count(1)
        self._rounds = Newest[int, tuple[int, set[Mark]]](KEPT)

    def numbered(self, request: SuggestionRequest) -> SuggestionRequest:
        """The question with a number of its own, or, where it has one, as it is asked once more."""
        number = request.number or next(self._numbers)
        before, marks = self._rounds.get(number, (request.round - 1, set[Mark]()))
        this = before + 1 if request.number else 0
        self._rounds[number] = this, marks
        return replace(request, number=number, round=this)

    def give(
        self, proposal: Proposal, snapshots: Mapping[str, Snapshot], request: SuggestionRequest
    ) -> OfferedProposal:
        """Keep it, with an id of its own."""
        identity = f"{PREFIX}{next(self._ids)}"
        needed = {change.uri: snapshots[change.uri] for change in proposal.changes} | {
            uri: snapshot for uri, snapshot in snapshots.items() if uri == request.uri
        }
        offer = OfferedProposal(replace(proposal, id=identity), needed, request)
        self._offers[identity] = offer
        if request.number in self._rounds:
            self._rounds[request.number][1].add(offer.mark)
        while len(self._offers) > KEPT:
            self.take(next(iter(self._offers)), "is no longer kept")
        return offer

    def get(self, identity: str) -> OfferedProposal:
        """Raises InvalidArgument that says what became of it, and which there are."""
        offer = self._offers.get(identity)
        if offer is None:
            ids = list(self._offers)
            there = f"There are {', '.join(ids)}." if ids else "Nothing is offered: ask with palimpsest.suggest first."
            what = self._gone.get(identity, "is not known")
            raise InvalidArgument("id", f"the suggestion {identity!r} {what}.", hint=there)
        return offer

    def take(self, identity: str, what: str) -> OfferedProposal:
        """The offer, which is no longer there from now on; `what` says why, as the end of a sentence."""
        offer = self.get(identity)
        del self._offers[identity]
        self._let_go(identity, what)
        return offer

    def reject(self, identity: str) -> OfferedProposal:
        """Not offered again for the same text."""
        offer = self.take(identity, "was rejected")
        self._rejected[offer.mark] = None
        return offer

    def is_rejected(self, mark: Mark) -> bool:
        return mark in self._rejected

    def was_offered(self, mark: Mark, request: SuggestionRequest) -> bool:
        """For this question, in an earlier round."""
        return request.number in self._rounds and mark in self._rounds[request.number][1]

    def _let_go(self, identity: str, what: str) -> None:
        self._gone[identity] = what
