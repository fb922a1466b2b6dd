"""Where each window's socket is.

In: the private folders for sockets.  Out: paths.  Opens nothing.

The folders are this user's alone (`folders.runtimes`), so whatever is a socket there was made by this user's programs.
A name says the process; which folders a window has open is asked of it, since that changes.
"""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from palimpsest.errors import PalimpsestError
from palimpsest.system import folders

NAME = "window-{pid}.sock"
LONGEST_LINE = 4 << 20
"""Bytes of a request or an answer: a block of 400,000 characters fits, also where each is escaped."""


class NoSockets(PalimpsestError):
    """Windows of editors cannot be reached on this platform."""

    code = "unavailable"


def check_platform() -> None:
    """Raises NoSockets."""
    if sys.platform == "win32":
        raise NoSockets("Editor windows are reached over Unix sockets, which asyncio lacks on Windows.")


def socket_of(pid: int) -> Path:
    """Raises OSError where there is no private folder."""
    return folders.runtime() / NAME.format(pid=pid)


def sockets() -> list[Path]:
    """Every window's, the newest last; of some the process may be dead.  An editor may have made its socket elsewhere
    than a program would that was started without the editor's variables.  Raises OSError."""
    sockets_by_time = list[tuple[int, Path]]()
    for path in (path for folder in folders.runtimes() for path in folder.glob(NAME.format(pid="*"))):
        with suppress(OSError):  # its window was closed just now
            facts = path.lstat()
            if stat.S_ISSOCK(facts.st_mode) and (sys.platform == "win32" or facts.st_uid == os.getuid()):
                sockets_by_time.append((facts.st_mtime_ns, path))
    return [path for _, path in sorted(sockets_by_time)]
