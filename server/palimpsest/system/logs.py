"""The logs of our processes: private files with one line for each message.

In: a format, a file.  Out: logging handlers.  Parts of a message may be untrusted (a client's name, a path, a library's
exception) and contain line ends or control sequences that forge other lines; those are escaped, and long texts cut.
"""

import logging
import logging.handlers
import os
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

from palimpsest.visible import visible

LONGEST = 4_000
"""Characters of one message, and of one line of a traceback."""
MOST_LINES = 200
"""Lines of one traceback."""
PRIVATE = 0o600


def one_line(text: str) -> str:
    """`text` on one line, with control characters escaped, cut to `LONGEST`."""
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} characters)"
    return visible(cut)


class Formatter(logging.Formatter):
    """One line for each message; a traceback's lines are indented, so that none looks like a message.  `mask` takes
    out what no log may have."""

    def __init__(self, form: str, mask: Callable[[str], str] = str) -> None:
        super().__init__(form)
        self._mask = mask

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = self._mask(one_line(record.message))
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:
        return self._mask(_indented(super().formatException(ei)))  # type: ignore[arg-type]

    def formatStack(self, stack_info: str) -> str:
        return self._mask(_indented(super().formatStack(stack_info)))


def _indented(text: str) -> str:
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], "…", *lines[-MOST_LINES // 2 :]]
    return "\n".join(f"  {one_line(line)}" for line in lines)


class PrivateFile(logging.handlers.RotatingFileHandler):
    """A log file with mode 0600, also if an earlier version created it with another."""

    def __init__(self, path: Path, *, max_bytes: int, n_old: int) -> None:
        super().__init__(path, maxBytes=max_bytes, backupCount=n_old, encoding="utf-8")
        for i in range(1, n_old + 1):
            make_private(path.with_name(f"{path.name}.{i}"))

    def handleError(self, record: logging.LogRecord) -> None:
        """On a full disk lines are lost, without a traceback for each."""

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        opened = open(  # noqa: SIM115  the handler closes it
            path, self.mode, encoding=self.encoding, errors="backslashreplace", opener=private
        )
        make_private(path)
        return opened  # type: ignore[return-value]


def private(path: str, flags: int) -> int:
    """An opener that creates files with mode 0600, follows no link, and raises OSError rather than wait for a pipe's
    reader."""
    careful = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"))
    return os.open(path, flags | sum(careful), PRIVATE)


def make_private(path: Path) -> None:
    try:
        if path.lstat().st_mode & 0o777 != PRIVATE and not path.is_symlink():
            path.chmod(PRIVATE)
    except OSError:
        return
