"""`palimpsest log`: where the logs of servers and engines are; `--follow` shows what is written to them.

In: the folder of logs.  Out: a path a line, the one written last first; or lines of logs, until Ctrl-C.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from palimpsest.system import folders

PAUSE_S = 0.3
FIRST_LINES = 10
"""When logs are followed, this many lines of each are shown first."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--follow", action="store_true", help="show the last lines of each, and what is written now")
    parser.set_defaults(ends_at_once=True)


def run(options: argparse.Namespace) -> int:
    place, earlier = folders.logs_place(), folders.state_place()
    if before := sorted(path.name for path in earlier.glob("*.log*") if path.is_file()):
        notice = f"Earlier versions wrote to {earlier}: {', '.join(before)}.  Nothing is added there any more."
        print(notice, file=sys.stderr, flush=True)
    if options.follow:
        print(f"{place}, until Ctrl-C:", file=sys.stderr, flush=True)
        _follow(place)
    files = sorted(filter(Path.is_file, place.glob("*.log")), key=lambda path: path.stat().st_mtime, reverse=True)
    print("\n".join(map(str, files)) or f"{place} (nothing was logged yet)")
    return 0


def _follow(place: Path) -> NoReturn:
    logs = {path: Followed(path, FIRST_LINES) for path in place.glob("*.log") if path.is_file()}
    last: Path | None = None
    while True:
        for path in sorted(filter(Path.is_file, place.glob("*.log"))):
            for text in logs.setdefault(path, Followed(path)).news():
                print(*[f"==> {path.name} <=="] * (path != last), text, sep="\n", flush=True)
                last = path
        time.sleep(PAUSE_S)


class Followed:
    """A log and how far it was shown.  It is opened for each look, so that who writes it can put it aside."""

    def __init__(self, path: Path, n_lines: int = 0) -> None:
        self._path = path
        self._number = 0
        self._offset = 0
        if n_lines:
            lines = path.read_bytes().splitlines(keepends=True)
            self._number, self._offset = path.stat().st_ino, sum(map(len, lines[:-n_lines]))

    def news(self) -> Iterator[str]:
        """Whole lines, first those that came before it was put aside."""
        aside = self._path.with_name(f"{self._path.name}.1")
        for path in (aside, self._path):
            try:
                with path.open("rb") as file:
                    facts = os.fstat(file.fileno())
                    if path == aside and facts.st_ino != self._number:
                        continue
                    if facts.st_ino != self._number:
                        self._number, self._offset = facts.st_ino, 0
                    file.seek(self._offset)
                    text, end, _ = file.read().rpartition(b"\n")
            except OSError:  # put aside just now, or nobody may read it
                continue
            self._offset += len(text) + len(end)
            if end:
                yield text.decode(errors="replace")
