"""Code actions: edits by the model, asked for when one is chosen (`codeAction/resolve` fills `edit`).

In: a range, diagnostics.  Out: actions; a resolved one has a versioned `WorkspaceEdit`.  Where a client cannot
resolve, the action carries a command that applies the edit.  An editor that asks by itself wherever the cursor goes,
to show a sign (VS Code's bulb), is told only of what was asked for or is wrong: a selection, diagnostics, hints.
"""

from typing import Any

from lsprotocol import types as lsp

from palimpsest.edits.feature import QUICKFIX, REWRITE, SOURCE
from palimpsest.edits.lsp.applying import apply_soon
from palimpsest.edits.lsp.suggestions import ACCEPT, APPLIED, APPLY, Suggest, best_of, edit_of, suggested
from palimpsest.edits.suggestions.proposals import OfferedProposal
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.action_kinds import is_asked
from palimpsest.lsp.arguments import read
from palimpsest.lsp.convert import TOP, position_in
from palimpsest.lsp.diagnostics import OWN, tell_seen
from palimpsest.lsp.edits import asks_first, title_of
from palimpsest.lsp.progress import progress
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.window.events import CursorMoved


async def code_action(server: PalimpsestServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    window, session = server.window, server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None or not window.roots.may_edit(snapshot.uri):
        return []
    if session.services.why_off(snapshot, "suggestion"):
        return []
    if not any(is_asked(params.context.only, kind) for kind in (REWRITE, QUICKFIX, SOURCE)):
        return []  # as for what is made on save: nobody has gone to where it asks about
    lines = range(params.range.start.line, params.range.end.line + 1)
    tell_seen(window, snapshot.uri, lines, params.context.diagnostics)
    by_itself = params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    position = position_in(snapshot, params.range.start, window.client.encoding)
    if by_itself and params.range.start == params.range.end and not params.context.diagnostics:
        session.events.emit(CursorMoved(snapshot.uri, position, said=True))
        return []
    try:
        view = session.context.view(snapshot, position)
    except InvalidArgument:
        return []
    session.events.emit(CursorMoved(snapshot.uri, view.position, said=True))
    name = view.editing.name
    found: list[lsp.CodeAction] = []
    if is_asked(params.context.only, REWRITE) and params.range.start != params.range.end:
        title = f"Palimpsest: improve the selected lines of {name}"
        found.append(_action(server, title, REWRITE, params, "", selection=True))
    if is_asked(params.context.only, REWRITE) and not by_itself:
        found.append(_action(server, f"Palimpsest: improve {name}", REWRITE, params, ""))
    if is_asked(params.context.only, QUICKFIX):
        found += [
            _action(server, f"Palimpsest: fix “{d.message}”", QUICKFIX, params, f"Fix: {d.message}", [d])
            for d in params.context.diagnostics
            if d.source != OWN
        ]
    if params.context.only and is_asked(params.context.only, SOURCE):
        whole = lsp.CodeActionParams(params.text_document, TOP, params.context)
        found.append(_action(server, "Palimpsest: look over the file's own statements", SOURCE, whole, ""))
    return found


def register(server: PalimpsestServer) -> None:
    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        if action.command is not None or action.edit is not None:  # nothing is missing
            return action
        asked = read("data", Suggest, action.data)
        async with progress(server, action.title) as outcome:
            offer = best_of(server, await suggested(server, asked))
            if offer is not None:
                outcome.message = offer.proposal.summary
                _fill_in(server, action, offer)
        return action


def _fill_in(server: PalimpsestServer, action: lsp.CodeAction, offer: OfferedProposal) -> None:
    """The edit itself; where a person is asked first, what asks and then has the client apply it."""
    window, identity = server.window, offer.proposal.id
    action.title = title_of(offer.proposal.summary) if offer.proposal.summary else action.title
    asks = asks_first(offer, window.settings.suggestion.confirm)
    if not asks:
        action.edit = edit_of(server, offer)
    if window.client.resolves_command:
        command = ACCEPT if asks else APPLIED
        action.command = lsp.Command(title=action.title, command=command, arguments=[{"id": identity}])
    elif asks:
        apply_soon(server, identity)


def _action(
    server: PalimpsestServer,
    title: str,
    kind: str,
    params: lsp.CodeActionParams,
    instruction: str,
    diagnostics: list[lsp.Diagnostic] | None = None,
    *,
    selection: bool = False,
) -> lsp.CodeAction:
    where: dict[str, Any] = converter().unstructure(params.range)
    data = {"uri": params.text_document.uri, "position": where["start"], "instruction": instruction}
    if selection:
        data["range"] = where
    client = server.window.client
    return lsp.CodeAction(
        title=title,
        kind=kind,
        diagnostics=diagnostics,
        data=data,
        tags=[lsp.CodeActionTag.LlmGenerated] if client.tags else None,
        command=None if client.resolves_edit else lsp.Command(title=title, command=APPLY, arguments=[data]),
    )
