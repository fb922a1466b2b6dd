"""Which libllama the engine uses.

In: the setting `engine.library`.  Out: the file of a library, and where it comes from.  Loads nothing.

A library that is set goes before one that was fetched (`palimpsest engine get`), that before one of an installed
package: a llama-cpp-python that the person installed, then xllamacpp, which comes with this package.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import EngineUnavailable
from palimpsest.system import folders

LIBRARY = re.compile(r"(?:lib)?llama(?:\.[\w.]+)??\.(?:so(?:\.\d+)*|dylib|dll)")
"""`libllama.so`, `libllama.v0.4.0.so`, `libllama.0.dylib`, `llama.dll`."""
USED = "used"
"""A file with the name of the folder that is used, beside the folders that were fetched."""
WAYS = (
    "Run `palimpsest engine get`, which fetches one that was built for this machine, and leave `engine.library` empty; "
    "or let that name another one."
)


@dataclass(frozen=True, slots=True)
class Located:
    """`source`: the setting, or what it came with."""

    file: Path
    source: str


def home() -> Path:
    """Where `palimpsest engine get` puts what it fetches.  It may not be there."""
    return folders.cache_place() / "llama.cpp"


def used() -> Path | None:
    """The folder of the library that was fetched last."""
    try:
        name = (home() / USED).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return home() / name if name and "/" not in name and (home() / name).is_dir() else None


def located(library: str = "") -> Located:
    """Raises EngineUnavailable where there is none, or none where the setting says."""
    if library:
        place = folders.expanded(library)
        file = place if place.is_file() else _in(place)
        if file is None:
            problem = "has none in it" if place.is_dir() else "is no file" if place.exists() else "is not there"
            raise EngineUnavailable(
                f"engine.library: expected a libllama or a folder with one; {place} {problem}.",
                hint="Leave it empty to use what `palimpsest engine get` fetched.",
            )
        return Located(file, "engine.library")
    found = next(_found(), None)
    if found is None:
        raise EngineUnavailable("There is no llama.cpp here.", hint=WAYS)
    return found


def _found() -> Iterator[Located]:
    if (folder := used()) is not None and (file := _in(folder)) is not None:
        yield Located(file, "palimpsest engine get")
    yield from installed()


def installed() -> Iterator[Located]:
    """Of installed packages."""
    for package, called in (("llama_cpp", "llama-cpp-python"), ("xllamacpp", "xllamacpp")):
        for folder in _folders(package):
            file = _in(folder / "lib") if package == "llama_cpp" else next(_extension(folder), None)
            if file is not None:
                yield Located(file, called)


def _folders(package: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return [Path(folder) for folder in spec.submodule_search_locations or []] if spec is not None else []


def _extension(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.glob("xllamacpp*")) if file.suffix in (".so", ".pyd"))


def _in(folder: Path) -> Path | None:
    try:
        found = sorted(file for file in folder.iterdir() if LIBRARY.fullmatch(file.name) and file.is_file())
    except OSError:
        return None
    return found[0] if found else None
