"""What operations need from outside: a person's consent, an engine, the workspace's documents.

Out: values, which a window's tools give (`conversations/toolset.py`).  Every method's first argument is the
conversation that calls; whatever cannot be done is raised as an error of `errors.py`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from palimpsest.conversations.answers import Answer
from palimpsest.conversations.documents.document_tools import DocumentTools
from palimpsest.conversations.host import Host


class ForkOperations(Protocol):
    async def fork(self, conversation: str, tasks: Sequence[str]) -> Answer: ...

    async def spawn(
        self,
        conversation: str,
        task: str,
        instruction: str,
        preload_fds: Sequence[str],
        preload_files: Sequence[str],
        preload_temp_files: Sequence[str],
        *,
        fresh: bool,
        behind_all: bool,
    ) -> Answer: ...

    async def gather(self, conversation: str, include_history: bool) -> Answer: ...

    def cancel(self, conversation: str) -> int:
        """Stop the children that are at work; how many there were."""
        ...


@dataclass(frozen=True, slots=True)
class ToolHost:
    """`host`: where it asks the person and writes files.  `summarize`: has the model say what a descriptor is, kept
    with it; raises EngineError where it cannot be asked.  `summary`: the same, "" where it cannot be asked or is not
    to be."""

    host: Host
    documents: DocumentTools
    forks: ForkOperations
    summarize: Callable[[str, str], Awaitable[str]]
    summary: Callable[[str, str], Awaitable[str]]
