"""Code actions: edits by the model, asked for when one is chosen (`codeAction/resolve` fills `edit`).

In: a range, diagnostics.  Out: actions; a resolved one has a versioned `WorkspaceEdit`.  Where a client cannot
resolve, the action carries a command that applies the edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.lsp.arguments import Arguments
from palimpsest.lsp.convert import position_in, workspace_edit
from palimpsest.lsp.progress import progress
from palimpsest.lsp.protocol import response_error

if TYPE_CHECKING:
    from palimpsest.assist.suggesting import Suggested
    from palimpsest.lsp.server import PalimpsestServer

REWRITE = "refactor.rewrite.palimpsest"
QUICKFIX = "quickfix.palimpsest"
SOURCE = "source.palimpsest"
KINDS = (REWRITE, QUICKFIX, SOURCE)
APPLY = "palimpsest.suggest.apply"
"""The command of an action for clients that cannot resolve: {uri, position, instruction?}."""


def register(server: PalimpsestServer) -> None:
    window = server.window
    options = lsp.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=True)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        session = window.session
        snapshot = session.documents.find(params.text_document.uri)
        if snapshot is None or not session.settings.suggestion.enabled or not session.roots.may_edit(snapshot.uri):
            return []
        try:
            view = session.view(snapshot, position_in(snapshot, params.range.start, window.client.encoding))
        except InvalidArgument:
            return []
        session.cursor_at(snapshot.uri, view.position)
        name = view.editing.name
        found: list[lsp.CodeAction] = []
        if _asked(params.context.only, REWRITE):
            found.append(_action(server, f"Palimpsest: improve {name}", REWRITE, params, ""))
        if _asked(params.context.only, QUICKFIX):
            found += [
                _action(server, f"Palimpsest: fix “{d.message}”", QUICKFIX, params, f"Fix: {d.message}", [d])
                for d in params.context.diagnostics
            ]
        if params.context.only and _asked(params.context.only, SOURCE):
            whole = lsp.CodeActionParams(params.text_document, _top(), params.context)
            found.append(_action(server, "Palimpsest: look over the file's own statements", SOURCE, whole, ""))
        return found

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        try:
            arguments = Arguments("data", action.data)
            async with progress(server, action.title):
                action.edit = await _edit_for(server, arguments)
        except PalimpsestError as error:
            raise response_error(error) from error
        return action


async def _edit_for(server: PalimpsestServer, arguments: Arguments) -> lsp.WorkspaceEdit | None:
    """The best suggestion as an edit; none, with a message that says why, when there is nothing to apply."""
    suggested = await suggest(server, arguments, n=server.window.session.settings.suggestion.n)
    window = server.window
    best = next(iter(suggested.reading.suggestions), None)
    if best is None:
        window.report.tell(reason_for_nothing(suggested))
        return None
    snapshot = window.session.documents.get(best.uri)
    return workspace_edit(snapshot, best.edits, window.client.encoding, versioned=window.client.versioned_edits)


async def suggest(server: PalimpsestServer, arguments: Arguments, *, n: int) -> Suggested:
    """Run a suggestion for `{uri, position, instruction?}`.  Raises PalimpsestError."""
    window = server.window
    session = window.session
    uri = arguments.string("uri")
    session.roots.check_edit(uri)
    snapshot = session.documents.get(uri)
    position = position_in(snapshot, arguments.position("position"), window.client.encoding)
    return await session.suggest(uri, position, instruction=arguments.string("instruction", ""), n=n)


async def apply(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    """Suggest and have the client apply it, for clients that cannot resolve an action."""
    edit = await _edit_for(server, arguments)
    if edit is None:
        return {"applied": False}
    answer = await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit=edit, label="Palimpsest"))
    return {"applied": answer.applied}


def reason_for_nothing(suggested: Suggested) -> str:
    refused = suggested.reading.refused
    return f"no edit: {refused[0].reason}" if refused else "nothing to suggest here"


def _asked(only: Sequence[lsp.CodeActionKind | str] | None, kind: str) -> bool:
    """LSP: a kind in `only` stands for its sub-kinds, too."""
    if not only:
        return True
    names = [str(k.value if isinstance(k, lsp.CodeActionKind) else k) for k in only]
    return any(name == "" or kind == name or kind.startswith(name + ".") for name in names)


def _top() -> lsp.Range:
    return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def _action(
    server: PalimpsestServer,
    title: str,
    kind: str,
    params: lsp.CodeActionParams,
    instruction: str,
    diagnostics: list[lsp.Diagnostic] | None = None,
) -> lsp.CodeAction:
    start = params.range.start
    data = {
        "uri": params.text_document.uri,
        "position": {"line": start.line, "character": start.character},
        "instruction": instruction,
    }
    client = server.window.client
    return lsp.CodeAction(
        title=title,
        kind=kind,
        diagnostics=diagnostics,
        data=data,
        tags=[lsp.CodeActionTag.LlmGenerated] if client.tags else None,
        command=None if client.resolves_edit else lsp.Command(title=title, command=APPLY, arguments=[data]),
    )
