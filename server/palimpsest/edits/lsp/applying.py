"""Having the client apply a suggestion: all of it or nothing, and looked at afterwards.

In: an offer, a person's wish.  Out: what came of it.  Asks and applies through the client; edits nothing itself.

What `suggestion.confirm` wants confirmed is asked with one question (`window/showMessageRequest`), not with change
annotations: an editor that shows annotated edits for confirmation lets each be ticked by itself, shows them unticked at
first, and says that the edit was applied when a part of it was.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.edits.line_edits import applied
from palimpsest.edits.suggestions.proposals import OfferedProposal
from palimpsest.errors import Denied, InvalidArgument, PalimpsestError
from palimpsest.lsp import document_edits
from palimpsest.lsp.asking import chosen
from palimpsest.lsp.edits import asks_first, proposal_edit, size_of, title_of
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.window.events import DocumentChanged, DocumentOpened

YES, NO = "Apply", "Do not apply"
SEEN_S = 2.0
"""An editor may tell of changed documents only after it has said that it changed them; not much later, though."""
CANNOT_ASK = 'Your editor cannot ask; with `suggestion.confirm = "never"` edits of other files are applied unasked.'


@dataclass(frozen=True, slots=True)
class ApplyOutcome:
    """`reason`: why it is not applied as a whole, for a person."""

    applied: bool
    reason: str = ""


async def confirm_and_apply(server: PalimpsestServer, identity: str, *, confirmed: bool = False) -> ApplyOutcome:
    """Raises InvalidArgument for an unknown id, StaleDocument where what it changes was edited."""
    suggestions = server.window.session.suggestions
    offer = suggestions.current(identity)
    if not confirmed and asks_first(offer, server.window.settings.suggestion.confirm):
        if reason := await _why_not(server, offer):
            if reason == CANNOT_ASK:
                server.window.report.caution(reason)
            return ApplyOutcome(False, reason)
        offer = suggestions.current(identity)  # meanwhile the person may have typed
    watch = _Watch(server, offer)
    try:
        outcome = await watch.outcome(await _answered(server, offer, watch))
    finally:
        watch.close()
    if outcome.applied:
        with suppress(InvalidArgument):  # of one that was shown unasked it was seen already that it is accepted
            suggestions.accepted(identity)
    return outcome


async def is_done(server: PalimpsestServer, offer: OfferedProposal) -> ApplyOutcome:
    """What became of an edit that the client had in hand and says it has applied."""
    watch = _Watch(server, offer, moved_on=True)
    try:
        return await watch.outcome(lsp.ApplyWorkspaceEditResult(applied=True))
    finally:
        watch.close()


def apply_soon(server: PalimpsestServer, identity: str) -> None:
    """The same for an action whose answer can neither hold the edit nor a command."""
    server.run_beside(_apply_and_tell(server, identity))


async def _apply_and_tell(server: PalimpsestServer, identity: str) -> None:
    try:
        await confirm_and_apply(server, identity)
    except (PalimpsestError, JsonRpcException) as error:
        server.window.report.tell(str(error))


async def _why_not(server: PalimpsestServer, offer: OfferedProposal) -> str:
    """Ask the person; why it is not to be applied, or ""."""
    roots = server.window.roots
    files = ", ".join(f"{roots.locate(change.uri)[1]} ({size_of(change)})" for change in offer.proposal.changes)
    question = f"{title_of(offer.proposal.summary)} Changes {files}. Apply all of it?"
    try:
        answer = await chosen(server, question, (YES, NO), cannot=CANNOT_ASK)
    except Denied:
        return CANNOT_ASK
    return "" if answer == YES else "it was not confirmed"


async def _answered(server: PalimpsestServer, offer: OfferedProposal, watch: _Watch) -> lsp.ApplyWorkspaceEditResult:
    """What the client says; one that never answers, such as ALE for Vim, says yes by changing the documents."""
    answer = server.run_beside(_told_to_apply(server, offer))  # its end is not waited for where the edit is seen
    seen = asyncio.create_task(watch.all_done.wait())
    try:
        await asyncio.wait({answer, seen}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        seen.cancel()
    return answer.result() if answer.done() else lsp.ApplyWorkspaceEditResult(applied=True)


async def _told_to_apply(server: PalimpsestServer, offer: OfferedProposal) -> lsp.ApplyWorkspaceEditResult:
    edit = proposal_edit(offer.proposal, offer.snapshots, server.window.client)
    metadata = lsp.WorkspaceEditMetadata(is_refactoring=True) if server.window.client.edit_metadata else None
    params = lsp.ApplyWorkspaceEditParams(edit, title_of(offer.proposal.summary), metadata)
    return await document_edits.applied(server, params)


class _Watch:
    """The documents of an offer, from before it is applied: which have been as they should be.  One that was so for a
    moment counts; a person types on, and a formatter may run behind every change.

    `moved_on`: it was applied a while ago, and a document that is another one than before counts.
    """

    def __init__(self, server: PalimpsestServer, offer: OfferedProposal, *, moved_on: bool = False) -> None:
        self._server = server
        self._offer = offer
        self._moved_on = moved_on
        self._before = {change.uri: _lines(offer.snapshots[change.uri].lines) for change in offer.proposal.changes}
        self._wanted = {
            change.uri: _lines(applied(offer.snapshots[change.uri].lines, change.edits))
            for change in offer.proposal.changes
        }
        self._done = set[str]()
        self.all_done = asyncio.Event()
        events = server.window.session.events
        self._listening = [events.on(kind, lambda _: self._look()) for kind in (DocumentOpened, DocumentChanged)]

    def close(self) -> None:
        for end in self._listening:
            end()

    async def outcome(self, answer: lsp.ApplyWorkspaceEditResult) -> ApplyOutcome:
        """What came of it, as the client says and as the documents are; a person is told where these differ."""
        self._look()
        if answer.applied:
            try:
                async with asyncio.timeout(SEEN_S):
                    await self.all_done.wait()
            except TimeoutError:
                self._look()
        left = [uri for uri in self._wanted if uri not in self._done]
        if not left:
            return ApplyOutcome(True)
        same = [uri for uri in left if self._now(uri) == self._before[uri]]
        if not answer.applied and len(same) == len(self._wanted):
            reason = answer.failure_reason or "the editor did not apply it"
            self._server.window.report.caution(f"The edit was not made: {reason}")
            return ApplyOutcome(False, reason)
        reason = self._in_words(left, same, answer)
        self._server.window.report.caution(reason)
        return ApplyOutcome(False, reason)

    def _in_words(self, left: list[str], same: list[str], answer: lsp.ApplyWorkspaceEditResult) -> str:
        locate = self._server.window.roots.locate
        if len(same) == len(self._wanted):
            return "The editor says that it applied the edit, but nothing has changed."
        said = "says that it applied the edit" if answer.applied else "did not apply the edit"
        listed = [f"{locate(uri)[1]} is {'as before' if uri in same else 'not as it should be'}" for uri in left]
        done = [f"{locate(uri)[1]} is changed" for uri in self._wanted if uri in self._done]
        return f"The editor {said}, but {'; '.join([*done, *listed])}. Undo what was changed, or make the rest by hand."

    def _look(self) -> None:
        for uri, wanted in self._wanted.items():
            now = self._now(uri)
            if now == wanted or (self._moved_on and now != self._before[uri]):
                self._done.add(uri)
        if len(self._done) == len(self._wanted):
            self.all_done.set()

    def _now(self, uri: str) -> Any:
        session = self._server.window.session
        snapshot = session.suggestions.document(uri, self._offer.request.uri)
        return None if snapshot is None else _lines(snapshot.lines)


def _lines(lines: Any) -> tuple[str, ...]:
    """Without empty last lines: editors add the last line's end, or leave it out, as they are told to."""
    found = list(lines)
    while found and not found[-1]:
        found.pop()
    return tuple(found)
