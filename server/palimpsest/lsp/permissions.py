"""`palimpsest.permissions.*`: what the person has allowed or refused for good, shown and forgotten.

In: a folder, what was asked.  Out: fields.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.lsp.arguments import Nothing
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


@dataclass(frozen=True, slots=True)
class Forget:
    """`what`: `write`, `add` or `overwrite`, and behind it the part of a path that begins with a dot."""

    folder: str
    what: str


async def listed(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    permissions = server.window.session.conversing.memory.permissions
    found = await asyncio.to_thread(lambda: [(folder, permissions.list(folder)) for folder in permissions.folders()])
    return {
        "permissions": [
            {"folder": folder, "what": what, "allowed": allowed}
            for folder, answers in found
            for what, allowed in answers.items()
        ]
    }


async def forget(server: PalimpsestServer, asked: Forget) -> dict[str, Any]:
    permissions = server.window.session.conversing.memory.permissions
    await asyncio.to_thread(permissions.forget, asked.folder, asked.what)
    return {"forgotten": asked.what}


COMMANDS = (
    Command(
        "palimpsest.permissions.list",
        Nothing,
        listed,
        "what you have allowed or refused the model for good, in the workspace's folders: writing new files, adding to "
        "one, and replacing what is in one",
    ),
    Command("palimpsest.permissions.forget", Forget, forget, "has the model ask you again"),
)
