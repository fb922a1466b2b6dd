"""The story: from the cursor to a suggestion.

    document → scope → blocks → plan → arena → decode → suggestion

In: what an editor says (opened, changed, cursor at, complete here, suggest here).  Out: completions and checked
suggestions.  `complete` and `suggest` begin it, `assist/` tells it; every other file is a room it passes through.
Knows no LSP, no token, no prompt format and no cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.assist.completions.completions import Completed, Completions
from palimpsest.assist.next_edits.next_edits import NextEdits
from palimpsest.assist.shared.pause import Pause
from palimpsest.assist.shared.requests import whole_prompt
from palimpsest.assist.shared.services import Services
from palimpsest.assist.shared.statistics import Happened, Part, Statistics, What
from palimpsest.assist.shared.switches import Scope
from palimpsest.assist.shared.usage import Usage
from palimpsest.assist.shared.window_parts import WindowPart
from palimpsest.assist.suggestions.proactive import Proactive
from palimpsest.assist.suggestions.suggestions import Suggested, Suggestions
from palimpsest.assist.summaries.summaries import Summaries, Summarized
from palimpsest.config.settings import Settings
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.view import CursorView
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target
from palimpsest.text.documents import Documents
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import InputEdit, Position, Snapshot, moved
from palimpsest.types import Block, BlockKey


@dataclass(frozen=True, slots=True)
class Shown:
    """What `palimpsest.context.show` tells: the view, the chosen blocks, and what the engine has of them."""

    view: CursorView
    blocks: list[Block]
    tokens: dict[BlockKey, int]
    reports: dict[BlockKey, wire.BlockReport]
    stored: frozenset[BlockKey]

    @property
    def prompt(self) -> str:
        return whole_prompt(self.view, self.blocks)


class Session:
    """One editor window's work.  Lives on one asyncio loop; nothing here blocks it for long."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.completions = Completions(services, self.refresh_soon)
        self.suggestions = Suggestions(services)
        self.next_edits = NextEdits(services, self.suggestions)
        self.summaries = Summaries(services)
        self.proactive = Proactive(services, self.suggestions)
        self.suggestions.on_gone = self.proactive.gone
        self._cursor: tuple[str, Position] | None = None
        self._n_awaited = 0  # completions that somebody waits for
        self._pause = Pause(self.refresh, services.usage)
        self._wanted = services.supervisor.target
        self._moving: asyncio.Task[None] | None = None

    @property
    def settings(self) -> Settings:
        return self.services.settings

    @property
    def roots(self) -> Roots:
        return self.services.roots

    @property
    def documents(self) -> Documents:
        return self.services.documents

    @property
    def chooser(self) -> Chooser:
        return self.services.chooser

    @property
    def usage(self) -> Usage:
        return self.services.usage

    @property
    def statistics(self) -> Statistics:
        return self.services.statistics

    # What the editor says -------------------------------------------------------------------------------------

    def opened(self, snapshot: Snapshot) -> None:
        self.services.parser.forget(snapshot.uri)
        self.documents.put(snapshot)
        self.services.privacy.closed(snapshot.uri)
        self.services.privacy.why_not(snapshot)

    def changed(self, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        old = self.documents.find(new.uri)
        was_off = old is not None and self.services.privacy.why_not(old)
        self.documents.put(new)
        if old is not None and was_off != self.services.privacy.why_not(new):
            self.completions.forget_screen()
            self.proactive.switched()
            self.usage.on_change()
        if old is not None:
            with self.usage.spent("parse"):
                self.services.parser.update(old, new, edits)
            self.next_edits.changed(old, new, edits)
        if self._cursor is not None and self._cursor[0] == new.uri:
            if old is not None:
                self._cursor = new.uri, moved(self._cursor[1], old, new, edits)
                self.proactive.at(*self._cursor)
            self.refresh_soon()
        if old is not None:
            self.proactive.changed(old, new)

    def closed(self, uri: str) -> None:
        self.documents.close(uri)
        self.services.switches.closed(uri)
        self.services.privacy.closed(uri)
        self.services.parser.forget(uri)
        self.chooser.document_closed()
        self.next_edits.closed(uri)
        self.proactive.closed(uri)
        if self._cursor is not None and self._cursor[0] == uri:
            self._cursor = None

    def cursor_at(self, uri: str, position: Position) -> None:
        """The person is here now; context for it is prepared on the next pause."""
        self._at(uri, position)
        self.next_edits.cursor_at(uri, position)
        self.refresh_soon()

    def happened(
        self, what: What, happened: Happened, *, part: Part = "all", chars: int | None = None, id: str = ""
    ) -> None:
        """The editor says what became of something that it was offered, by its `id` where it has one.  Raises
        InvalidArgument for an unknown id of a suggestion."""
        snapshot = self.documents.find(self._cursor[0]) if self._cursor is not None else None
        language = snapshot.language_id if snapshot is not None else ""
        if what == "completion":
            self.completions.offers.happened(id, happened, part, chars, language)
        elif id and what == "suggestion" and happened != "shown":
            done = self.suggestions.accepted if happened == "accepted" else self.suggestions.reject
            done(id)
        else:
            self.statistics.count(what, happened, part=part, chars=chars or 0, language=language)

    def toggle(self, scope: Scope, uri: str, enabled: bool | None) -> bool:
        """Switch completions on or off; which it is now.  Raises InvalidArgument."""
        state = self.services.switches.toggle(scope, uri, enabled)
        self.completions.forget_screen()
        self.proactive.switched()
        self.usage.on_change()
        self.refresh_soon()
        return state

    @property
    def why_off(self) -> str:
        """Why there are no completions where the cursor is; "" where there are, or nobody knows where it is."""
        snapshot = self.documents.find(self._cursor[0]) if self._cursor is not None else None
        return self.services.why_off(snapshot) if snapshot is not None else ""

    def changed_settings(self, parts: Collection[WindowPart], target: Target) -> None:
        """The desk has other settings or folders; only these parts begin anew."""
        if "completions" in parts:
            self.completions.changed_settings()
        if "finder" in parts:
            self.next_edits.look_elsewhere()
        if "proactive" in parts:
            self.proactive.changed_settings()
        if "switches" in parts:
            self.proactive.switched()
        if "engine" in parts:
            self._wanted = target
            if self._moving is None:
                self._moving = asyncio.get_running_loop().create_task(self._move())
        if parts:
            self.usage.on_change()
            self.refresh_soon()

    async def _move(self) -> None:
        """To the engine that is wanted now, and once more where that changes meanwhile."""
        supervisor = self.services.supervisor
        try:
            while self._wanted != supervisor.target:
                target = self._wanted
                with suppress(EngineError):
                    await (await supervisor.ready()).close_workspace(self.services.workspace)
                await supervisor.restart(target)
                self._forget_engine()
        finally:
            self._moving = None

    def _forget_engine(self) -> None:
        self.completions.forget()
        self.usage.reset()

    def _at(self, uri: str, position: Position) -> None:
        moved_on = self._cursor is None or self._cursor[0] != uri
        self._cursor = (uri, position)
        self.proactive.at(uri, position)
        if moved_on:
            self.usage.on_change()  # completions may be off there

    def files_changed(self, uris: Sequence[str]) -> None:
        """Something was saved, or changed on disk behind the editor."""
        self.chooser.files_changed()
        self.services.privacy.look_again()
        self.next_edits.saved(uris)
        self.refresh_soon()

    def pin(self, uri: str) -> tuple[str, int]:
        """Hold a file in the context.  Raises InvalidArgument or OutsideWorkspace for one that may not be read."""
        if (snapshot := self.documents.find(uri)) is not None:
            self.services.privacy.check(snapshot)
        block = self.chooser.pin(uri, self.roots.folders)
        self.refresh_soon()
        return block.name, self.chooser.count(block)

    def unpin(self, uri: str) -> tuple[str, int]:
        """Raises InvalidArgument for a file that is not pinned."""
        name = self.roots.locate(uri)[1]
        if not self.chooser.external.unpin(uri):
            pins = ", ".join(self.chooser.external.pins) or "nothing"
            raise InvalidArgument("uri", f"{uri} is not pinned; {pins} is.")
        self.refresh_soon()
        return name, 0

    def refresh_soon(self) -> None:
        self._pause.soon()

    # The story ------------------------------------------------------------------------------------------------

    async def complete(self, uri: str, position: Position, *, n: int = 1, invoked: bool = False) -> Completed | None:
        """Inline completions at the cursor, or None: off here, nothing worth showing, or overtaken by typing.

        Raises EngineError when there is no engine to ask.
        """
        snapshot = self.documents.get(uri)
        self._at(uri, position)
        if not self.completions.wanted(snapshot):
            return None
        self._n_awaited += 1
        try:
            completed = await self.completions.at(snapshot, position, n, invoked=invoked)
        finally:
            self._n_awaited -= 1
        if self.completions.has_more and not self._pause.pending:
            self.refresh_soon()
        return completed

    async def suggest(
        self,
        uri: str,
        position: Position,
        *,
        instruction: str = "",
        n: int = 1,
        lines: range | None = None,
        format: str = "",
    ) -> Suggested:
        """Edits of the code at the cursor, or of the selected document lines in it, read and checked; each applies to
        the documents as they are on return.

        Raises EngineError when the engine cannot answer, InvalidArgument where nothing selected is shown.
        """
        return await self.suggestions.at(uri, position, instruction=instruction, n=n, lines=lines, format=format)

    async def summarize(
        self, uri: str = "", *, staged: bool = False, on_summary: Callable[[str], None] | None = None
    ) -> Summarized:
        """A commit message for what is not committed yet; `on_summary` gets its first line while it is written.  Raises
        PalimpsestError (`Summaries.of` says which)."""
        try:
            return await self.summaries.of(uri, staged=staged, on_summary=on_summary)
        finally:
            self.refresh_soon()  # it was asked behind other blocks than the cursor's

    def view(self, snapshot: Snapshot, position: Position) -> CursorView:
        """Document → scope → editing block."""
        return self.services.view(snapshot, position)

    async def refresh(self) -> None:
        """Gather context for the last cursor and have it decoded, ahead of the next keystroke; then what stands
        around the cursor, so that of a keystroke only what is typed is left to decode."""
        if self._cursor is None or (snapshot := self.documents.find(self._cursor[0])) is None:
            return
        if self._n_awaited:  # to gather takes the loop for tens of milliseconds: an answer would come that much later
            self.refresh_soon()
            return
        if self.services.why_off(snapshot):
            return  # nothing is decoded where they are off
        position = self._cursor[1]
        view = self.view(snapshot, position)
        known = self.chooser.revision
        blocks = self.chooser.choose(view, fresh=True)
        engine = await self.services.supervisor.ready()
        self.services.note(blocks, await engine.sync(self.services.requests.sync(blocks, "background")))
        if await self.chooser.knows_more_than(known) and self.documents.find(snapshot.uri) is snapshot:
            blocks = self.chooser.choose(view, fresh=True)
            self.services.note(blocks, await engine.sync(self.services.requests.sync(blocks, "background")))
        model = self.services.supervisor.status.model
        if model is not None and model.fim_layout and self.completions.wanted(snapshot):
            self.usage.warmed(await engine.generate(self.services.requests.warm_up(view)))
            await self.completions.prepare(snapshot, position)

    async def show(self, uri: str, position: Position) -> Shown:
        """The context for a cursor as it is chosen now, after waiting a moment for sources that are still reading."""
        snapshot = self.documents.get(uri)
        view = self.view(snapshot, position)
        blocks = await self.chooser.settled(view)
        stored: frozenset[BlockKey] = frozenset()
        with suppress(EngineError):
            engine = await self.services.supervisor.ready()
            stored = frozenset(map(BlockKey.parse, (await engine.cache_map(self.services.workspace)).stored))
        reports = {block.key: report for block in blocks if (report := self.usage.report_of(block)) is not None}
        return Shown(view, blocks, {block.key: self.chooser.count(block) for block in blocks}, reports, stored)

    async def engine(self) -> Engine:
        """The engine, for what is about the cache itself.  Raises EngineError when there is none."""
        return await self.services.supervisor.ready()

    async def restart_engine(self) -> None:
        await self.services.supervisor.restart()
        self._forget_engine()
        self.refresh_soon()

    async def reset_cache(self) -> None:
        engine = await self.services.supervisor.ready()
        await engine.reset(self.services.workspace)
        self._forget_engine()

    async def aclose(self) -> None:
        if self._moving is not None:
            self._moving.cancel()
        self._pause.cancel()
        self.proactive.close()
        await asyncio.to_thread(self.statistics.close)
        self.chooser.close()
        with suppress(EngineError):
            await (await self.services.supervisor.ready()).close_workspace(self.services.workspace)
        await self.services.supervisor.aclose()
