"""`palimpsest.temp_file.*`: texts that a conversation and its forks share.

In: a conversation, texts, ids.  Out: fields.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.conversations.refs.results import time_written
from palimpsest.lsp.arguments import Conversation
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.conversations.temp_files import TempFile, TempFiles
    from palimpsest.lsp.server import PalimpsestServer


@dataclass(frozen=True, slots=True)
class ToShare:
    conversation: str
    content: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    conversation: str
    temp_file_id: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    conversation: str
    temp_file_id: str
    content: str
    append: bool = False


def _owner(server: PalimpsestServer, conversation: str) -> TempFiles:
    memory = server.window.session.memory.now()
    memory.conversations.get(conversation)
    return memory.temp_files


def _fields(one: TempFile) -> dict[str, Any]:
    return {"temp_file_id": one.id, "created": time_written(one.created)}


async def create(server: PalimpsestServer, asked: ToShare) -> dict[str, Any]:
    owner = _owner(server, asked.conversation)
    return _fields(await asyncio.to_thread(owner.create, asked.conversation, asked.content, asked.name))


async def read(server: PalimpsestServer, asked: Shared) -> dict[str, Any]:
    owner = _owner(server, asked.conversation)
    return {
        "temp_file_id": asked.temp_file_id,
        "content": await asyncio.to_thread(owner.read, asked.conversation, asked.temp_file_id),
    }


async def write(server: PalimpsestServer, asked: Rewritten) -> dict[str, Any]:
    owner, about = _owner(server, asked.conversation), (asked.conversation, asked.temp_file_id)
    chars = await asyncio.to_thread(owner.write, *about, asked.content, append=asked.append)
    return {"temp_file_id": asked.temp_file_id, "chars": chars}


async def listed(server: PalimpsestServer, asked: Conversation) -> dict[str, Any]:
    owner = _owner(server, asked.conversation)
    found = await asyncio.to_thread(owner.list, asked.conversation)
    return {"temp_files": [_fields(one) for one in found]}


async def delete(server: PalimpsestServer, asked: Shared) -> dict[str, Any]:
    owner = _owner(server, asked.conversation)
    await asyncio.to_thread(owner.delete, asked.conversation, asked.temp_file_id)
    return {"deleted": asked.temp_file_id}


COMMANDS = (
    Command("palimpsest.temp_file.create", ToShare, create, "a text that a conversation and its forks can read"),
    Command("palimpsest.temp_file.read", Shared, read, "the text of a temporary file"),
    Command("palimpsest.temp_file.write", Rewritten, write, "another text for a temporary file, or more of it"),
    Command("palimpsest.temp_file.list", Conversation, listed, "the temporary files of a conversation and its forks"),
    Command("palimpsest.temp_file.delete", Shared, delete, "deletes a temporary file"),
)
