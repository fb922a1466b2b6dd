"""`palimpsest.suggest` and what a person does with what it gave: apply, accept, reject, ask again, go on.

In: arguments, ids.  Out: answers with edits; an accepted one is applied by the client.  What is suggested is the
session's business.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from palimpsest.config.settings import MOST_AT_ONCE
from palimpsest.edits.formats import FORMATS
from palimpsest.errors import InvalidArgument
from palimpsest.lsp import answers
from palimpsest.lsp.applying import confirm_and_apply, is_done
from palimpsest.lsp.arguments import Arguments
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.edits import proposal_edit

if TYPE_CHECKING:
    from palimpsest.assist.suggestions.suggestions import Offer, Suggested
    from palimpsest.lsp.server import PalimpsestServer

SUGGEST = "palimpsest.suggest"
APPLY = "palimpsest.suggest.apply"
"""The command of an action for clients that cannot resolve: what `palimpsest.suggest` takes."""
ACCEPT, REJECT = "palimpsest.suggest.accept", "palimpsest.suggest.reject"
APPLIED = "palimpsest.suggest.applied"
"""What an editor runs behind the edit of a resolved action, so that it is known what became of it."""
RERUN, CONTINUE = "palimpsest.suggest.rerun", "palimpsest.suggest.continue"


async def suggested(server: PalimpsestServer, arguments: Arguments) -> Suggested:
    """Run a suggestion for `{uri, position, range?, instruction?, n?, format?}`.  Raises PalimpsestError."""
    window = server.window
    session = window.session
    uri = arguments.string("uri")
    format = arguments.string("format", session.settings.suggestion.format, among=FORMATS)
    n = arguments.integer("n", session.settings.suggestion.n, low=1, high=MOST_AT_ONCE)
    lines = _lines(arguments)
    session.roots.check_edit(uri)
    snapshot = session.documents.get(uri)
    position = position_in(snapshot, arguments.position("position"), window.client.encoding)
    instruction = arguments.string("instruction", "")
    return await session.suggest(uri, position, instruction=instruction, n=n, lines=lines, format=format)


async def suggest(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    return _answer(server, await suggested(server, arguments))


async def rerun(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    return _answer(server, await server.window.session.suggestions.rerun(arguments.string("id")))


async def go_on(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    identity, instruction = arguments.string("id"), arguments.string("instruction", "")
    return _answer(server, await server.window.session.suggestions.go_on(identity, instruction))


async def accept(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    """Have the client apply it, if it still stands.  `confirmed`: the person has seen all of it and said yes."""
    identity = arguments.string("id")
    summary = server.window.session.suggestions.offered(identity).proposal.summary
    outcome = await confirm_and_apply(server, identity, confirmed=arguments.boolean("confirmed", False))
    found = {"id": identity, "applied": outcome.applied, "summary": summary}
    return found | ({"reason": outcome.reason} if outcome.reason else {})


async def applied(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    identity = arguments.string("id")
    suggestions = server.window.session.suggestions
    outcome = await is_done(server, suggestions.offered(identity))
    if outcome.applied:
        suggestions.accepted(identity)
    return {"id": identity, "applied": outcome.applied} | ({"reason": outcome.reason} if outcome.reason else {})


async def reject(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    identity = arguments.string("id")
    server.window.session.suggestions.reject(identity)
    return {"id": identity, "rejected": True}


async def apply(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    """Suggest and have the client apply the best, for clients that cannot resolve an action."""
    found = await suggested(server, arguments)
    offer = best_of(server, found)
    if offer is None:
        return {"applied": False, "reason": reason_for_nothing(found)}
    return await accept(server, Arguments(APPLY, {"id": offer.proposal.id}))


COMMANDS: dict[str, Callable[[PalimpsestServer, Arguments], Awaitable[dict[str, Any]]]] = {
    SUGGEST: suggest,
    APPLY: apply,
    RERUN: rerun,
    CONTINUE: go_on,
    ACCEPT: accept,
    APPLIED: applied,
    REJECT: reject,
}
SLOW = dict.fromkeys((SUGGEST, APPLY, RERUN, CONTINUE), "Suggesting an edit")


def best_of(server: PalimpsestServer, found: Suggested) -> Offer | None:
    """The most agreed on; none, with a message that says why, when there is nothing to apply."""
    if not found.proposals:
        server.window.report.tell(reason_for_nothing(found))
        return None
    return server.window.session.suggestions.current(found.proposals[0].id)


def edit_of(server: PalimpsestServer, offer: Offer) -> lsp.WorkspaceEdit:
    return proposal_edit(offer.proposal, offer.snapshots, server.window.client)


def reason_for_nothing(found: Suggested) -> str:
    return f"no edit: {found.refused[0].reason}" if found.refused else "nothing to suggest here"


def _answer(server: PalimpsestServer, found: Suggested) -> dict[str, Any]:
    return answers.suggestions(found, server.window.client, server.window.session.roots)


def _lines(arguments: Arguments) -> range | None:
    """The whole lines that a `range` touches; none for one that is missing or empty."""
    if arguments.raw("range") is None:
        return None
    inner = arguments.object("range")
    start, end = inner.position("start"), inner.position("end")
    if (end.line, end.character) < (start.line, start.character):
        raise InvalidArgument("range", "expected an end that is not before its start.")
    if start == end:
        return None
    return range(start.line, end.line + (end.character > 0 or end.line == start.line))
