"""What conversations remember: shown, added to, forgotten.

In: a conversation, a sentence.  Out: its experiences, and the summary that stands for its earlier turns.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.conversations.tools.memory_tools import forgotten, inspected, remembered
from palimpsest.conversations.tools.tool import Answer
from palimpsest.lsp.arguments import Conversation
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.conversations.memory import Memory
    from palimpsest.lsp.server import PalimpsestServer


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
    return _answer(
        remembered(await memory.writes.run(memory.experiences.remember, key, asked.text, asked.conversation))
    )


async def forget(server: PalimpsestServer, asked: Forget) -> dict[str, Any]:
    memory = server.window.session.memory.now()
    key = memory.conversations.get(asked.conversation).memory_key
    gone = await memory.writes.run(memory.experiences.forget, key, asked.experience_id, asked.conversation)
    return _answer(forgotten(gone))


async def set_memory_key(server: PalimpsestServer, asked: MemoryKey) -> dict[str, Any]:
    session = server.window.session
    memory = session.memory.now()
    await session.conversing.check_idle(asked.conversation)
    await memory.writes.run(memory.conversations.set_memory_key, asked.conversation, asked.memory_key)
    return await asyncio.to_thread(_inspected, memory, asked.conversation)


def _inspected(memory: Memory, conversation: str) -> dict[str, Any]:
    key, turns = memory.conversations.get(conversation).memory_key, memory.turns.branch(conversation)
    known, current = memory.experiences.list(key, conversation), memory.compactions.current(conversation)
    answer = inspected(key, len(turns), known, current, memory.compactions.pending(conversation))
    return {**_answer(answer), "memory_keys": memory.experiences.keys()}


def _answer(answer: Answer) -> dict[str, Any]:
    return {**answer.fields, "xml": answer.xml}


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
