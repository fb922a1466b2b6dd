"""What a window has of conversations, put together: their memory, who holds them and runs their tools.

In: the window's services and documents, a host who asks the person and writes files.  Out: owners, by name.  Windows on
the same folders share the database of the memory, and so does whoever else works there.
"""

import asyncio
import threading
from dataclasses import dataclass
from pathlib import Path

from palimpsest.conversations.conversing import Conversing
from palimpsest.conversations.database_path import path_of
from palimpsest.conversations.documents.document_tools import DocumentTools
from palimpsest.conversations.documents.referring import Referring
from palimpsest.conversations.events import MemorySetAside
from palimpsest.conversations.forking import Forking, ForkTools
from palimpsest.conversations.host import Host
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.toolset import Toolset
from palimpsest.window.events import SettingsChanged
from palimpsest.window.services import Services
from palimpsest.window.workspace_documents import WorkspaceDocuments


class WindowMemory:
    """Opens the memory of the window's folders when it is asked for, and closes it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._open: tuple[Path, Memory] | None = None
        services.events.on(SettingsChanged, lambda _: self._changed())

    def now(self) -> Memory:
        """Raises StorageError."""
        with self._lock:
            if self._open is None:
                path = path_of(self._services.roots.folders)
                self._open = path, Memory.open(path)
                if (aside := self._open[1].database.set_aside) is not None:
                    self._services.events.emit(MemorySetAside(aside))
            return self._open[1]

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open[1].close()
                self._open = None

    def _changed(self) -> None:
        """Other folders are another workspace.  The end of what is being written is not waited for here."""
        with self._lock:
            if self._open is not None and self._open[0] != path_of(self._services.roots.folders):
                asyncio.get_running_loop().run_in_executor(None, self._open[1].close)
                self._open = None


@dataclass(frozen=True, slots=True)
class WindowConversations:
    """One window's, for as long as it lives."""

    memory: WindowMemory
    document_tools: DocumentTools
    conversing: Conversing
    forking: Forking
    toolset: Toolset
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
    return WindowConversations(memory, document_tools, conversing, toolset.forks.forking, toolset, host)
