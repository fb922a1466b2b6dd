"""What git's history says of a file: its content in the last commit, and the commits that changed some of its lines.

In: a file.  Out: bytes, commits.  Runs git through `system/git.py` alone, so nothing that a repository's configuration
names is run and nothing is fetched.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import GitError
from palimpsest.system.git import contents, run

TIMEOUT_S = 4.0
"""A long history takes longer, and nobody waits for it: then nothing is known."""
_MARK = "\x1e"
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Commit:
    """`day` is the author's, `2026-11-23`; `changed` the lines that were taken away and put in, with `-` and `+`."""

    name: str
    day: str
    subject: str
    changed: tuple[str, ...]


def last_version(path: Path) -> bytes | None:
    """The file in the last commit; None where it is in none, or larger than `git.MAX_BYTES`.  Raises GitError."""
    try:
        name = run(
            path.parent,
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"HEAD:./{path.name}",
            timeout_s=TIMEOUT_S,
        )
    except GitError:
        return None
    blob = os.fsdecode(name).strip()
    return contents(path.parent, [blob]).get(blob)


def commits_of(path: Path, first: int, last: int, most: int) -> list[Commit]:
    """The last commits that changed the 0-based lines `first` to `last` (included) of the file as it is in the last
    commit, newest first.  Raises GitError."""
    words = run(
        path.parent,
        "log",
        f"-L{first + 1},{last + 1}:{path.name}",
        f"--max-count={most}",
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--no-color",
        f"--format={_MARK}%h%x00%as%x00%s",
        timeout_s=TIMEOUT_S,
    )
    return [_commit(part) for part in words.decode("utf-8", "replace").split(_MARK)[1:] if part.count("\0") >= 2]


def _commit(part: str) -> Commit:
    head, _, patch = part.partition("\n")
    name, day, subject = head.split("\0", 2)
    lines, is_hunk = list[str](), False
    for line in patch.split("\n"):
        if _HUNK.match(line):
            is_hunk = True
        elif line.startswith("diff --git "):
            is_hunk = False
        elif is_hunk and line[:1] in ("+", "-") and line[1:].strip():
            lines.append(line)
    return Commit(name, day, subject, tuple(lines))
