"""`palimpsest/conversation`: a conversation is not as it was, for what an editor shows beside its document.

In: what happens in conversations (`conversations/events.py`).  Out: `{conversation, answering}`; what is
there now is asked by the commands, as far as it is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palimpsest.conversations.events import BranchChanged, CallDone, ConversationChanged, TurnBegan, TurnEnded

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.session.session import Session

METHOD = "palimpsest/conversation"


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda session: _tell(server, session))


def _tell(server: PalimpsestServer, session: Session) -> None:
    def tell(event: Any) -> None:
        answering = session.conversing.is_running(event.conversation)
        server.protocol.notify(METHOD, {"conversation": event.conversation, "answering": answering})

    for kind in (TurnBegan, CallDone, TurnEnded, BranchChanged, ConversationChanged):
        session.events.on(kind, tell)
