"""What was offered, by its id."""

import pytest

from palimpsest.edits.suggestions.proposals import KEPT, OfferedProposal, OfferedProposals, SuggestionRequest
from palimpsest.errors import InvalidArgument
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import DocumentChange, LineEdit, Proposal

URI = "file:///a.py"
SNAPSHOTS = {URI: Snapshot(URI, 1, "python", "a\nb\nc\n")}
QUESTION = SuggestionRequest(URI, Position(1, 0))


def proposal(text: str = "x") -> Proposal:
    return Proposal((DocumentChange(URI, 1, (LineEdit(1, 2, (text,)),), ("editing",)),))


def give(offers: OfferedProposals, text: str = "x", request: SuggestionRequest = QUESTION) -> OfferedProposal:
    return offers.give(proposal(text), SNAPSHOTS, request)


def reason(offers: OfferedProposals, identity: str) -> str:
    with pytest.raises(InvalidArgument) as caught:
        offers.get(identity)
    assert caught.value.field == "id"
    return str(caught.value)


def test_only_the_newest_are_kept_and_an_id_is_never_given_twice() -> None:
    offers = OfferedProposals()
    ids = [give(offers, str(n)).proposal.id for n in range(KEPT + 2)]
    assert len(set(ids)) == KEPT + 2
    assert "is no longer kept" in reason(offers, ids[1])
    assert ids[2] in reason(offers, ids[0])
    assert offers.get(ids[2]).proposal.changes[0].edits[0].lines == ("2",)
    assert "is not known" in reason(offers, "s-0")


def test_what_became_of_one_is_said() -> None:
    offers = OfferedProposals()
    first, second = give(offers, "x"), give(offers, "y")
    offers.take(first.proposal.id, "was accepted already")
    assert "was accepted already. There are s-2." in reason(offers, first.proposal.id)
    offers.reject(second.proposal.id)
    assert "Nothing is offered" in reason(offers, second.proposal.id)
    assert offers.is_rejected(second.mark)
    assert not offers.is_rejected(first.mark)


def test_rounds_of_one_question_know_what_the_others_gave() -> None:
    offers = OfferedProposals()
    first, other = offers.numbered(QUESTION), offers.numbered(QUESTION)
    assert (first.round, other.round) == (0, 0)
    offer = give(offers, "x", first)
    again = offers.numbered(first)
    assert (again.number, again.round, offers.numbered(first).round) == (first.number, 1, 2)
    assert offers.was_offered(offer.mark, again)
    assert not offers.was_offered(offer.mark, other)
