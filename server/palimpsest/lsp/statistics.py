"""What became of completions and edits, and where completions are switched off.

In: `palimpsest/event`, the commands for statistics and switches.  Out: answers.  What is counted and where completions
are off is the session's to know.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from palimpsest.assist.shared.statistics import HAPPENED, PARTS, WHATS
from palimpsest.assist.shared.switches import SCOPES
from palimpsest.assist.suggestions.proposals import PREFIX as SUGGESTION
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import Arguments

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

logger = logging.getLogger(__name__)

ACCEPTED = "palimpsest.completion.accepted"
TOGGLE = "palimpsest.completion.toggle"
STATS, RESET = "palimpsest.stats", "palimpsest.stats.reset"
LONGEST_DAYS = 36_500


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature("palimpsest/event")
    async def event(params: Any) -> None:
        try:
            arguments = Arguments("palimpsest/event", params)
            kind = arguments.string("kind")
            if kind in HAPPENED:
                counted(server, arguments)
            elif kind == "focus":
                window.session.refresh_soon()
        except InvalidArgument as error:
            logger.warning("palimpsest/event: %s", error)
            return
        logger.debug("event %s", kind)


def counted(server: PalimpsestServer, arguments: Arguments) -> None:
    """Something was shown, accepted or rejected.  Raises InvalidArgument that names the field."""
    kind, part = arguments.string("kind", among=HAPPENED), arguments.string("part", "all", among=PARTS)
    chars = arguments.integer("chars") if arguments.raw("chars") is not None else None
    identity = arguments.string("id", "")
    what = arguments.string("what", "suggestion" if identity.startswith(SUGGESTION) else "completion", among=WHATS)
    server.window.session.happened(what, kind, part=part, chars=chars, id=identity)  # type: ignore[arg-type]


async def accepted(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    """What an editor runs behind an accepted completion: the item's own command."""
    server.window.session.happened("completion", "accepted", id=arguments.string("id"))
    return {}


async def toggle(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    scope = arguments.string("scope", among=SCOPES)
    enabled = arguments.boolean("enabled") if arguments.raw("enabled") is not None else None
    state = server.window.session.toggle(scope, arguments.string("uri", ""), enabled)  # type: ignore[arg-type]
    return {"scope": scope, "enabled": state}


async def stats(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    days = arguments.integer("days", low=1, high=LONGEST_DAYS) if arguments.raw("days") is not None else None
    return await asyncio.to_thread(server.window.session.statistics.report, days)


async def reset(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    await asyncio.to_thread(server.window.session.statistics.reset)
    return {}


COMMANDS = {ACCEPTED: accepted, TOGGLE: toggle, STATS: stats, RESET: reset}
