"""Files of the workspace are written here: whole or not at all.

In: a path, a text, how it is to be written.  Out: what was written.  The text goes to a new file in the same folder,
reaches the disk, and takes the old one's place in one step, so that a crash or a full disk leaves the old file whole.
What a process that was killed has left of such a file goes with the next write in that folder.
Every folder on the way is held open (`held_folders.py`): a link that takes one's place meanwhile leads nowhere.
Mode bits, line ends and byte order mark stay as they were, and what others of us add at the same time stays, too.  A
file that exists is overwritten only if that was said.
Knows no editor: of a document that is open there, `changes.py` gives the change.
"""

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from palimpsest.errors import AlreadyExists, Denied, InvalidArgument, PalimpsestError, StaleDocument
from palimpsest.system.process_lock import holding
from palimpsest.system.reading import Refused, read_there
from palimpsest.workspace.changes import FileWrite, changed, n_lines
from palimpsest.workspace.held_folders import HeldFolder
from palimpsest.workspace.places import FIELD, around, place, shown

PATIENCE_S = 10.0
"""Another window, or an agent, that writes in the same folder is waited for this long."""
STALE_S = 600.0
"""As old is no file that is still being written."""
MOST_BYTES = 100_000_000
"""A file that is appended to or inserted in may have this many bytes."""
_OURS = ".palimpsest-writes-"
_LEFT = re.compile(rf"{re.escape(_OURS)}[0-9a-f]{{16}}\.tmp")
_BOM = b"\xef\xbb\xbf"
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """`shown` is the path as people see it; `bytes` and `lines` are those of the text, not of the whole file."""

    shown: str
    bytes: int
    lines: int


def write(
    file: FileWrite, roots: Sequence[Path], *, exclude: Sequence[str] = (), asked: Path | None = None
) -> WrittenFile:
    """`asked`: the place that the person has agreed to.  Raises OutsideWorkspace, Denied, AlreadyExists, NotFound,
    OutOfRange, InvalidArgument or StaleDocument; whatever is raised, an old file is as it was."""
    file.check()
    try:
        data = file.text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument("content", "it has half a character (a lone surrogate) in it.") from None
    n_bytes, path = len(data), place(file.path, roots, exclude, asked)
    root = around(path, roots).resolve()
    try:
        with holding(path.parent, PATIENCE_S), HeldFolder.opened(root) as folder:
            inner = folder.below(path.parent.relative_to(root).parts)
            before = None if inner is None else _status(inner, path.name)
            file.check_there(before is not None)
            if inner is not None and before is not None:
                data = _after(inner, path.name, file)
            _replace(folder, path.relative_to(root).parts, data, before)
    except TimeoutError:
        raise PalimpsestError(f"{file.path} is being written by another window; try again.") from None
    except OSError as error:
        raise PalimpsestError(f"{file.path} could not be written: {error.strerror or error}.") from error
    return WrittenFile(shown(path, roots), n_bytes, n_lines(file.text))


def _after(folder: HeldFolder, name: str, file: FileWrite) -> bytes:
    """The bytes of a file that exists, after the change."""
    try:
        data = read_there(folder.handle, folder.at(name), MOST_BYTES)
        bom = _BOM if data.startswith(_BOM) else b""
        old = data[len(bom) :].decode()
    except (Refused, OSError) as error:
        if file.mode == "write" and isinstance(error, Refused):
            return file.text.encode()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Denied(f"{FIELD}: {name} cannot be read: {reason}.") from error
    except UnicodeDecodeError:
        if file.mode == "write":
            return file.text.encode()
        raise Denied(f"{FIELD}: {name} is no UTF-8 text, so nothing is added to it.") from None
    return bom + changed(old, replace(file, text=file.text.removeprefix("\ufeff")) if bom else file).encode()


def _status(folder: HeldFolder, name: str) -> os.stat_result | None:
    try:
        return os.stat(folder.at(name), dir_fd=folder.handle, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Denied(f"{FIELD}: {name} cannot be looked at: {error.strerror}.") from error


def _replace(root: HeldFolder, parts: Sequence[str], data: bytes, before: os.stat_result | None) -> None:
    *folders, name = parts
    temporary = f"{_OURS}{secrets.token_hex(8)}.tmp"
    with root.made_below(folders) as folder:
        _remove_left(folder)
        try:
            _write_through(folder, temporary, data, before)
            if before is None:
                _put_new(folder, temporary, name)
            else:
                if not _is_same(before, _status(folder, name)):
                    raise StaleDocument(f"{name} was changed while it was being written; it was left as it is.")
                folder.rename(temporary, name)
        except BaseException:  # cancelled, too: nothing stays beside the file
            with suppress(OSError):  # it was not made, or has its new name
                folder.remove(temporary)
            raise
        folder.flush()


def _remove_left(folder: HeldFolder) -> None:
    """Not what another of us may be writing, where the folder was made just now or the system holds none."""
    left = filter(_LEFT.fullmatch, folder.names())
    for name in left:
        status = _status(folder, name)
        if status is not None and time.time() - status.st_mtime > STALE_S:
            with suppress(OSError):  # another one removes it
                folder.remove(name)


def _write_through(folder: HeldFolder, name: str, data: bytes, before: os.stat_result | None) -> None:
    descriptor = os.open(folder.at(name), _CREATE, 0o666, dir_fd=folder.handle)
    with open(descriptor, "wb") as file:
        if before is not None:
            _keep_mode(descriptor, before)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _keep_mode(descriptor: int, before: os.stat_result) -> None:
    if not hasattr(os, "fchmod"):
        return
    with suppress(OSError):  # only its owner may
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _put_new(folder: HeldFolder, temporary: str, name: str) -> None:
    """Gives a file its name unless another has it by now."""
    try:
        folder.link(temporary, name)
    except FileExistsError:
        raise AlreadyExists(FIELD, f"{name} exists already.", hint="Say overwrite=true to replace it.") from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV):
            raise
        if _status(folder, name) is not None:  # a file system without hard links
            raise AlreadyExists(FIELD, f"{name} exists already.") from None
        folder.rename(temporary, name)
    else:
        folder.remove(temporary)


def _is_same(before: os.stat_result, now: os.stat_result | None) -> bool:
    return now is not None and (before.st_ino, before.st_size, before.st_mtime_ns) == (
        now.st_ino,
        now.st_size,
        now.st_mtime_ns,
    )
