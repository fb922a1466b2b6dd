"""The window's engine as such: its cache and model shown, restarted, exchanged for another one.

In: what a person asks, settings that changed.  Out: the engine's answers; `CacheForgotten`.  How an engine is started
and kept alive is `providers/`'s to know.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from palimpsest import wire
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.providers.base.protocol import HasNextEditModel
from palimpsest.providers.base.target import target_of
from palimpsest.window.events import CacheForgotten, RefreshNeeded, SettingsChanged, WindowClosing
from palimpsest.window.services import Services


class EngineControl:
    """One window's.  Every method raises EngineError when there is no engine."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._target = services.supervisor.target
        self._moving: asyncio.Task[None] | None = None
        services.events.on(SettingsChanged, self._settings_changed)
        services.events.on(WindowClosing, self._closing)

    async def model(self) -> wire.ModelInfo:
        return await (await self._services.supervisor.ready()).model()

    async def cache_map(self) -> wire.CacheMap:
        return await (await self._services.supervisor.ready()).cache_map(self._services.workspace)

    async def reset_cache(self) -> None:
        """Forget what this window has in the cache."""
        await (await self._services.supervisor.ready()).reset(self._services.workspace)
        self._services.events.emit(CacheForgotten())

    async def restart(self) -> None:
        await self._services.supervisor.restart()
        self._services.events.emit(CacheForgotten())
        self._services.events.emit(RefreshNeeded())

    def model_chosen(self) -> None:
        """Go on with the model that is chosen now, and the engine that the settings mean."""
        self._target = target_of(self._services.settings)
        if self._moving is None:
            self._moving = asyncio.get_running_loop().create_task(self._move())

    async def leave(self) -> None:
        """Give back what this window has in the cache, and the engine."""
        await self._close_workspace()
        await self._services.supervisor.aclose()

    def _settings_changed(self, event: SettingsChanged) -> None:
        if "engine" in event.parts:
            self.model_chosen()

    async def _move(self) -> None:
        """To the engine that the settings mean now, and once more where they change meanwhile."""
        supervisor = self._services.supervisor
        try:
            while self._target != supervisor.target:
                target = self._target
                await self._close_workspace()
                await supervisor.restart(target)
                self._services.events.emit(CacheForgotten())
        finally:
            self._moving = None

    async def _close_workspace(self) -> None:
        with suppress(EngineError):
            engine = await self._services.supervisor.ready()
            await engine.close_workspace(self._services.workspace)
            if self._services.supervisor.target.next_edit_model is not None and isinstance(engine, HasNextEditModel):
                with suppress(InvalidArgument):  # in safe mode it was started without one
                    await engine.for_next_edits().close_workspace(self._services.workspace)

    def _closing(self, _: WindowClosing) -> None:
        if self._moving is not None:
            self._moving.cancel()
