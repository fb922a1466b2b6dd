"""Cases from a git repository's history: all hunks of a file but the last are typed, and the last one is expected.

In: a repository.  Out: for each commit two `Case`s, with the cursor where the last hunk begins: before it, and behind
it, where nothing is to be done any more.  Taken are commits that change a file with functions in a few small hunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from bench.next_edits.cases import Case
from bench.traces.history import Hunk, git, hunks
from palimpsest.errors import InvalidArgument
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scopes
from palimpsest.text.snapshot import Position

FEWEST, MOST = 2, 6
MOST_FILES = 8
MOST_LINES = 12
"""Of a hunk, before and after."""
MOST_CHARS = 60_000
"""Of the file."""


def read(repo: Path, n: int, seed: int, until: str = "HEAD") -> list[Case]:
    """Of `n` commits, fewer where there are no more.  Raises InvalidArgument."""
    log = git(repo, "log", "--no-merges", "--format=%H %P", until).splitlines()
    commits = [commit for commit, _, parents in (line.partition(" ") for line in log) if parents]
    Random(seed).shuffle(commits)
    found = list[Case]()
    for commit in commits:
        found += next(_of_commit(repo, commit), ())
        if len(found) >= 2 * n:
            break
    if not found:
        raise InvalidArgument("--history", f"{repo} has no commit with a few small hunks in a file of code.")
    return found


def _of_commit(repo: Path, commit: str) -> Iterator[tuple[Case, Case]]:
    changed = git(repo, "diff", "--name-only", "-z", "--no-renames", "--diff-filter=M", f"{commit}^", commit)
    files = [file for file in changed.split("\0") if file]
    for file in files if len(files) <= MOST_FILES else ():
        made = list(hunks(git(repo, "diff", "-U0", "--no-renames", "--no-color", f"{commit}^", commit, "--", file)))
        before = git(repo, "show", f"{commit}^:{file}")
        is_fit = len(before) <= MOST_CHARS and FEWEST <= len(made) <= MOST and all(map(_is_small, made))
        if is_fit and _has_functions(file, before):
            yield cases(f"{commit[:8]} {file}", file, before, made)


def _has_functions(file: str, text: str) -> bool:
    language = language_of("", file)
    return language.grammar is not None and any(it.kind == "function" for it in scopes(parse_text(text, language)))


def _is_small(hunk: Hunk) -> bool:
    says_something = hunk.removed or any(line.strip() for line in hunk.added)
    return bool(says_something) and max(hunk.removed, len(hunk.added)) <= MOST_LINES


def cases(name: str, file: str, before: str, made: Sequence[Hunk]) -> tuple[Case, Case]:
    lines, versions = before.split("\n"), [before]
    for hunk in made:
        lines[hunk.at : hunk.at + hunk.removed] = hunk.added
        versions.append("\n".join(lines))
    *typed, done = versions
    at = _begins(typed[-1].split("\n"), made[-1])
    return (
        Case(name, file, tuple(typed), at, done),
        Case(f"{name}, done", file, tuple(versions), at, None),
    )


def _begins(lines: Sequence[str], hunk: Hunk) -> Position:
    """Where the first line begins to differ; of new lines the end of the one above."""
    if not hunk.removed:
        return Position(hunk.at - 1, len(lines[hunk.at - 1])) if hunk.at else Position(0, 0)
    old, new = lines[hunk.at], hunk.added[0] if hunk.added else ""
    differs = (n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return Position(hunk.at, next(differs, min(len(old), len(new))))
