"""Imports what carries features out, each feature once, and finds in it what its declaration names.

In: declarations (`palimpsest/features.py`).  Out: commands, functions.  Knows no feature.
"""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from palimpsest.errors import PalimpsestError
from palimpsest.features import Feature, Method


class FeatureLoader:
    """The features of this installation.  `begin` is called with each, once it is imported; `run` makes a task of what
    imports it, which ends with the connection."""

    def __init__(
        self,
        every: Sequence[Feature],
        begin: Callable[[Feature], None],
        run: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self.every = every
        self._begin = begin
        self._run = run
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._commands = {
            name: (feature, module) for feature in every for module, names in feature.commands.items() for name in names
        }

    @property
    def commands(self) -> tuple[str, ...]:
        """The names of all commands."""
        return tuple(self._commands)

    def methods(self) -> Iterator[tuple[str, Feature, Method]]:
        for feature in self.every:
            for name, method in feature.methods.items():
                yield name, feature, method

    async def load(self, feature: Feature) -> None:
        """Raises what its import raises."""
        if feature.name not in self._loading:
            self._loading[feature.name] = self._run(self._load(feature))
        await asyncio.shield(self._loading[feature.name])

    async def _load(self, feature: Feature) -> None:
        await _imported(feature.imported)
        self._begin(feature)

    async def found(self, feature: Feature, place: str) -> Any:
        """What is at `module:attribute` of a feature.  Raises PalimpsestError where that cannot be imported."""
        try:
            await self.load(feature)
        except ImportError as error:
            raise PalimpsestError(f"A part of Palimpsest cannot be imported here: {error}.") from error
        return attribute(place)

    async def command(self, name: str) -> Any:
        """The `Command` (`command.py`) of this name."""
        feature, module = self._commands[name]
        commands = await self.found(feature, f"{module}:COMMANDS")
        return next(one for one in commands if one.name == name)

    async def page(self, kind: str) -> Any:
        """What reads the pages of this kind; None where no feature has any."""
        return await self._declared(kind, lambda feature: feature.pages.get(kind))

    async def extension(self, name: str) -> Any:
        """What a feature answers another one that asks by this name; None where none does."""
        return await self._declared(name, lambda feature: feature.extends.get(name))

    async def _declared(self, name: str, place_in: Callable[[Feature], str | None]) -> Any:
        for feature in self.every:
            if (place := place_in(feature)) is not None:
                return await self.found(feature, place)
        return None


def attribute(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(sys.modules[module], name)


async def _imported(modules: Sequence[str]) -> None:
    """Imported by a thread: from a slow disk that takes seconds, in which an editor may leave."""
    loop = asyncio.get_running_loop()
    imported: asyncio.Future[Exception | None] = loop.create_future()

    def tell(failed: Exception | None) -> None:
        if not imported.done():
            imported.set_result(failed)

    def run() -> None:
        failed: Exception | None = None
        try:
            for module in modules:
                import_module(module)
        except BaseException as error:  # whatever a module's own code raises, somebody waits for the end
            failed = error if isinstance(error, Exception) else ImportError(f"a module ends the program: {error!r}")
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(tell, failed)

    threading.Thread(target=run, name="imports", daemon=True).start()
    if (failed := await imported) is not None:
        raise failed
