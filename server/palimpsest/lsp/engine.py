"""`palimpsest.cache.*`, `palimpsest.restartEngine`: the engine itself.

Out: what it says of its cache.
"""

from typing import Any

from palimpsest.lsp import answers
from palimpsest.lsp.arguments import Nothing
from palimpsest.lsp.command import Command
from palimpsest.lsp.server import PalimpsestServer


async def cache_map(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    session = server.window.session
    return answers.cache_map(await session.engine.cache_map(), session.usage)


async def cache_reset(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    await server.window.session.engine.reset_cache()
    return {}


async def restart(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    server.window.report.forget_troubles()
    await server.window.session.engine.restart()
    return {}


COMMANDS = (
    Command(
        "palimpsest.cache.map",
        Nothing,
        cache_map,
        "which block is at which positions, what is free, tokens decoded and reused so far",
    ),
    Command("palimpsest.cache.reset", Nothing, cache_reset, "forgets this window's cache"),
    Command(
        "palimpsest.restartEngine", Nothing, restart, "starts the engine anew, also one that hangs or was given up"
    ),
)
