"""Find installed programs, but none that a workspace brings along.

In: a name, a search path, folders with untrusted files.  Out: a path.  Runs nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def on_path(name: str, untrusted: Iterable[Path], search_path: str) -> Path | None:
    """The first program of that name in the absolute folders of the search path, none of which, nor the program itself,
    may be in an untrusted folder, links resolved.  Never looks in the current folder, as Windows does."""
    theirs = [os.path.realpath(folder) for folder in untrusted]
    folders = [folder for folder in search_path.split(os.pathsep) if os.path.isabs(folder)]
    for folder in folders:
        found = shutil.which(os.path.join(folder, name))
        if found is not None and not any(_is_in(there, theirs) for there in (folder, found)):
            return Path(found)
    return None


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in folders)
