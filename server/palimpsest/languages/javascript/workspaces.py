"""Packages that are developed together in one workspace, where no package manager has linked them.

In: the name of a package, the file that imports it.  Out: its folder.  Only what the importing package depends on.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from palimpsest.languages.javascript import packages
from palimpsest.languages.javascript.places import NODE_MODULES, ModulePlaces

_PNPM = "pnpm-workspace.yaml"
_DEEPEST, _MOST = 4, 200


class PackageWorkspaces:
    def __init__(self, places: ModulePlaces) -> None:
        self._places = places
        self._files = places.files

    def folder_of(self, package: str, near: Path) -> Path | None:
        if self._places.library_of(near) is not None or not self._depends(package, near):
            return None
        return self._files.once(("js developed", package, near.parent), lambda: self._find(package, near))

    def _depends(self, package: str, near: Path) -> bool:
        data = (self._places.manifest(folder) for folder in self._places.above(near))
        return any(packages.depends_on(one, package) for one in data if one is not None)

    def _find(self, package: str, near: Path) -> Path | None:
        for folder in self._places.above(near):
            patterns = self._patterns(folder)
            if not patterns:
                continue
            every = (one for pattern in patterns for one in self._matching(folder, pattern, 0))
            found = dict.fromkeys(islice(every, _MOST))
            likeliest = sorted(found, key=lambda one: one.name != package.rpartition("/")[2])
            return next((one for one in likeliest if self._is(one, package)), None)
        return None

    def _is(self, folder: Path, package: str) -> bool:
        data = self._places.manifest(folder)
        return data is not None and data.get("name") == package

    def _patterns(self, folder: Path) -> tuple[str, ...]:
        data = self._places.manifest(folder) or {}
        text = self._files.described(folder / _PNPM) if self._places.exists(folder / _PNPM, None) else None
        return packages.workspaces(data) + (packages.pnpm_workspaces(text.text) if text is not None else ())

    def _matching(self, folder: Path, pattern: str, depth: int) -> Iterator[Path]:
        """The folders that `packages/*` or `apps/**` means."""
        first, _, rest = pattern.removeprefix("./").strip("/").partition("/")
        if depth > _DEEPEST or first in ("..", NODE_MODULES) or first.startswith("!"):
            return
        if not first:
            yield folder
        elif first == "**":
            yield from self._matching(folder, rest, depth + 1)
            for inner in self._folders(folder):
                yield from self._matching(inner, pattern, depth + 1)
        elif "*" in first:
            start, _, end = first.partition("*")
            for inner in self._folders(folder):
                if inner.name.startswith(start) and inner.name.endswith(end):
                    yield from self._matching(inner, rest, depth + 1)
        else:
            yield from self._matching(folder / first, rest, depth + 1)

    def _folders(self, folder: Path) -> list[Path]:
        listed = self._files.listing(folder)
        return [folder / one.name for one in listed if one.is_dir and not one.is_link and one.name != NODE_MODULES][
            :_MOST
        ]
