"""The change that comes next in all its places at once: in a document as a code action, and across files.

In: what a code action is asked for, the id of a next edit.  Out: an action with its edit, which a client refuses for
another version.  Files that are not open have no version: of several files, the action has a command, for which the
places are looked up again when it is chosen, and the client is asked to let a person look at them first.
"""

from collections.abc import Sequence
from typing import Any

from lsprotocol import types as lsp

from palimpsest.edits.feature import REWRITE
from palimpsest.lsp import document_edits
from palimpsest.lsp.action_kinds import is_asked
from palimpsest.lsp.arguments import Id
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import position_in, range_out
from palimpsest.lsp.edits import workspace_edit
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.next_edits.next_edits import AllPlaces, FilePlaces

ALL = "palimpsest.nextEdit.all"
FEWEST_TOGETHER = 2
"""Places of a change that are offered together: one is offered by itself."""


async def code_action(server: PalimpsestServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """None for an editor that asks by itself, wherever the cursor goes."""
    window, session = server.window, server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    by_itself = params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    if snapshot is None or by_itself or not is_asked(params.context.only, REWRITE):
        return []
    position = position_in(snapshot, params.range.start, window.client.encoding)
    found = await session.next_edits.all_places(snapshot.uri, position)
    if found is None:
        return []
    made, title = list[lsp.CodeAction](), f"Palimpsest: {found.message}, in"
    first, n_places = found.files[0], sum(len(file.edits) for file in found.files)
    if first.snapshot is snapshot and len(first.edits) >= FEWEST_TOGETHER:
        named = f"{title} all {len(first.edits)} places of this file"
        made.append(lsp.CodeAction(title=named, kind=REWRITE, edit=_edit_of(server, [first])))
    if len(found.files) > 1:
        named = f"{title} {n_places} places of {len(found.files)} files"
        command = lsp.Command(title=named, command=ALL, arguments=[{"id": found.id}])
        made.append(lsp.CodeAction(title=named, kind=REWRITE, command=command))
    return made


def _edit_of(server: PalimpsestServer, files: Sequence[FilePlaces], annotation: str = "") -> lsp.WorkspaceEdit:
    client = server.window.client
    edits = [
        (
            file.snapshot.uri,
            file.snapshot.version if file.is_open else None,
            [lsp.TextEdit(range_out(file.snapshot, where, client.encoding), text) for where, text in file.edits],
        )
        for file in files
    ]
    return workspace_edit(client, edits, annotation)


COMMANDS = Commands()


@COMMANDS.add(
    ALL,
    "makes the change of a next edit in all its places, those of files that are not open, too, as one "
    "`workspace/applyEdit`; an editor that knows change annotations asks for confirmation first; answers "
    "`{applied, places}`",
    id_alone=True,
)
async def make_all(server: PalimpsestServer, edit: Id) -> dict[str, Any]:
    found: AllPlaces | None = await server.window.session.next_edits.all_of(edit.id)
    if found is None:
        server.window.report.caution("The places of this change are not there any more.")
        return {"applied": False, "places": 0}
    params = lsp.ApplyWorkspaceEditParams(_edit_of(server, found.files, found.message), found.message)
    answer = await document_edits.applied(server, params)
    if not answer.applied and answer.failure_reason:
        server.window.report.caution(f"The change was not made: {answer.failure_reason}")
    return {"applied": answer.applied, "places": sum(len(file.edits) for file in found.files)}
