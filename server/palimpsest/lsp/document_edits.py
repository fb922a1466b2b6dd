"""One edit of one open document, made by the editor.

In: a document as the editor has it, an edit.  Out: nothing, or why it was not made.  What becomes of the document is
seen as any other change of it.
"""

import asyncio

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.errors import PalimpsestError
from palimpsest.lsp.edits import workspace_edit
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Snapshot

ANSWER_S = 10.0
LOOKED_AT_S = 0.05


async def make(
    server: PalimpsestServer, snapshot: Snapshot, edit: lsp.TextEdit, label: str | None, wanted: str | None = None
) -> None:
    """`wanted`: the text behind it, by which an editor that never answers is seen to have made it.  Raises
    PalimpsestError."""
    whole = workspace_edit(server.window.client, [(snapshot.uri, snapshot.version, [edit])])
    asked = asyncio.ensure_future(applied(server, lsp.ApplyWorkspaceEditParams(whole, label)))
    if not await _answered(server, asked, snapshot.uri, wanted):
        return
    answer = asked.result()
    if not answer.applied:
        raise PalimpsestError(f"{answer.failure_reason or 'it did not say why'}.")


async def applied(server: PalimpsestServer, params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
    """What the editor says to `workspace/applyEdit`, also where that is an error."""
    try:
        return await server.workspace_apply_edit_async(params)
    except JsonRpcException as error:
        return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason=why_not_made(error))


def why_not_made(error: JsonRpcException) -> str:
    """For a person, where the editor answers `workspace/applyEdit` with an error."""
    if error.code == lsp.ErrorCodes.MethodNotFound.value:
        return "your editor makes no edits that a server asks for (`workspace/applyEdit`)"
    return str(error)


async def _answered(
    server: PalimpsestServer, asked: asyncio.Future[lsp.ApplyWorkspaceEditResult], uri: str, wanted: str | None
) -> bool:
    """False where the document is seen to be as it should instead."""
    documents = server.window.session.documents
    try:
        async with asyncio.timeout(ANSWER_S):
            while not asked.done():
                await asyncio.wait({asked}, timeout=LOOKED_AT_S)
                now = documents.find(uri)
                if not asked.done() and wanted is not None and now is not None and now.text == wanted:
                    return False
    except TimeoutError:
        raise PalimpsestError("it did not answer.") from None
    finally:
        if not asked.done():
            asked.cancel()
    return True
