"""Where things are kept: the platform's folders, honoured as the XDG variables set them.

In: the environment.  Out: paths, made on demand.  Runtime (sockets, locks) and cache are the user's own:
runtime is private (mode 0700) also where the platform has no such folder.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

import platformdirs

APP = "palimpsest"


def _made(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def config() -> Path:
    """The user's own settings (`palimpsest.toml`)."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def cache() -> Path:
    return _made(Path(platformdirs.user_cache_dir(APP, appauthor=False)))


def state() -> Path:
    return _made(Path(platformdirs.user_state_dir(APP, appauthor=False)))


def models() -> Path:
    """GGUF files that `palimpsest model get` downloads."""
    return _made(Path(platformdirs.user_data_dir(APP, appauthor=False)) / "models")


MAX_SOCKET_PATH = 103
"""Bytes that a Unix socket's path may have everywhere (macOS has 104 with the final zero, Linux 108)."""
_LONGEST_NAME = len("/engine-0123456789ab.sock")


def runtime() -> Path:
    """A private folder for sockets and locks, made on demand; short enough for a socket's path.

    Raises PermissionError where someone else made it first.
    """
    path = _runtime_path()
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if sys.platform != "win32":
        facts = path.lstat()  # in a shared folder a link could lead anywhere
        if facts.st_uid != os.getuid() or not stat.S_ISDIR(facts.st_mode):
            raise PermissionError(f"{path} is not this user's own folder")
        path.chmod(0o700)
    return path


def _runtime_path() -> Path:
    if sys.platform == "win32":
        return Path(platformdirs.user_runtime_dir(APP, appauthor=False))
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base and os.path.isabs(base) and os.path.isdir(base) and os.access(base, os.W_OK) and _is_short(Path(base, APP)):
        return Path(base, APP)
    own = f"{APP}-{os.getuid()}"
    path = Path(tempfile.gettempdir(), own)
    return path if _is_short(path) else Path("/tmp", own)


def _is_short(folder: Path) -> bool:
    return len(os.fsencode(folder)) + _LONGEST_NAME <= MAX_SOCKET_PATH
