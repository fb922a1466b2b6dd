"""The `tsconfig.json` or `jsconfig.json` of a file, with what it extends.

In: files of the workspace.  Out: configurations.  Those of packages are not read.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from palimpsest.languages.javascript.places import ModulePlaces
from palimpsest.languages.javascript.tsconfig import TsConfig, tsconfig

_FILES = ("tsconfig.json", "jsconfig.json")
_SUFFIX = ".json"
_MOST = 32
"""Read for one configuration."""


class Configs:
    def __init__(self, places: ModulePlaces) -> None:
        self._places = places
        self._files = places.files

    def places(self, name: str, path: Path) -> Iterator[Path]:
        """What the configuration around a file says that a name may be."""
        if self._places.library_of(path) is None:
            for config in self._around(path.parent):
                yield from config.places(name)

    def of_folder(self, folder: Path) -> TsConfig | None:
        """The configuration in a folder."""
        return self._files.once(("js config", folder), lambda: self._in(folder))

    def _around(self, folder: Path) -> tuple[TsConfig, ...]:
        return self._files.once(("js configs", folder), lambda: self._nearest(folder))

    def _nearest(self, folder: Path) -> tuple[TsConfig, ...]:
        """The nearest; where it only refers to others, these."""
        for above in self._places.above(folder / _FILES[0]):
            config = self.of_folder(above)
            if config is not None and config.base is None and config.paths is None:
                referred = (self._referred(Path(os.path.normpath(above / one))) for one in config.references)
                return (config, *(one for one in referred if one is not None))
            if config is not None:
                return (config,)
        return ()

    def _referred(self, path: Path) -> TsConfig | None:
        return self._read(path, set()) if path.suffix == _SUFFIX else self.of_folder(path)

    def _in(self, folder: Path) -> TsConfig | None:
        named = (folder / name for name in _FILES if self._places.exists(folder / name, None))
        return next((found for path in named if (found := self._read(path, set())) is not None), None)

    def _read(self, path: Path, seen: set[Path]) -> TsConfig | None:
        if path in seen or len(seen) >= _MOST or self._files.root_of(path) is None:
            return None
        seen.add(path)
        text = self._files.described(path)
        if text is None:
            return None
        own, base = tsconfig(text.text, path.parent), TsConfig()
        for name in own.extends:
            there = Path(os.path.normpath(path.parent / name))
            more = self._read(there if name.endswith(_SUFFIX) else Path(f"{there}{_SUFFIX}"), seen)
            base = more.over(base) if name.startswith((".", "/")) and more is not None else base
        return own.over(base)
