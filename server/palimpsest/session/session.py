"""One editor window's work: its owners, by name.

In: what an editor says, as events (`window/events.py`).  Out: whoever is asked for something: completions,
suggestions, next edits, commit messages.  `building.py` puts it together.  Knows no LSP, no token, no prompt format
and no cache.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from palimpsest.completions.completions import Completions
from palimpsest.conversations.conversing import Conversing
from palimpsest.conversations.counting import Counting
from palimpsest.conversations.documents.document_tools import DocumentTools
from palimpsest.conversations.forking import Forking
from palimpsest.conversations.toolset import Toolset
from palimpsest.conversations.window_memory import WindowMemory
from palimpsest.edits.suggestions.suggestions import Suggestions
from palimpsest.edits.summaries import Summaries
from palimpsest.next_edits.next_edits import NextEdits
from palimpsest.session.context import WindowContext
from palimpsest.session.cursor import Cursor
from palimpsest.session.engine_control import EngineControl
from palimpsest.session.feedback import Feedback
from palimpsest.text.documents import Documents
from palimpsest.window.events import Events, WindowClosing
from palimpsest.window.services import Services
from palimpsest.window.statistics import Statistics
from palimpsest.window.usage import Usage
from palimpsest.window.workspace_documents import WorkspaceDocuments


@dataclass(frozen=True, slots=True)
class Session:
    """Lives on one asyncio loop; nothing here blocks it for long."""

    events: Events
    services: Services
    documents: Documents
    usage: Usage
    statistics: Statistics
    cursor: Cursor
    context: WindowContext
    completions: Completions
    suggestions: Suggestions
    next_edits: NextEdits
    summaries: Summaries
    memory: WindowMemory
    conversing: Conversing
    counting: Counting
    forking: Forking
    toolset: Toolset
    feedback: Feedback
    engine: EngineControl
    workspace_documents: WorkspaceDocuments
    document_tools: DocumentTools

    async def aclose(self) -> None:
        self.events.emit(WindowClosing())
        await asyncio.to_thread(self.statistics.close)
        self.services.chooser.close()
        await self.engine.leave()
        await self.conversing.ended()
        await self.forking.ended()
        await asyncio.to_thread(self.memory.close)
