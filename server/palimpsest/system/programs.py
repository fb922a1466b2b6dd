"""Find installed programs, but none that a workspace brings along.

In: a name, a search path, folders with untrusted files.  Out: a path.  Runs nothing.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from palimpsest.system.isolation import absolute_only


def on_path(name: str, untrusted: Iterable[Path], search_path: str) -> Path | None:
    """The first program of that name in the absolute folders of the search path, none of which, nor the program itself,
    may be in an untrusted folder, links resolved.  Never looks in the current folder, as Windows does."""
    theirs = [os.path.realpath(folder) for folder in untrusted]
    for folder in filter(None, trusted(search_path, theirs).split(os.pathsep)):
        program = shutil.which(os.path.join(folder, name))
        if program is not None and not _is_in(program, theirs):
            return Path(program)
    return None


def trusted(search_path: str, untrusted: Iterable[Path | str]) -> str:
    """Its absolute folders that are in no untrusted one, links resolved."""
    theirs = [os.path.realpath(folder) for folder in untrusted]
    folders = absolute_only(search_path).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not _is_in(folder, theirs))


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in folders)
