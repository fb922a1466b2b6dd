"""Read untrusted files: of a workspace, of an environment in it, of a repository.

In: a path, a size limit, the folders that the file must be in.  Out: its bytes, or `Refused` with the reason.  An
untrusted repository may contain devices and pipes, which can be read for ever, files of a gigabyte, and links to files
elsewhere; so all of its files are read through this module.  Knows no format.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from palimpsest.errors import PalimpsestError

MOST_OF_SETTINGS = 1_000_000
"""Bytes of a file of settings or patterns."""
MOST_OF_SOURCE = 4_000_000
"""Bytes of a file of source."""
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Refused(PalimpsestError):
    """The file exists but is not read; the message is the reason, as the end of a sentence."""

    code = "refused"


def read(path: Path | str, most: int, inside: Iterable[Path] | None = None) -> bytes:
    """The content of a regular file of at most `most` bytes, which must be in one of the folders `inside`, links
    resolved.

    Raises Refused, and OSError (such as FileNotFoundError) if it cannot be opened.  Never waits for a writer.
    """
    real = os.path.realpath(path)
    if inside is not None and not any(_is_below(real, os.path.realpath(folder)) for folder in inside):
        raise Refused("leads outside the workspace")
    return read_there(None, real, most)


def read_there(folder: int | None, path: str, most: int) -> bytes:
    """The same of a file that is no link, by its name in a folder that is open."""
    # opening a device may have effects; `fstat` checks what replaced the file since
    _check(os.stat(path, dir_fd=folder, follow_symlinks=False), most)
    fd = os.open(path, os.O_RDONLY | _NO_WAITING | _NO_LINK, dir_fd=folder)
    with open(fd, "rb", buffering=0) as file:
        _check(os.fstat(fd), most)
        data = bytearray()
        while len(data) <= most and (piece := file.read(most + 1 - len(data))):
            data += piece
    if len(data) > most:  # files in /proc report 0, others grow
        raise Refused(f"is larger than {most:,} bytes")
    return bytes(data)


def read_text(path: Path | str, most: int, inside: Iterable[Path] | None = None) -> str:
    """`read` as UTF-8 without a byte order mark; invalid bytes become replacement characters."""
    return read(path, most, inside).decode("utf-8-sig", errors="replace")


def stamp(path: Path) -> tuple[int, int] | None:
    """What tells a version of a file from another: when it was written, and its size; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file of any size, or a link to one, for reading.  Raises Refused for anything else, and OSError if
    it cannot be opened.  Never waits for a writer."""
    check_regular(path)
    fd = os.open(path, os.O_RDONLY | _NO_WAITING)
    file = open(fd, "rb")  # noqa: SIM115  the caller closes it
    try:
        _check_kind(os.fstat(fd))
    except Refused:
        file.close()
        raise
    return file


def check_regular(path: Path) -> None:
    """Raises Refused if `path` is not a regular file, OSError if it does not exist."""
    _check_kind(os.stat(path))


def _check_kind(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Refused("is not a regular file")


def _check(status: os.stat_result, most: int) -> None:
    _check_kind(status)
    if status.st_size > most:
        raise Refused(f"is larger than {most:,} bytes")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
