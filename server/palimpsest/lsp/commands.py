"""`workspace/executeCommand`: one object in, one object out, as PROTOCOL.md lists them.

In: arguments.  Out: answers, or errors that name the field.  What a command does is the session's business.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.errors import PalimpsestError
from palimpsest.lsp import answers, default_model, next_edit, statistics, suggestions, summarize
from palimpsest.lsp.arguments import Arguments, only_one
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.progress import progress
from palimpsest.lsp.protocol import response_error
from palimpsest.types import BLOCK_TYPES

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

logger = logging.getLogger(__name__)

Body = Callable[["PalimpsestServer", Arguments], Awaitable[dict[str, Any]]]


async def context_show(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    session = server.window.session
    snapshot = session.documents.get(arguments.string("uri"))
    position = position_in(snapshot, arguments.position("position"), server.window.client.encoding)
    return answers.context(await session.show(snapshot.uri, position))


async def context_put(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    session = server.window.session
    block = session.chooser.external.put(
        type=arguments.string("type", among=BLOCK_TYPES),
        name=arguments.string("name"),
        text=arguments.string("text"),
        editable=arguments.boolean("editable", False),
        uri=arguments.string("uri", "") or None,
        source=arguments.string("source", ""),
        priority=arguments.number("priority", 0.0) or 0.0,
        ttl=arguments.number("ttl", None),
    )
    session.refresh_soon()
    return {"name": block.name, "tokens": session.chooser.count(block)}


async def context_drop(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    kind = arguments.string("type", among=BLOCK_TYPES)
    session = server.window.session
    dropped = session.chooser.external.drop(kind, arguments.string("name"))
    session.refresh_soon()
    return {"dropped": dropped}


async def context_pin(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    name, tokens = server.window.session.pin(arguments.string("uri"))
    return {"name": name, "tokens": tokens}


async def context_unpin(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    name, tokens = server.window.session.unpin(arguments.string("uri"))
    return {"name": name, "tokens": tokens}


async def cache_map(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    session = server.window.session
    engine = await session.engine()
    return answers.cache_map(await engine.cache_map(session.services.workspace), session.usage)


async def cache_reset(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    await server.window.session.reset_cache()
    return {}


async def model_info(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    engine = await server.window.session.engine()
    return answers.model(await engine.model())


async def restart_engine(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    server.window.report.forget_troubles()
    await server.window.session.restart_engine()
    return {}


COMMANDS: dict[str, Body] = {
    "palimpsest.context.show": context_show,
    "palimpsest.context.put": context_put,
    "palimpsest.context.drop": context_drop,
    "palimpsest.context.pin": context_pin,
    "palimpsest.context.unpin": context_unpin,
    "palimpsest.cache.map": cache_map,
    "palimpsest.cache.reset": cache_reset,
    **statistics.COMMANDS,
    **suggestions.COMMANDS,
    summarize.COMMAND: summarize.summarize,
    **next_edit.COMMANDS,
    "palimpsest.model.info": model_info,
    default_model.COMMAND: default_model.get,
    "palimpsest.restartEngine": restart_engine,
}
SLOW = {
    **suggestions.SLOW,
    summarize.COMMAND: summarize.TITLE,
    default_model.COMMAND: default_model.TITLE,
}


def register(server: PalimpsestServer) -> None:
    for name, body in COMMANDS.items():
        server.command(name)(_handler(server, name, body))


def _handler(server: PalimpsestServer, name: str, body: Body) -> Callable[[lsp.ExecuteCommandParams], Awaitable[Any]]:
    async def run(params: lsp.ExecuteCommandParams) -> dict[str, Any]:
        task = asyncio.current_task()
        assert task is not None
        server.protocol.adopt(task)
        given = only_one(params.arguments)
        if name in next_edit.COMMANDS and isinstance(given, str):
            given = {"id": given}
        try:
            arguments = Arguments(name, given)
            if name not in SLOW:
                return await body(server, arguments)
            token = params.work_done_token or arguments.token("workDoneToken")
            async with progress(server, SLOW[name], token) as outcome:
                answer = await body(server, arguments)
                outcome.message = str(answer.get("summary") or "")
                return answer
        except PalimpsestError as error:
            raise response_error(error) from error
        except asyncio.CancelledError:
            if server.window.is_closing:  # there is nobody to be answered
                raise
            # pygls answers a command through a generator that a CancelledError would leave without an answer.
            raise JsonRpcException(f"{name} was cancelled", lsp.LSPErrorCodes.RequestCancelled.value) from None

    return run
