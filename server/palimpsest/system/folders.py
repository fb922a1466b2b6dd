"""The user's folders for configuration, cache, state, logs, models and sockets, as the platform and XDG variables say.

In: the environment.  Out: paths, created on demand.  The runtime folder is private (mode 0700) on every platform.
"""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import platformdirs

APP = "palimpsest"
SERVER_LOG = "server.log"


def _made(path: Path, mode: int = 0o777) -> Path:
    path.mkdir(parents=True, exist_ok=True, mode=mode)
    return path


def _made_private(path: Path) -> Path:
    _made(path, 0o700)
    if sys.platform != "win32" and path.stat().st_mode & 0o077:
        path.chmod(0o700)
    return path


def expanded(written: str) -> Path:
    """What a person wrote, with `~` as a home; as it is where that is nobody's."""
    try:
        return Path(written).expanduser()
    except RuntimeError:
        return Path(written)


def homeless() -> str:
    """For a user without an entry and without `HOME`, as containers have them: makes a private folder its home, and
    says so in a sentence; "" where there is a home.  Raises PermissionError."""
    if sys.platform == "win32" or os.path.expanduser("~") != "~":
        return ""
    home = next((path for path in _runtime_paths(keeps=False) if _is_ours(path)), None)
    if home is None:
        raise PermissionError(f"User {os.getuid()} has no home folder: set HOME to one that it can write to.")
    os.environ["HOME"] = str(home)
    return f"User {os.getuid()} has no home folder, so {home} is used; set HOME to keep things elsewhere."


def is_whole_disk(folder: Path) -> bool:
    """Whether it is a home folder or one around it, or the top of a disk: nobody's project, and too much to read."""
    home = expanded("~").absolute()
    return folder == Path(folder.anchor) or home.is_relative_to(folder)


def config() -> Path:
    """The user's own settings (`palimpsest.toml`)."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def cache() -> Path:
    return _made(cache_place())


def cache_place() -> Path:
    """Where the cache is or will be."""
    return Path(platformdirs.user_cache_dir(APP, appauthor=False))


def state() -> Path:
    """Statistics and conversations, readable by this user only."""
    return _made_private(state_place())


def state_place() -> Path:
    """Where the state is or will be."""
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def logs() -> Path:
    """What servers and engines log, readable by this user only."""
    return _made_private(logs_place())


def logs_place() -> Path:
    """Where the logs are or will be."""
    return platformdirs.user_log_path(APP, appauthor=False)


def models() -> Path:
    """Where GGUF files that `palimpsest model get` downloads are or will be."""
    return Path(platformdirs.user_data_dir(APP, appauthor=False)) / "models"


def refusal(error: OSError) -> str:
    """What the system said of which file, for a person."""
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename else what


USERS_RUN = Path("/run/user")
"""Where the system has each user's `XDG_RUNTIME_DIR`, which not every program hands on to those that it starts."""
MAX_SOCKET_PATH = 103
"""Bytes of a Unix socket's path on all platforms (macOS allows 104 with the final zero, Linux 108)."""
_LONGEST_NAME = len("/engine-0123456789ab.sock")
_DARWIN_USER_TEMP_DIR = 65537
"""What macOS sets `TMPDIR` to, for `confstr`; Python has no name for it."""


def runtime() -> Path:
    """A private folder for sockets and locks, created on demand, with a path that is short enough for a socket.

    All processes of a user find the same one: the first of a list that belongs to the user or can be created.  Raises
    PermissionError if there is none.
    """
    if sys.platform == "win32":
        return _made(Path(platformdirs.user_runtime_dir(APP, appauthor=False)))
    for path in _runtime_paths():
        if len(os.fsencode(path)) + _LONGEST_NAME <= MAX_SOCKET_PATH and _is_ours(path):
            return path
    return _recorded()


def runtimes() -> list[Path]:
    """Every folder in which sockets of this user's may be, `runtime` first: who made them may have been started with
    other variables.  Raises PermissionError as `runtime` does."""
    more = [] if sys.platform == "win32" else [path for path in _runtime_paths() if _is_private(path)]
    return list(dict.fromkeys((runtime(), *more)))


def _runtime_paths(*, keeps: bool = True) -> Iterator[Path]:
    """`keeps`: with folders that outlast the machine's next start, which are in the user's home."""
    for base in (os.environ.get("XDG_RUNTIME_DIR", ""), str(USERS_RUN / str(os.getuid()))):
        if os.path.isabs(base) and os.path.isdir(base) and os.access(base, os.W_OK):
            yield Path(base, APP)
    own = f"{APP}-{os.getuid()}"
    yield Path(tempfile.gettempdir(), own)
    if sys.platform == "darwin" and (base := os.confstr(_DARWIN_USER_TEMP_DIR)):
        yield Path(base, own)
    yield Path("/tmp", own)
    if not keeps:
        return
    yield Path(platformdirs.user_state_dir(APP, appauthor=False), "run")
    yield Path(platformdirs.user_cache_dir(APP, appauthor=False), "run")


def _is_ours(path: Path) -> bool:
    """Whether `path` is a folder of this user, which is then made private.  In a shared folder, another user may have
    created it first, or put a link there."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_own_folder(path.lstat()):
            return False
        path.chmod(0o700)
    except OSError:
        return False
    return os.access(path, os.W_OK | os.X_OK)


def _is_private(path: Path) -> bool:
    """The same of one that is left as it is."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    return _is_own_folder(facts) and not facts.st_mode & 0o077


def _is_own_folder(facts: os.stat_result) -> bool:
    return facts.st_uid == os.getuid() and stat.S_ISDIR(facts.st_mode)


def _recorded() -> Path:
    """A folder with an unpredictable name, recorded where this user's next process finds it."""
    record = state() / "runtime-folder"
    for _ in range(3):
        with suppress(OSError, ValueError):  # no record, or one that is none
            path = Path(record.read_text(encoding="utf-8"))
            if path.is_absolute() and path.exists() and _is_ours(path):
                return path
            record.unlink()
        made = Path(tempfile.mkdtemp(prefix=f"{APP}-", dir="/tmp"))
        draft = record.with_name(f"{record.name}.{os.getpid()}")
        draft.write_text(str(made), encoding="utf-8")
        with suppress(FileExistsError):
            os.link(draft, record)  # unlike a rename, this fails if another process was first
        draft.unlink()
        if record.read_text(encoding="utf-8") == str(made):
            return made
        made.rmdir()
    raise PermissionError("There is no folder for sockets that is this user's own.")
