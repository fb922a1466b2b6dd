"""`palimpsest.fork.*` and `palimpsest.checkpoint.*`: children of a conversation, and states to go back to.

In: a conversation, tasks, ids.  Out: fields, and XML as a model reads it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.conversations.events import BranchChanged, ConversationChanged
from palimpsest.conversations.tools.checkpoint_tools import every, gone_back, made
from palimpsest.conversations.tools.tool import Answer
from palimpsest.lsp.arguments import Conversation
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


@dataclass(frozen=True, slots=True)
class Spawn:
    """`fresh`: the child does not see the conversation."""

    conversation: str
    task: str
    instruction: str = ""
    preload_fds: tuple[str, ...] = ()
    preload_files: tuple[str, ...] = ()
    preload_temp_files: tuple[str, ...] = ()
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Gather:
    conversation: str
    include_history: bool = False


@dataclass(frozen=True, slots=True)
class Create:
    conversation: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Restore:
    conversation: str
    checkpoint_id: str


async def spawn(server: PalimpsestServer, asked: Spawn) -> dict[str, Any]:
    session = server.window.session
    answer = await session.fork_tools.spawn(
        asked.conversation,
        asked.task,
        asked.instruction,
        asked.preload_fds,
        asked.preload_files,
        asked.preload_temp_files,
        fresh=asked.fresh,
        behind_all=True,
    )
    return _answer(answer)


async def gather(server: PalimpsestServer, asked: Gather) -> dict[str, Any]:
    answer = await server.window.session.fork_tools.gather(asked.conversation, asked.include_history)
    return _answer(answer)


async def cancel(server: PalimpsestServer, asked: Conversation) -> dict[str, Any]:
    return {"cancelled": server.window.session.forking.cancel(asked.conversation)}


async def create(server: PalimpsestServer, asked: Create) -> dict[str, Any]:
    memory = server.window.session.memory.now()
    return _answer(made(await memory.writes.run(memory.checkpoints.create, asked.conversation, asked.name)))


async def list_checkpoints(server: PalimpsestServer, asked: Conversation) -> dict[str, Any]:
    memory = server.window.session.memory.now()
    memory.conversations.get(asked.conversation)
    return _answer(every(await asyncio.to_thread(memory.checkpoints.list, asked.conversation)))


async def restore(server: PalimpsestServer, asked: Restore) -> dict[str, Any]:
    """What is there now is kept as a checkpoint first, whose id is in the answer."""
    session = server.window.session
    memory = session.memory.now()
    await session.conversing.check_idle(asked.conversation)
    before = await memory.writes.run(memory.checkpoints.restore, asked.conversation, asked.checkpoint_id)
    session.events.tell(BranchChanged(asked.conversation))
    session.events.tell(ConversationChanged(asked.conversation))
    await session.conversing.compacting.recount(asked.conversation)
    return {**_answer(gone_back(asked.checkpoint_id, before)), "restored": asked.checkpoint_id}


def _answer(answer: Answer) -> dict[str, Any]:
    return {**answer.fields, "xml": answer.xml}


COMMANDS = (
    Command(
        "palimpsest.fork.spawn",
        Spawn,
        spawn,
        "a child of a conversation begins with a task; it sees what was said up to now (not with `fresh`), and what is "
        "loaded for it",
        changes=True,
    ),
    Command(
        "palimpsest.fork.gather",
        Gather,
        gather,
        "waits for a conversation's children: each one's status and response, with `include_history` its turns",
        slow="Waiting for forks",
    ),
    Command("palimpsest.fork.cancel", Conversation, cancel, "stops a conversation's children that are at work"),
    Command(
        "palimpsest.checkpoint.create",
        Create,
        create,
        "keeps a conversation as it is now: turns, experiences, refs, descriptors, forks",
        changes=True,
    ),
    Command("palimpsest.checkpoint.list", Conversation, list_checkpoints, "a conversation's checkpoints, newest first"),
    Command(
        "palimpsest.checkpoint.restore",
        Restore,
        restore,
        "goes back to a checkpoint; what is there now becomes one (`before`), and nothing is deleted",
    ),
)
