"""One editor window's work: its owners, by name.

In: what an editor says, as events (`window/events.py`).  Out: whoever is asked for something: completions,
suggestions, next edits, commit messages.  `building.py` puts it together.  Knows no LSP, no token, no prompt format
and no cache.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from palimpsest.completions.completions import Completions
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


class FeaturePart(Protocol):
    """What a feature that not every window uses has of one."""

    async def aclose(self) -> None: ...


P = TypeVar("P", bound=FeaturePart)


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
    feedback: Feedback
    engine: EngineControl
    workspace_documents: WorkspaceDocuments
    parts: dict[type[FeaturePart], FeaturePart] = field(default_factory=dict)

    def part(self, kind: type[P]) -> P:
        """What a feature has of this window, once it has begun."""
        part = self.parts[kind]
        assert isinstance(part, kind)
        return part

    def add(self, part: FeaturePart) -> None:
        """What a feature has begins, and ends with the window."""
        self.parts[type(part)] = part

    async def aclose(self) -> None:
        self.events.emit(WindowClosing())
        await asyncio.to_thread(self.statistics.close)
        self.services.chooser.close()
        await self.engine.leave()
        for part in self.parts.values():
            await part.aclose()
