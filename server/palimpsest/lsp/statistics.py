"""What became of completions and edits, what was copied, and where completions are switched off.

In: `palimpsest/event`, the commands for statistics and switches.  Out: answers.  What is counted, and where
completions are off, is decided in `window/`.
"""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Annotated, Any

from palimpsest.edits.suggestions.proposals import PREFIX as SUGGESTION
from palimpsest.json_data import Range
from palimpsest.lsp.arguments import Count, Nothing, read, refusals_logged
from palimpsest.lsp.command import Commands
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.window.events import RefreshNeeded, Yanked
from palimpsest.window.statistics import HAPPENED, Happened, Part, What
from palimpsest.window.statistics_page import page
from palimpsest.window.switches import MINUTES, MOST_MINUTES, Feature, Scope

logger = logging.getLogger(__name__)

EVENT = "palimpsest/event"
LONGEST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class CompletionToggle:
    scope: Scope
    uri: str = ""
    enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class Toggle:
    feature: Feature
    scope: Scope
    uri: str = ""
    enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class Minutes:
    minutes: Annotated[float, Range(0, MOST_MINUTES)] = MINUTES


@dataclass(frozen=True, slots=True)
class Days:
    days: Annotated[int, Range(1, LONGEST_DAYS)] | None = None


@dataclass(frozen=True, slots=True)
class StatisticsEvent:
    kind: str


@dataclass(frozen=True, slots=True)
class LineRange:
    """0-based; `end` is the line behind the last one."""

    start: Count
    end: Count


@dataclass(frozen=True, slots=True)
class Yank:
    kind: str
    uri: str
    lines: LineRange | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of something that was offered."""

    kind: Happened
    part: Part = "all"
    chars: Count | None = None
    id: str = ""
    what: What | None = None


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(EVENT)
    async def event(params: Any) -> None:
        with refusals_logged(EVENT):
            kind = read(EVENT, StatisticsEvent, params).kind
            if kind in HAPPENED:
                counted(server, read(EVENT, Fate, params))
            elif kind == "focus":
                window.session.events.emit(RefreshNeeded())
            elif kind == "yank":
                yank = read(EVENT, Yank, params)
                lines = None if yank.lines is None else range(yank.lines.start, yank.lines.end)
                window.session.events.emit(Yanked(yank.uri, lines))
            logger.debug("event %s", kind)


def counted(server: PalimpsestServer, fate: Fate) -> None:
    """Something was shown, accepted or rejected.  Raises InvalidArgument that names the field."""
    what: What = fate.what or ("suggestion" if fate.id.startswith(SUGGESTION) else "completion")
    server.window.session.feedback.happened(what, fate.kind, part=fate.part, chars=fate.chars, id=fate.id)


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.toggle",
    "switches a feature (`completion`, `suggestion`: edits as code actions, `nextEdit`) on or off for as long as "
    "the window is open: `everywhere`, or in the `language`, `folder` or `buffer` of a document",
)
async def toggle(server: PalimpsestServer, asked: Toggle) -> dict[str, Any]:
    state = server.window.session.services.toggle(asked.feature, asked.scope, asked.uri, asked.enabled)
    return {"feature": asked.feature, "scope": asked.scope, "enabled": state}


@COMMANDS.add("palimpsest.completion.toggle", "switches completions on or off, as `palimpsest.toggle` does")
async def toggle_completions(server: PalimpsestServer, asked: CompletionToggle) -> dict[str, Any]:
    state = server.window.session.services.toggle("completion", asked.scope, asked.uri, asked.enabled)
    return {"scope": asked.scope, "enabled": state}


@COMMANDS.add(
    "palimpsest.completion.snooze",
    "shows no completion and no next edit unasked for so many minutes (5 by default); 0 ends that",
)
async def snooze(server: PalimpsestServer, asked: Minutes) -> dict[str, Any]:
    snoozed = server.window.session.services.snooze
    snoozed.start(asked.minutes)
    clock = time.strftime("%H:%M", time.localtime(snoozed.until))
    what = "completions and next edits"
    says = f"{what} are snoozed until {clock}" if snoozed.until else f"{what} are shown again"
    return {"until": snoozed.until, "says": says}


@COMMANDS.add("palimpsest.stats", "what was shown, accepted and rejected, by kind, language and day")
async def stats(server: PalimpsestServer, asked: Days) -> dict[str, Any]:
    session = server.window.session
    found = await asyncio.to_thread(session.statistics.report, asked.days)
    found["calibration"] = session.completions.outcomes.report()
    return {**found, "text": page(found)}


@COMMANDS.add("palimpsest.stats.reset", "forgets these counts")
async def reset(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    session = server.window.session
    await asyncio.to_thread(session.statistics.reset)
    await asyncio.to_thread(session.completions.outcomes.forget)
    return {}
