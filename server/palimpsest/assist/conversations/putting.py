"""A conversation put to the engine: what the model reads of it, behind which blocks.

In: a conversation, where the cursor is.  Out: requests.  Sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.assist.conversations.calling import Tools
from palimpsest.assist.conversations.prompts import Said, messages, system_prompt
from palimpsest.assist.shared.services import Services
from palimpsest.memory.conversations.turns import Turn
from palimpsest.memory.owners.memory import Memory
from palimpsest.text.positions import well_formed
from palimpsest.text.snapshot import Position
from palimpsest.types import Block

DOCUMENTS = "documents"
"""Where a turn keeps what the model is told of the documents that it links to: told once, it stays as it was."""

SHOWN = "shown"
"""Where a turn keeps what the model reads of a long message; the turn's own text stays whole."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the person is: the blocks there are what the model sees of the workspace."""

    uri: str
    position: Position


def tail_of(conversation: str) -> str:
    """The name of its tail in the engine."""
    return f"conversation:{conversation}"


class Putting:
    """One window's."""

    def __init__(self, services: Services, memory: Callable[[], Memory], tools: Callable[[], Tools]) -> None:
        self._services = services
        self._memory = memory
        self._tools = tools

    def request(
        self, conversation: str, blocks: Sequence[Block], *, without: int | None = None, grammar: str = ""
    ) -> wire.GenerateRequest:
        """For the next reply.  `without`: the turn that it is written into."""
        services = self._services
        options = services.settings.conversation
        return wire.GenerateRequest(
            workspace=services.workspace,
            chat=wire.ChatTail(self.prompt(conversation, without=without)),
            slot="chat",
            sync=services.requests.sync(blocks, "chat"),
            max_tokens=options.reply_tokens,
            grammar=grammar,
            sampling=wire.Sampling(temperature=options.temperature),
            tail=tail_of(conversation),
        )

    def prompt(self, conversation: str, *, without: int | None = None) -> list[wire.Message]:
        """The conversation as the model reads it; `without` a turn that is still empty."""
        system, told, said = self.parts(conversation, without=without)
        whole = "\n".join(part for part in (system, told) if part)
        return [*([wire.Message("system", whole)] if whole else []), *said]

    def parts(self, conversation: str, *, without: int | None = None) -> tuple[str, str, list[wire.Message]]:
        """The system prompt, what is said of tools behind it, and the messages."""
        memory = self._memory()
        talk, current = memory.conversations.get(conversation), memory.compactions.current(conversation)
        branch = [turn for turn in memory.turns.branch(conversation) if turn.id != without]
        if current is not None:
            at = next((i for i, turn in enumerate(branch) if turn.id == current.turn), -1)
            branch = branch[at + 1 :]
        last = next((memory.turns.text(turn) for turn in reversed(branch) if turn.role == "user"), "")
        own = self._services.settings.conversation.instruction
        system = system_prompt(memory.experiences.list(talk.memory_key), own)
        said = [self._said(turn) for turn in branch if turn.state != "failed"]
        told = self._tools().told(last)
        return well_formed(system), well_formed(told), messages(current.summary if current else None, said)

    def _said(self, turn: Turn) -> Said:
        memory = self._memory()
        results = [memory.contents.text(call.result) for call in memory.turns.calls(turn.id) if call.result]
        role: wire.Role = "user" if turn.role == "tool" else turn.role
        documents = turn.details.get(DOCUMENTS)
        shown = turn.details.get(SHOWN)
        text = shown if isinstance(shown, str) else memory.turns.text(turn)
        return Said(role, f"{text}\n\n{documents}" if isinstance(documents, str) else text, results)

    def blocks(self, cursor: Cursor | None) -> list[Block]:
        """Those at the cursor; none where there is no document, or one that no model sees."""
        services = self._services
        snapshot = None if cursor is None else services.documents.find(cursor.uri)
        if cursor is None or snapshot is None or services.privacy.why_not(snapshot):
            return []
        return services.chooser.choose(services.view(snapshot, cursor.position), fresh=True)
