"""The code action that makes a change in all its places of a document at once.

In: what a code action is asked for.  Out: an action with its edit, which a client refuses for another version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.edits.feature import REWRITE
from palimpsest.lsp.action_kinds import is_asked
from palimpsest.lsp.convert import position_in, range_out
from palimpsest.lsp.edits import workspace_edit

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


async def code_action(server: PalimpsestServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """None for an editor that asks by itself, wherever the cursor goes."""
    window, session = server.window, server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    by_itself = params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    if snapshot is None or by_itself or not is_asked(params.context.only, REWRITE):
        return []
    encoding = window.client.encoding
    found = await session.next_edits.all_here(snapshot.uri, position_in(snapshot, params.range.start, encoding))
    if found is None:
        return []
    edits = [lsp.TextEdit(range_out(snapshot, where, encoding), text) for where, text in found.edits]
    edit = workspace_edit(window.client, [(snapshot.uri, snapshot.version, edits)])
    title = f"Palimpsest: {found.message}, in all {len(edits)} places of this file"
    return [lsp.CodeAction(title=title, kind=REWRITE, edit=edit)]
