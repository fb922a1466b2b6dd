"""Suggestions: edits of the code at a cursor, and what a person does with them.

In: a document, a position, an instruction; ids of earlier suggestions.  Out: proposals that apply to the documents as
they are now.  Owner of the offers (`proposals.py`).  Applies nothing: the editor does.
"""

from dataclasses import replace

from palimpsest.edits.line_edits import applied, line_map
from palimpsest.edits.rebased import MovedOn, moved
from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.edits.suggestions.from_replies import Draft, Suggested
from palimpsest.edits.suggestions.model import SuggestionModel
from palimpsest.edits.suggestions.proposals import OfferedProposal, OfferedProposals, SuggestionRequest, mark_of
from palimpsest.errors import InvalidArgument, StaleDocument
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import DocumentChange, Proposal, Refusal
from palimpsest.window.services import LOADING_S, Services


class Suggestions:
    """Answers what is asked for an edit, and keeps what a person may do with the answer."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._files = EditableFiles(services)
        self._model = SuggestionModel(services, self._files)
        self._offers = OfferedProposals()

    # Asking ---------------------------------------------------------------------------------------------------

    async def at(self, request: SuggestionRequest) -> Suggested:
        """Edits of the block at a position, or of the document lines `lines` in it.

        Raises EngineError when the engine cannot answer, InvalidArgument for a document that is not open.
        """
        return await self._ask(self._offers.numbered(request))

    async def rerun(self, identity: str) -> Suggested:
        """The same question once more, without what was offered for it before.  Raises as `at` does, InvalidArgument
        for an unknown id, StaleDocument where the place is gone."""
        return await self.at(self._moved(self._offers.get(identity)))

    async def go_on(self, identity: str, instruction: str = "") -> Suggested:
        """The next reply, made on the text with the proposal in it; what is suggested then is both together.  Raises
        as `rerun` does."""
        offer, services = self.current(identity), self._services
        request = self._moved(self._offers.get(identity))
        request = replace(request, instruction=instruction or request.instruction, lines=None, number=0, round=0)
        changes = {change.uri: change for change in offer.proposal.changes}
        drafted = {uri: _drafted(offer.snapshots[uri], change) for uri, change in changes.items()}
        here = services.documents.get(request.uri)
        at = request.position
        if request.uri in changes:
            at = Position(_line_after(changes[request.uri], at.line), at.column)
        snapshot = drafted.get(request.uri, here)
        there = services.view(here, request.position)
        parsed = replace(parse_text(snapshot.text, language_of(here.language_id, here.uri)), snapshot=snapshot)
        view = services.view_of(parsed, snapshot.clamp(at))
        blocks = await services.chooser.chosen(there)
        async with services.supervisor.engine(LOADING_S) as engine:
            draft = Draft({**offer.snapshots, here.uri: here}, changes)
            suggested = await self._model.ask(engine, self._offers.numbered(request), view, blocks, draft=draft)
        return self.give(self._not_rejected(suggested))

    async def _ask(self, request: SuggestionRequest) -> Suggested:
        services = self._services
        view = services.view(services.documents.get(request.uri), request.position)
        blocks = await services.chooser.chosen(view, fresh=True)
        async with services.supervisor.engine(LOADING_S) as engine:
            suggested = self._not_rejected(await self._model.ask(engine, request, view, blocks))
        return self.give(suggested)

    def _not_rejected(self, suggested: Suggested) -> Suggested:
        """Without what the person rejected, or saw when the same was asked before."""
        wanted, refused = list[Proposal](), list(suggested.refused)
        for proposal in suggested.proposals:
            mark, name = mark_of(proposal, suggested.snapshots), proposal.changes[0].names[0]
            if self._offers.is_rejected(mark):
                refused.append(Refusal(name, "you rejected it before"))
            elif suggested.request.round and self._offers.was_offered(mark, suggested.request):
                refused.append(Refusal(name, "it was offered before"))
            else:
                wanted.append(proposal)
        return replace(suggested, proposals=tuple(wanted), refused=tuple(refused))

    # What was suggested ---------------------------------------------------------------------------------------

    def give(self, suggested: Suggested) -> Suggested:
        """The same with ids, by which the proposals are kept from now on."""
        offered = tuple(self.offer(p, suggested).proposal for p in suggested.proposals)
        return replace(suggested, proposals=offered)

    def offer(self, proposal: Proposal, suggested: Suggested) -> OfferedProposal:
        """One of them with an id."""
        snapshot = suggested.snapshots.get(suggested.request.uri)
        self._services.statistics.count("suggestion", "shown", language=snapshot.language_id if snapshot else "")
        return self._offers.give(proposal, suggested.snapshots, suggested.request)

    def current(self, identity: str) -> OfferedProposal:
        """An offer as it applies to the documents now.

        Raises InvalidArgument for an unknown id, StaleDocument where a line that it changes was edited since, or a
        document is no longer there.
        """
        offer = self._offers.get(identity)
        uris = [change.uri for change in offer.proposal.changes]
        now = {uri: it for uri in uris if (it := self._files.seen(uri, offer.request.uri))}
        try:
            proposal = moved(offer.proposal, offer.snapshots, now)
        except MovedOn as error:
            raise StaleDocument(
                f"the suggestion {identity!r} no longer applies: {error.uri} {error}.", hint="Ask for a new one."
            ) from None
        return OfferedProposal(proposal, {**offer.snapshots, **now}, offer.request)

    def offered(self, identity: str) -> OfferedProposal:
        """An offer as it was made.  Raises InvalidArgument for an unknown id."""
        return self._offers.get(identity)

    def draft(self, identity: str, number: int) -> str:
        """The text that one of an offer's documents would have, of those there were.  Raises InvalidArgument."""
        offer = self._offers.get(identity)
        if not 0 <= number < len(offer.proposal.changes):
            raise InvalidArgument("uri", f"{identity} has no such document.")
        change = offer.proposal.changes[number]
        return _drafted(offer.snapshots[change.uri], change).text

    def document(self, uri: str, here: str) -> Snapshot | None:
        """A document of an offer as it is now, open or not; `here` is the one that was asked about."""
        return self._files.seen(uri, here)

    def accepted(self, identity: str) -> None:
        """The editor has applied it."""
        offer = self._offers.take(identity, "was accepted already")
        self._count(offer, "accepted")

    def reject(self, identity: str) -> OfferedProposal:
        """Not wanted, and not offered again for that text.  Raises InvalidArgument for an unknown id."""
        offer = self._offers.reject(identity)
        self._count(offer, "rejected")
        return offer

    # Parts ----------------------------------------------------------------------------------------------------

    def _count(self, offer: OfferedProposal, happened: str) -> None:
        snapshot = offer.snapshots.get(offer.request.uri)
        chars = sum(len(line) for change in offer.proposal.changes for edit in change.edits for line in edit.lines)
        self._services.statistics.count(
            "suggestion",
            happened,  # type: ignore[arg-type]
            chars=chars,
            language=snapshot.language_id if snapshot else "",
        )

    def _moved(self, offer: OfferedProposal) -> SuggestionRequest:
        """The question at the place where it is now.  Raises StaleDocument where that is gone."""
        request = offer.request
        now = self._services.documents.get(request.uri).lines
        then = offer.snapshots[request.uri].lines
        if then == now:
            return request
        places, lines = line_map(then, now), request.lines
        wanted = {request.position.line, *((lines[0], lines[-1]) if lines else ())}
        if not wanted <= places.keys():
            raise StaleDocument(
                f"the line that {offer.proposal.id!r} was asked for is no longer there.", hint="Ask for a new one."
            )
        return replace(
            request,
            position=Position(places[request.position.line], request.position.column),
            lines=range(places[lines[0]], places[lines[-1]] + 1) if lines else None,
        )


def _drafted(snapshot: Snapshot, change: DocumentChange) -> Snapshot:
    text = snapshot.line_end.join(applied(snapshot.lines, change.edits))
    return Snapshot(snapshot.uri, snapshot.version, snapshot.language_id, text)


def _line_after(change: DocumentChange, line: int) -> int:
    """Where a line is once the change is made; one that it replaces is where the new ones begin."""
    shift = 0
    for edit in change.edits:
        if line >= edit.end:
            shift += len(edit.lines) - (edit.end - edit.start)
        elif line >= edit.start:
            return edit.start + shift
    return line + shift
