"""Folders that are held open while something is written in them, and gone through one by one.

In: a folder, names in it.  Out: files by these names.  No link is followed, also none that takes a folder's place
between two steps.  Where the system opens no folders (Windows), names stand for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_CAN_HOLD = os.open in os.supports_dir_fd
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class HeldFolder:
    """`handle`: None where the system holds none.  Whatever it does raises OSError; a link or a file in the place of a
    folder is one (ELOOP, ENOTDIR)."""

    path: Path
    handle: int | None
    _held: ExitStack

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[HeldFolder]:
        with ExitStack() as held:
            yield cls(path, _opened(held, str(path), None), held)

    def at(self, name: str) -> str:
        """How a file is called beside `handle`."""
        return name if self.handle is not None else str(self.path / name)

    def below(self, names: Sequence[str]) -> HeldFolder | None:
        """None where it is not there."""
        folder = self
        try:
            for name in names:
                folder = folder._in(name)
        except FileNotFoundError:
            return None
        return folder

    @contextmanager
    def made_below(self, names: Sequence[str]) -> Iterator[HeldFolder]:
        """With the folders that are missing, which go again where something is raised."""
        made, folder = list[tuple[HeldFolder, str]](), self
        try:
            for name in names:
                try:
                    os.mkdir(folder.at(name), dir_fd=folder.handle)
                    made.append((folder, name))
                except FileExistsError:
                    pass
                folder = folder._in(name)
            yield folder
        except BaseException:  # cancelled, too: what was made for it goes
            for around, name in reversed(made):
                with suppress(OSError):  # something is in it by now
                    os.rmdir(around.at(name), dir_fd=around.handle)
            raise

    def _in(self, name: str) -> HeldFolder:
        return HeldFolder(self.path / name, _opened(self._held, self.at(name), self.handle), self._held)

    def rename(self, old: str, new: str) -> None:
        os.replace(self.at(old), self.at(new), src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def link(self, old: str, new: str) -> None:
        os.link(self.at(old), self.at(new), src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def remove(self, name: str) -> None:
        os.unlink(self.at(name), dir_fd=self.handle)

    def names(self) -> list[str]:
        return os.listdir(self.path if self.handle is None else self.handle)

    def flush(self) -> None:
        """Its entries reach the disk, where that can be asked."""
        if self.handle is not None:
            with suppress(OSError):  # not every file system can
                os.fsync(self.handle)


def _opened(held: ExitStack, name: str, folder: int | None) -> int | None:
    if not _CAN_HOLD:
        os.stat(name)
        return None
    handle = os.open(name, _OPEN, dir_fd=folder)
    held.callback(os.close, handle)
    return handle
