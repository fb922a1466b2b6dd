"""`palimpsest.suggest` and what a person does with what it gave: apply, accept, reject, ask again, go on.

In: arguments, ids.  Out: answers with edits; an accepted one is applied by the client.  What is suggested
is decided in `edits/suggestions/`.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from lsprotocol import types as lsp

from palimpsest.config.settings import MOST_AT_ONCE
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.lsp.applying import confirm_and_apply, is_done
from palimpsest.edits.suggestions.from_replies import Suggested
from palimpsest.edits.suggestions.proposals import OfferedProposal, SuggestionRequest
from palimpsest.edits.summaries import Summarized
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.json_data import Range
from palimpsest.lsp.arguments import At, Between, Id, among
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.edits import drafts_of, heading_of, proposal_diff, proposal_edit
from palimpsest.lsp.progress import report
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.markup import attribute, escape_closing

SUGGEST = "palimpsest.suggest"
APPLY = "palimpsest.suggest.apply"
ACCEPT, REJECT = "palimpsest.suggest.accept", "palimpsest.suggest.reject"
APPLIED = "palimpsest.suggest.applied"
SLOW = "Suggesting an edit"


@dataclass(frozen=True, slots=True)
class Suggest:
    uri: str
    position: At
    range: Between | None = None
    instruction: str = ""
    n: Annotated[int, Range(1, MOST_AT_ONCE)] | None = None
    format: str = ""


@dataclass(frozen=True, slots=True)
class Accept:
    id: str
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Continue:
    id: str
    instruction: str = ""


async def suggested(server: PalimpsestServer, asked: Suggest) -> Suggested:
    """Raises PalimpsestError."""
    window = server.window
    session, options = window.session, window.settings.suggestion
    format = among("format", asked.format or options.format, FORMATS)
    lines = _lines(asked.range) if asked.range is not None else None
    window.roots.check_edit(asked.uri)
    snapshot = session.documents.get(asked.uri)
    position = position_in(snapshot, asked.position.lsp, window.client.encoding)
    request = SuggestionRequest(asked.uri, position, asked.instruction, asked.n or options.n, lines, format)
    return await session.suggestions.at(request)


COMMANDS = Commands()


@COMMANDS.add(
    SUGGEST, "edits of the code at the cursor, or of the selected lines in it, checked; each with an `id`", slow=SLOW
)
async def suggest(server: PalimpsestServer, asked: Suggest) -> dict[str, Any]:
    return _answer(server, await suggested(server, asked))


@COMMANDS.add(APPLY, "the best of them, applied by the client", slow=SLOW)
async def apply(server: PalimpsestServer, asked: Suggest) -> dict[str, Any]:
    """Suggest and have the client apply the best, for clients that cannot resolve an action."""
    found = await suggested(server, asked)
    offer = best_of(server, found)
    if offer is None:
        return {"applied": False, "reason": reason_for_nothing(found)}
    return await accept(server, Accept(offer.proposal.id))


@COMMANDS.add(
    ACCEPT,
    "has the client apply a suggestion, if the lines it changes are still the same; with `confirmed`, the person "
    "has seen all of it and is not asked",
)
async def accept(server: PalimpsestServer, edit: Accept) -> dict[str, Any]:
    """Have the client apply it, if it still stands.  `confirmed`: the person has seen all of it and said yes."""
    summary = server.window.session.suggestions.offered(edit.id).proposal.summary
    outcome = await confirm_and_apply(server, edit.id, confirmed=edit.confirmed)
    found = {"id": edit.id, "applied": outcome.applied, "summary": summary}
    return found | ({"reason": outcome.reason} if outcome.reason else {})


@COMMANDS.add(APPLIED, "what an editor runs after the edit of a code action, so that it is counted")
async def applied(server: PalimpsestServer, edit: Id) -> dict[str, Any]:
    suggestions = server.window.session.suggestions
    outcome = await is_done(server, suggestions.offered(edit.id))
    if outcome.applied:
        suggestions.accepted(edit.id)
    return {"id": edit.id, "applied": outcome.applied} | ({"reason": outcome.reason} if outcome.reason else {})


@COMMANDS.add(REJECT, "rejects a suggestion: it is not offered again for that text")
async def reject(server: PalimpsestServer, edit: Id) -> dict[str, Any]:
    server.window.session.suggestions.reject(edit.id)
    return {"id": edit.id, "rejected": True}


@COMMANDS.add("palimpsest.suggest.rerun", "asks the same again; what was offered before is left out", slow=SLOW)
async def rerun(server: PalimpsestServer, edit: Id) -> dict[str, Any]:
    return _answer(server, await server.window.session.suggestions.rerun(edit.id))


@COMMANDS.add(
    "palimpsest.suggest.continue",
    "goes on from a suggestion as if it were accepted, or finishes one that was cut off: both as one edit",
    slow=SLOW,
)
async def go_on(server: PalimpsestServer, edit: Continue) -> dict[str, Any]:
    return _answer(server, await server.window.session.suggestions.go_on(edit.id, edit.instruction))


@dataclass(frozen=True, slots=True)
class Summarize:
    """`staged_first`: what is staged, or, where nothing is, what is changed."""

    uri: str = ""
    staged: bool = False
    staged_first: bool = False


@COMMANDS.add(
    "palimpsest.summarize",
    "a commit message for what is not committed in the workspace folder (of `uri`, whose text also counts unsaved) "
    "or is `staged`; with `staged_first`, for what is staged where something is",
    slow="Summarizing the change",
)
async def summarize(server: PalimpsestServer, asked: Summarize) -> dict[str, Any]:
    if asked.staged_first:
        with suppress(InvalidArgument):  # nothing is staged
            return await summarize(server, Summarize(asked.uri, staged=True))
    return summary_answer(await server.window.session.summaries.of(asked.uri, staged=asked.staged, on_summary=report))


def summary_answer(found: Summarized) -> dict[str, Any]:
    files = " ".join(found.files)
    return {
        "summary": found.summary,
        "text": found.text,
        "files": list(found.files),
        "left_out": [{"file": file, "reason": reason} for file, reason in found.left_out],
        "xml": f"<summary files={attribute(files)}>\n{escape_closing(found.text, 'summary')}</summary>",
    }


async def draft_page(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<suggestion>/<number>`: a document as that edit would leave it; behind it, what editors call it."""
    number = parts[1] if len(parts) > 1 else ""
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise NotFound("uri", "there is palimpsest:/draft/<suggestion>/<number of its document>.")
    return server.window.session.suggestions.draft(parts[0], int(number))


