"""One editor window's work: its owners, by name.

In: what an editor says, as events (`assist/shared/events.py`).  Out: whoever is asked for something: completions,
suggestions, next edits, commit messages.  `building.py` puts it together.  Knows no LSP, no token, no prompt format
and no cache.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from palimpsest.assist.completions.completions import Completions
from palimpsest.assist.conversations.conversing import Conversing
from palimpsest.assist.conversations.counting import Counting
from palimpsest.assist.conversations.fork_tools import ForkTools
from palimpsest.assist.conversations.forking import Forking
from palimpsest.assist.documents.document_tools import DocumentTools
from palimpsest.assist.documents.workspace_documents import WorkspaceDocuments
from palimpsest.assist.next_edits.next_edits import NextEdits
from palimpsest.assist.shared.events import Events, WindowClosing
from palimpsest.assist.shared.services import Services
from palimpsest.assist.shared.statistics import Statistics
from palimpsest.assist.shared.usage import Usage
from palimpsest.assist.suggestions.proactive import Proactive
from palimpsest.assist.suggestions.suggestions import Suggestions
from palimpsest.assist.summaries.summaries import Summaries
from palimpsest.session.context import WindowContext
from palimpsest.session.cursor import Cursor
from palimpsest.session.engine_control import EngineControl
from palimpsest.session.feedback import Feedback
from palimpsest.session.window_memory import WindowMemory
from palimpsest.text.documents import Documents


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
    proactive: Proactive
    next_edits: NextEdits
    summaries: Summaries
    memory: WindowMemory
    conversing: Conversing
    counting: Counting
    forking: Forking
    fork_tools: ForkTools
    feedback: Feedback
    engine: EngineControl
    workspace_documents: WorkspaceDocuments
    document_tools: DocumentTools

    async def aclose(self) -> None:
        self.events.tell(WindowClosing())
        await asyncio.to_thread(self.statistics.close)
        self.services.chooser.close()
        await self.engine.leave()
        await self.conversing.ended()
        await self.forking.ended()
        await asyncio.to_thread(self.memory.close)
