"""Which libllama the engine uses.

In: the setting `engine.library`.  Out: the file of a library, and where it comes from.  Loads nothing.

A library that is set goes before one that was fetched (`palimpsest engine get`), that before one of an installed
package: a llama-cpp-python that the person installed, then xllamacpp, which comes with this package.
"""

import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import EngineUnavailable
from palimpsest.system import folders
from palimpsest.system.reading import MOST_OF_SETTINGS, Refused, check_regular, read_text

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
        name = read_text(home() / USED, MOST_OF_SETTINGS).strip()
        return home() / name if name and "/" not in name and (home() / name).is_dir() else None
    except (OSError, Refused):
        return None


def located(library: str = "") -> Located:
    """Raises EngineUnavailable where there is none, or none where the setting says."""
    if library := library.strip():
        return Located(_named(folders.expanded(library)), "engine.library")
    found = next(_found(), None)
    if found is None:
        raise EngineUnavailable("There is no llama.cpp here.", hint=WAYS)
    return found


def _named(place: Path) -> Path:
    try:
        if not place.is_dir():
            check_regular(place)
            return place
        if (file := _in(place)) is not None:
            return file
        problem = "has none in it" if os.access(place, os.R_OK | os.X_OK) else "cannot be read"
    except (FileNotFoundError, NotADirectoryError):
        problem = "is not there"
    except Refused:
        problem = "is no file"
    except (OSError, ValueError) as error:
        problem = f"cannot be looked at: {getattr(error, 'strerror', error)}"
    raise EngineUnavailable(
        f"engine.library: expected a libllama or a folder with one; {place} {problem}.",
        hint="Leave it empty to use what `palimpsest engine get` fetched.",
    )


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