def best_of(server: PalimpsestServer, found: Suggested) -> OfferedProposal | None:
    """The most agreed on; none, with a message that says why, when there is nothing to apply."""
    if not found.proposals:
        server.window.report.tell(reason_for_nothing(found))
        return None
    return server.window.session.suggestions.current(found.proposals[0].id)


def edit_of(server: PalimpsestServer, offer: OfferedProposal) -> lsp.WorkspaceEdit:
    return proposal_edit(offer.proposal, offer.snapshots, server.window.client)


def reason_for_nothing(found: Suggested) -> str:
    return f"no edit: {found.refused[0].reason}" if found.refused else "nothing to suggest here"


def _answer(server: PalimpsestServer, suggested: Suggested) -> dict[str, Any]:
    client, roots = server.window.client, server.window.roots
    found = []
    for proposal in suggested.proposals:
        first = proposal.changes[0]
        found.append(
            {
                "id": proposal.id,
                "name": first.names[0],
                "uri": first.uri,
                "title": heading_of(proposal),
                "edit": converter().unstructure(proposal_edit(proposal, suggested.snapshots, client)),
                "agreement": proposal.agreement,
                "summary": proposal.summary,
                "flags": list(proposal.flags),
                "documents": [
                    {"uri": change.uri, "names": list(change.names), "open": change.is_open, "draft": draft}
                    for change, draft in zip(proposal.changes, drafts_of(proposal), strict=True)
                ],
                "diff": proposal_diff(proposal, suggested.snapshots, roots),
            }
        )
    return {
        "suggestions": found,
        "summary": suggested.summary,
        "refused": [{"name": refusal.name, "reason": refusal.reason} for refusal in suggested.refused],
        "why_not": "" if found else f"{reason_for_nothing(suggested).rstrip('.')}.",
    }


def _lines(selected: Between) -> range | None:
    """The whole lines that a selection touches; none for an empty one."""
    start, end = selected.start, selected.end
    if (end.line, end.character) < (start.line, start.character):
        raise InvalidArgument("range", "expected an end that is not before its start.")
    if start == end:
        return None
    return range(start.line, end.line + (end.character > 0 or end.line == start.line))
