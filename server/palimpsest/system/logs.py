"""The log of every process of ours: files that nobody else reads, lines that nobody else writes.

In: a format, a file.  Out: logging handlers.  What a line says may come from anywhere (a client's name, a path, a
library's exception): a line end or a terminal's control sequence in it would look like lines of ours, so they are
written as escapes, and what is very long is cut.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
from io import TextIOWrapper
from pathlib import Path

LONGEST = 4_000
"""Characters of one message, and of one line of a traceback."""
MOST_LINES = 200
"""Lines of one traceback."""
PRIVATE = 0o600
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What ends a line, moves a cursor, or turns the direction of writing; half of a character has no bytes."""


def one_line(text: str) -> str:
    """`text` without anything that is more than characters of one line, and not longer than `LONGEST`."""
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} characters)"
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], cut)


class Formatter(logging.Formatter):
    """A message is one line; a traceback's lines are indented, so that none of them can be taken for a message."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = one_line(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:
        return _indented(super().formatException(ei))  # type: ignore[arg-type]

    def formatStack(self, stack_info: str) -> str:
        return _indented(super().formatStack(stack_info))


def _indented(text: str) -> str:
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], "…", *lines[-MOST_LINES // 2 :]]
    return "\n".join(f"  {one_line(line)}" for line in lines)


class PrivateFile(logging.handlers.RotatingFileHandler):
    """A file for its owner alone (mode 0600), also one that an earlier version left for all to read."""

    def __init__(self, path: Path, *, max_bytes: int, n_old: int) -> None:
        super().__init__(path, maxBytes=max_bytes, backupCount=n_old, encoding="utf-8")
        for i in range(1, n_old + 1):
            make_private(path.with_name(f"{path.name}.{i}"))

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk costs lines of the log, and no traceback for each of them."""

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        opened = open(  # noqa: SIM115  the handler closes it
            path, self.mode, encoding=self.encoding, errors="backslashreplace", opener=private
        )
        make_private(path)
        return opened  # type: ignore[return-value]


def private(path: str, flags: int) -> int:
    """An opener: the file is made with mode 0600, a link in its place is not followed, and for a pipe's reader nobody
    waits (it is an OSError)."""
    careful = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"))
    return os.open(path, flags | sum(careful), PRIVATE)


def make_private(path: Path) -> None:
    try:
        if path.lstat().st_mode & 0o777 != PRIVATE and not path.is_symlink():
            path.chmod(PRIVATE)
    except OSError:
        return
