"""What a pause is used for: the context at the cursor is decoded ahead of the next keystroke.

In: that the cursor, a file, a setting or a block changed.  Out: blocks and the text around the cursor in the engine's
cache, then what belongs after the completion on screen.  Owner of the pause.
"""

import asyncio
import time

from palimpsest.completions.completions import Completions
from palimpsest.completions.requests import warm_up
from palimpsest.context.view import CursorView
from palimpsest.providers.base.protocol import Engine
from palimpsest.session.cursor import Cursor
from palimpsest.types import Block
from palimpsest.window.events import (
    CursorMoved,
    FilesChanged,
    RefreshNeeded,
    SettingsChanged,
    StatusChanged,
    WindowClosing,
)
from palimpsest.window.pause import Pause
from palimpsest.window.services import Services

MOST_CHOICES = 3
"""Blocks are chosen at most this often on one pause. The first choice may be made before a source has read, and by
estimates of what nobody has counted yet."""
READING_S = 1.0
"""Sources may read for so long before anything is decoded. Until they have read, other blocks are chosen in place of
theirs, and these would be decoded for nothing."""


class Prefetch:
    """Decodes on a pause what the next keystroke will need."""

    def __init__(self, services: Services, cursor: Cursor, completions: Completions) -> None:
        self._services = services
        self._cursor = cursor
        self._completions = completions
        self._pause = Pause(self._refresh, services.usage)
        events = services.events
        events.on(RefreshNeeded, self._needed)
        events.on(CursorMoved, self._moved)
        events.on(FilesChanged, lambda _: self._pause.soon())
        events.on(SettingsChanged, self._settings_changed)
        events.on(WindowClosing, lambda _: self._pause.close())

    def _needed(self, event: RefreshNeeded) -> None:
        if event.restart:
            self._pause.soon()
        else:
            self._pause.once_more()

    def _moved(self, event: CursorMoved) -> None:
        if event.said:
            self._pause.soon()

    def _settings_changed(self, event: SettingsChanged) -> None:
        if event.parts:
            self._services.events.emit(StatusChanged())
            self._pause.soon()

    async def _refresh(self) -> None:
        """Blocks first, then the tail at the cursor, so that of a keystroke only what is typed is left to decode."""
        services, chooser, snapshot = self._services, self._services.chooser, self._cursor.document
        if self._cursor.place is None or snapshot is None:
            return
        if self._completions.is_awaited:  # gathering takes tens of milliseconds: the answer would be that much later
            self._pause.soon()
            return
        position = self._cursor.place[1]
        await asyncio.to_thread(services.privacy.look, snapshot.uri)
        if services.why_off(snapshot):
            return  # nothing is decoded where they are off
        services.parser.parse(snapshot)  # now there is time for it
        view = services.view(snapshot, position, hurried=True)
        for _ in range(MOST_CHOICES):
            known, blocks = await self._choice(view)
            engine = await services.supervisor.ready()
            blocks = await self._counted(view, blocks, engine)
            services.note(blocks, await engine.sync(services.requests.sync(blocks, "background")))
            if services.documents.find(snapshot.uri) is not snapshot or not await chooser.knows_more_than(known):
                break
        model = services.supervisor.status.model
        if model is not None and model.fim_layout and self._completions.is_on(snapshot):
            services.usage.warmed(await engine.generate(warm_up(services.requests, view)))
            await self._completions.prepare(snapshot, position)

    async def _choice(self, view: CursorView) -> tuple[int, list[Block]]:
        """The blocks for a cursor, and the sources' revision for which they were chosen: of sources that have read, as
        far as these take no longer than `READING_S`."""
        chooser, until = self._services.chooser, time.monotonic() + READING_S
        for _ in range(MOST_CHOICES):  # of what one choice finds, the next one may read more
            known = chooser.revision
            blocks = await chooser.chosen(view, fresh=True)
            if not await chooser.has_read(known, max(0.0, until - time.monotonic())):
                break
        return known, blocks

    async def _counted(self, view: CursorView, blocks: list[Block], engine: Engine) -> list[Block]:
        """What is chosen by the engine's own counts: what fits by an estimate alone would be decoded for nothing."""
        services, chooser, model = self._services, self._services.chooser, self._services.supervisor.status.model
        for _ in range(MOST_CHOICES):
            if model is None or not model.in_place or not chooser.is_estimated:
                break
            services.note(blocks, await engine.sync(services.requests.count(blocks)))
            if chooser.is_miscounted:
                blocks = await chooser.chosen(view, fresh=True)
        return blocks
