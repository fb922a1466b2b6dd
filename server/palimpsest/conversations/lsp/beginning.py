"""What conversations have of a window, once somebody uses them: put together, and listened to for the editor.

In: a server and its session.  Out: `WindowConversations`, a part of the session.
"""

from palimpsest.conversations.lsp import compaction, conversation_host, transcript_lenses
from palimpsest.conversations.lsp.transcript_showing import Showing
from palimpsest.conversations.window_conversations import window_conversations
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session


def begin(server: PalimpsestServer, session: Session) -> None:
    host = conversation_host.WindowHost(server)
    session.add(window_conversations(session.services, session.workspace_documents, host))
    Showing(server, session)
    transcript_lenses.begin(server, session)
    conversation_host.begin(server, session)
    compaction.begin(session)
