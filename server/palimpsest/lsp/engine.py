"""`palimpsest.cache.*`, `palimpsest.restartEngine`: the engine itself.

Out: what it says of its cache.
"""

from typing import Any

from palimpsest.lsp import answers
from palimpsest.lsp.arguments import Nothing
from palimpsest.lsp.command import Commands
from palimpsest.lsp.server import PalimpsestServer

COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.cache.map", "which block is at which positions, what is free, tokens decoded and reused so far"
)
async def cache_map(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    session = server.window.session
    return answers.cache_map(await session.engine.cache_map(), session.usage)


@COMMANDS.add("palimpsest.cache.reset", "forgets this window's cache")
async def cache_reset(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    await server.window.session.engine.reset_cache()
    return {}


@COMMANDS.add("palimpsest.restartEngine", "starts the engine anew, also one that hangs or was given up")
async def restart(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    server.window.report.forget_troubles()
    await server.window.session.engine.restart()
    return {}
