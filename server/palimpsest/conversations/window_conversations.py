"""What a window has of conversations, put together: their memory, who holds them, counts them and runs their tools.

In: the window's services and documents, a host who asks the person and writes files.  Out: owners, by name.
"""

import asyncio
from dataclasses import dataclass

from palimpsest.conversations.conversing import Conversing
from palimpsest.conversations.counting import Counting
from palimpsest.conversations.documents.document_tools import DocumentTools
from palimpsest.conversations.documents.referring import Referring
from palimpsest.conversations.fork_tools import ForkTools
from palimpsest.conversations.forking import Forking
from palimpsest.conversations.host import Host
from palimpsest.conversations.toolset import Toolset
from palimpsest.conversations.window_memory import WindowMemory
from palimpsest.window.services import Services
from palimpsest.window.workspace_documents import WorkspaceDocuments


@dataclass(frozen=True, slots=True)
class WindowConversations:
    """One window's, for as long as it lives."""

    memory: WindowMemory
    document_tools: DocumentTools
    conversing: Conversing
    forking: Forking
    toolset: Toolset
    counting: Counting
    host: Host

    async def aclose(self) -> None:
        await self.conversing.ended()
        await self.forking.ended()
        await asyncio.to_thread(self.memory.close)


def window_conversations(services: Services, documents: WorkspaceDocuments, host: Host) -> WindowConversations:
    """Nothing is started yet."""
    memory = WindowMemory(services)
    referring = Referring(services, documents, memory.now)
    document_tools = DocumentTools(documents, referring, memory.now)

    def tools_of(conversing: Conversing) -> Toolset:
        """Some of a conversation's tools fork it, so they know who holds it."""
        forks = ForkTools(services, memory.now, Forking(services, memory.now, conversing))
        return Toolset(services, memory.now, document_tools, forks, host)

    conversing = Conversing(services, memory.now, referring, tools_of)
    toolset = conversing.tools
    assert isinstance(toolset, Toolset)
    counting = Counting(services, memory.now, conversing)
    return WindowConversations(memory, document_tools, conversing, toolset.forks.forking, toolset, counting, host)
