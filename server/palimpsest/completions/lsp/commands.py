"""`palimpsest.completion.accepted`: what an editor runs behind an accepted completion, as the item's own command; and
`palimpsest.completion.why`: what becomes of a model's answer at a cursor before it is shown, step by step.

In: the completion's id; a cursor.  Out: it is counted, and the imports that its names lack are added by the editor;
what each step of `completions/steps.py` has cut or dropped, and why.
"""

import logging
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.lsp.arguments import At, Id
from palimpsest.lsp.command import Commands
from palimpsest.lsp.context import place_of
from palimpsest.lsp.document_edits import why_not_made
from palimpsest.lsp.edits import proposal_edit, title_of
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Proposal

logger = logging.getLogger(__name__)

ACCEPTED = "palimpsest.completion.accepted"


COMMANDS = Commands()


@COMMANDS.add(
    ACCEPTED, "what an item runs behind its acceptance: it is counted, and the imports that it lacks are added"
)
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


@dataclass(frozen=True, slots=True)
class CompletionAt:
    """Without a document, where the cursor was last.  `invoked`: as if a person asks for it, not types."""

    uri: str = ""
    position: At | None = None
    invoked: bool = False


@COMMANDS.add(
    "palimpsest.completion.why",
    "what is shown as a completion there, or at the cursor, and what each step has cut or dropped of the model's "
    "answer, and why",
)
async def why(server: PalimpsestServer, at: CompletionAt) -> dict[str, Any]:
    place = place_of(server, at.uri, at.position)
    return (await server.window.session.completions.explain(*place, invoked=at.invoked)).data
