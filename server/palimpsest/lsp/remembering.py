"""What conversations remember: shown, added to, forgotten.

In: a conversation, a sentence.  Out: its experiences, and the summary that stands for its earlier turns.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.lsp.arguments import Conversation
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.memory.owners.memory import Memory


@dataclass(frozen=True, slots=True)
class Remember:
    conversation: str
    text: str


@dataclass(frozen=True, slots=True)
class Forget:
    conversation: str
    experience_id: str


@dataclass(frozen=True, slots=True)
class MemoryKey:
    conversation: str
    memory_key: str


async def inspect(server: PalimpsestServer, asked: Conversation) -> dict[str, Any]:
    return await asyncio.to_thread(_inspected, server.window.session.memory.now(), asked.conversation)


async def remember(server: PalimpsestServer, asked: Remember) -> dict[str, Any]:
    memory = server.window.session.memory.now()
    key = memory.conversations.get(asked.conversation).memory_key
    kept = await asyncio.to_thread(memory.experiences.remember, key, asked.text)
    return {"id": kept.id, "text": kept.text}


async def forget(server: PalimpsestServer, asked: Forget) -> dict[str, Any]:
    memory = server.window.session.memory.now()
    key = memory.conversations.get(asked.conversation).memory_key
    gone = await asyncio.to_thread(memory.experiences.forget, key, asked.experience_id)
    return {"forgotten": gone.id}


async def set_memory_key(server: PalimpsestServer, asked: MemoryKey) -> dict[str, Any]:
    session = server.window.session
    memory = session.memory.now()
    session.conversing.check_idle(asked.conversation)
    await asyncio.to_thread(memory.conversations.set_memory_key, asked.conversation, asked.memory_key)
    return await asyncio.to_thread(_inspected, memory, asked.conversation)


def _inspected(memory: Memory, conversation: str) -> dict[str, Any]:
    talk = memory.conversations.get(conversation)
    current = memory.compactions.current(conversation)
    return {
        "memory_key": talk.memory_key,
        "memory_keys": memory.experiences.keys(),
        "experiences": [{"id": one.id, "text": one.text} for one in memory.experiences.list(talk.memory_key)],
        "summary": None if current is None else asdict(current.summary),
        "messages": len(memory.turns.branch(conversation)),
        "has_pending_compaction": memory.compactions.pending(conversation) is not None,
    }


COMMANDS = (
    Command("palimpsest.conversation.inspect", Conversation, inspect, "what a conversation knows of earlier ones"),
    Command(
        "palimpsest.conversation.remember",
        Remember,
        remember,
        "keeps a sentence for later conversations, too",
        changes=True,
    ),
    Command("palimpsest.conversation.forget", Forget, forget, "takes a sentence away that was kept", changes=True),
    Command(
        "palimpsest.conversation.memory",
        MemoryKey,
        set_memory_key,
        "gives a conversation what is remembered under another key; conversations have `main` unless told otherwise",
        changes=True,
    ),
)
