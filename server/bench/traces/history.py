"""A session from a git repository's history: each commit's hunks typed in.

In: a repository, how many commits.  Out: a `Trace`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.traces.format import Trace
from bench.traces.person import Person
from bench.traces.places import has_functions
from palimpsest.errors import GitError, InvalidArgument
from palimpsest.system.git import run

GIT_S = 600.0
"""A log of a large repository takes its time."""
_AS_IT_IS = {
    "diff": ("--no-ext-diff", "--no-textconv", "--no-color", "--inter-hunk-context=0", f"-O{os.devnull}"),
    "log": ("--no-show-signature", "--no-color", "--encoding=UTF-8"),
}
"""What a person's own settings would change: they show differences by a program of theirs, or signatures."""
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_HUNK_OLD = re.compile(r"^@@ -(\d+)(?:,(\d+))? ")


@dataclass(frozen=True, slots=True)
class Hunk:
    """From line `at` (from 0, above it all is new already), `removed` lines are replaced by `added`; `old_at` is the
    same line where nothing is new yet."""

    at: int
    removed: int
    added: tuple[str, ...]
    old_at: int


def history(
    repo: Path,
    *,
    commits: int,
    until: str,
    under: Sequence[str],
    seed: int,
    burst: int,
    typed_lines: int,
    most_files: int,
) -> Trace:
    """The last `commits` commits up to `until` that touch code below `under`, at most `most_files` files of it; what
    comes between them happens unseen (the file is as the next commit found it).

    Raises InvalidArgument when the repository has none or git says no.
    """
    chosen = _commits(repo, commits, until, under, most_files)
    if not chosen:
        raise InvalidArgument("repo", f"{repo} has no commit that changes code below {' '.join(under) or '.'}.")
    files = tree(repo, f"{chosen[0]}^", under)
    person = Person(files, seed, burst)
    for commit in chosen:
        for file in _changed(repo, commit, under):
            _type_in(person, repo, commit, file, typed_lines)
    return person.trace("history", f"the last {len(chosen)} commits of a git repository up to {chosen[-1][:12]}")


def tree(repo: Path, revision: str, under: Sequence[str]) -> dict[str, str]:
    """Code of a revision below some folders."""
    paths = git(repo, "ls-tree", "-r", "-z", "--name-only", revision, "--", *(under or ["."])).split("\0")
    return {path: git(repo, "show", f"{revision}:{path}") for path in paths if has_functions(path)}


def git(repo: Path, command: str, *arguments: str) -> str:
    """Paths mean what they say.  Raises InvalidArgument with git's own words."""
    try:
        words = run(repo, "--literal-pathspecs", command, *_AS_IT_IS.get(command, ()), *arguments, timeout_s=GIT_S)
    except GitError as error:
        raise InvalidArgument("repo", f"git {command}: {error}") from None
    return words.decode("utf-8", "replace").replace("\r\n", "\n")


def _commits(repo: Path, n: int, until: str, under: Sequence[str], most_files: int) -> list[str]:
    """Oldest first; each with a parent."""
    log = git(repo, "log", "--first-parent", "--no-merges", "--format=%H %P", until, "--", *(under or ["."]))
    found = []
    for line in log.splitlines():
        commit, _, parents = line.partition(" ")
        if parents and 0 < len(_changed(repo, commit, under)) <= most_files:
            found.append(commit)
        if len(found) == n:
            break
    return found[::-1]


def _changed(repo: Path, commit: str, under: Sequence[str]) -> list[str]:
    arguments = ("diff", "--name-only", "-z", "--no-renames", "--diff-filter=AM", f"{commit}^", commit)
    names = git(repo, *arguments, "--", *(under or ["."])).split("\0")
    return sorted(name for name in names if has_functions(name))


def _type_in(person: Person, repo: Path, commit: str, file: str, typed_lines: int) -> None:
    before = git(repo, "show", f"{commit}^:{file}") if _has(repo, f"{commit}^", file) else ""
    person.turn_to(file)
    if person.buffers.text(file) != before:  # changed in a commit that is left out
        person.rewrite(file, before, typed_lines=0)
    for hunk in hunks(git(repo, "diff", "-U0", "--no-renames", "--no-color", f"{commit}^", commit, "--", file)):
        lines = list(person.buffers.lines(file))
        lines[hunk.at : hunk.at + hunk.removed] = hunk.added
        person.rewrite(file, "\n".join(lines), typed_lines)
    person.look()
    person.save()


def _has(repo: Path, revision: str, file: str) -> bool:
    return bool(git(repo, "ls-tree", revision, "--", file).strip())


def hunks(diff: str) -> Iterator[Hunk]:
    """Of a diff of one file without context lines, from top to bottom."""
    at, removed, added, old_at = -1, 0, list[str](), 0
    for line in diff.split("\n"):
        if match := _HUNK.match(line):
            if at >= 0:
                yield Hunk(at, removed, tuple(added), old_at)
            old = _HUNK_OLD.match(line)
            assert old is not None
            removed, added = int(old[2] or 1), []
            old_at = int(old[1]) - (removed > 0)
            at = int(match[1]) - (match[2] != "0")
        elif at >= 0 and line.startswith("+"):
            added.append(line[1:])
    if at >= 0:
        yield Hunk(at, removed, tuple(added), old_at)
