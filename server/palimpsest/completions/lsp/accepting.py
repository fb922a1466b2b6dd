"""`palimpsest.completion.accepted`: what an editor runs behind an accepted completion, as the item's own command.

In: the completion's id.  Out: it is counted, and the imports that its names lack are added by the editor.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.lsp.arguments import Id
from palimpsest.lsp.command import Command
from palimpsest.lsp.document_edits import why_not_made
from palimpsest.lsp.edits import proposal_edit, title_of

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.text.snapshot import Snapshot
    from palimpsest.types import Proposal

logger = logging.getLogger(__name__)

ACCEPTED = "palimpsest.completion.accepted"


async def accepted(server: PalimpsestServer, completion: Id) -> dict[str, Any]:
    session = server.window.session
    session.feedback.happened("completion", "accepted", id=completion.id)
    if (needed := session.completions.names.accepted(completion.id)) is not None:
        await _add_imports(server, *needed)
    return {}


async def _add_imports(server: PalimpsestServer, proposal: Proposal, snapshot: Snapshot) -> None:
    """As one edit, which an editor refuses where the document has moved on; then they stay to be written."""
    edit = proposal_edit(proposal, {snapshot.uri: snapshot}, server.window.client)
    try:
        answer = await server.workspace_apply_edit_async(
            lsp.ApplyWorkspaceEditParams(edit=edit, label=title_of(proposal.summary))
        )
    except JsonRpcException as error:
        logger.info("no import added: %s", why_not_made(error))
    else:
        logger.debug("import added: %s", answer.applied)


COMMANDS = (
    Command(
        ACCEPTED,
        Id,
        accepted,
        "what an item runs behind its acceptance: it is counted, and the imports that it lacks are added",
    ),
)
