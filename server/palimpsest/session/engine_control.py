"""The window's engine as such: its cache and model shown, restarted, exchanged for another one.

In: what a person asks, settings that changed.  Out: the engine's answers; `CacheForgotten`.  How an engine is started
and kept alive is `providers/`'s to know.
"""

import asyncio
from contextlib import suppress

from palimpsest import wire
from palimpsest.errors import ContextTooLarge, EngineError, EngineLoading, InvalidArgument, ModelError
from palimpsest.providers.base.protocol import Engine, HasNextEditModel
from palimpsest.providers.base.target import target_of
from palimpsest.window.events import CacheForgotten, RefreshNeeded, SettingsChanged, WindowClosing
from palimpsest.window.services import Services

NOTHING_IN_IT = (InvalidArgument, EngineLoading, ModelError, ContextTooLarge)
"""What an engine says of a second model that it was started without, in safe mode, or that is not loaded."""


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
        engine = await self._services.supervisor.ready()
        await engine.reset(self._services.workspace)
        if (second := self._second_of(engine)) is not None:
            with suppress(*NOTHING_IN_IT):  # then there is nothing to forget
                await second.reset(self._services.workspace)
        self._services.events.emit(CacheForgotten())

    async def restart(self) -> None:
        """With the model that is chosen now, perhaps in a terminal meanwhile."""
        if target_of(self._services.settings) == self._services.supervisor.target:
            await self._services.supervisor.restart()
            self._services.events.emit(CacheForgotten())
        else:
            await self.model_chosen()
        self._services.events.emit(RefreshNeeded())

    def model_chosen(self) -> asyncio.Task[None]:
        """Go on with the model that is chosen now, and the engine that the settings mean."""
        self._target = target_of(self._services.settings)
        if self._moving is None:
            self._moving = asyncio.get_running_loop().create_task(self._move())
        return self._moving

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
        with suppress(EngineError):  # it ends with its lease
            engine = await self._services.supervisor.ready()
            await engine.close_workspace(self._services.workspace)
            if (second := self._second_of(engine)) is not None:
                with suppress(*NOTHING_IN_IT):  # then there is nothing to close
                    await second.close_workspace(self._services.workspace)

    def _second_of(self, engine: Engine) -> Engine | None:
        """The model for next edits of the engine that is used now, whichever the settings mean by now."""
        if self._services.supervisor.target.next_edit_model is None or not isinstance(engine, HasNextEditModel):
            return None
        return engine.for_next_edits()

    def _closing(self, _: WindowClosing) -> None:
        if self._moving is not None:
            self._moving.cancel()
