"""What operations need from outside: a person's consent, an engine, the workspace's documents.

Out: a protocol, which a window's tools implement (`conversations/toolset.py`).  Every method's first
argument is the conversation that calls; whatever cannot be done is raised as an error of `errors.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from palimpsest.conversations.host import WrittenFile


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation answers.  `text` is what a descriptor would hold, if not the XML."""

    xml: str
    fields: dict[str, Any] = field(default_factory=dict)
    text: str = ""


class ToolHost(Protocol):
    async def write_file(
        self, conversation_id: str, path: str, text: str, mode: str, insert_at_line: int | None, overwrite: bool
    ) -> WrittenFile:
        """Through the editor where the file is open there, else to the disk, once the person has allowed it."""

    async def summarize(self, conversation_id: str, fd: str) -> str:
        """What the model says that a descriptor is, kept with it.  Raises EngineError where it cannot be asked."""
        ...

    async def summary(self, conversation_id: str, fd: str) -> str:
        """The same, "" where it cannot be asked or is not to be."""
        ...

    async def agrees(self, conversation_id: str, question: str, yes: str, no: str) -> bool:
        """Whether the person says yes; not where nobody can be asked."""

    async def fork(self, conversation_id: str, tasks: Sequence[str]) -> Answer: ...

    async def spawn(
        self,
        conversation_id: str,
        task: str,
        instruction: str,
        preload_fds: Sequence[str],
        preload_files: Sequence[str],
        preload_temp_files: Sequence[str],
        *,
        fresh: bool,
        behind_all: bool,
    ) -> Answer: ...

    async def gather(self, conversation_id: str, include_history: bool) -> Answer: ...

    def cancel(self, conversation_id: str) -> int:
        """Stop the children that are at work; how many there were."""
        ...

    async def read_document(self, conversation_id: str, document: str, heading: str) -> Answer: ...

    async def find_documents(self, conversation_id: str, query: str, limit: int | None) -> Answer: ...

    async def find_excerpts(self, conversation_id: str, query: str, limit: int | None) -> Answer: ...
