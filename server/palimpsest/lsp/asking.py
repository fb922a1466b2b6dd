"""Questions to the person.

In: a question, what can be answered.  Out: the answer; of a client that cannot ask, none.
"""

import logging
from collections.abc import Sequence

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.errors import Denied
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.previews import without_links

logger = logging.getLogger(__name__)

NO = "No"


async def chosen(server: PalimpsestServer, question: str, answers: Sequence[str], *, cannot: str = "") -> str | None:
    """None where the question was closed, or could not be asked; with `cannot`, Denied is raised then."""
    params = lsp.ShowMessageRequestParams(
        type=lsp.MessageType.Info,
        message=without_links(question),
        actions=[lsp.MessageActionItem(one) for one in answers],
    )
    try:
        answer = await server.window_show_message_request_async(params)
    except JsonRpcException as error:
        logger.warning("the client did not ask the person: %s", error)
        if cannot:
            raise Denied(cannot) from error
        return None
    return None if answer is None else answer.title


async def confirmed(server: PalimpsestServer, question: str, yes: str) -> bool:
    return await chosen(server, question, (yes, NO)) == yes
