"""Hunks that commits added to a git repository, and the trees that they were added to.

In: a repository, a seed.  Out: `Added`s, one of each commit; a commit's parent as a folder.  Taken are 3 to 12 lines of
code that replace none.  Lines that the same commit takes out elsewhere were moved, not written: with many of these a
hunk is left aside.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.traces.history import GIT_S, Hunk, git, hunks
from bench.traces.places import has_functions
from palimpsest.errors import GitError, InvalidArgument
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scopes
from palimpsest.system.git import contents, run

FEWEST, MOST = 3, 12
"""Lines of a hunk; those that have something in them count for the first."""
LONGEST, MOST_CHARS = 160, 60_000
"""Characters of a line, and of the file."""
MOST_FILES = 20
"""Of a commit: a larger one is no work of a person at a keyboard."""
MOVED = 1 / 3
FILES = frozenset({"100644", "100755", "100664"})
"""Modes of regular files."""
AT_ONCE = 200
"""Files that are read, and written, together."""


@dataclass(frozen=True, slots=True)
class Added:
    """`text` is typed between `before` and `after`, which are the parent's file; it begins with a line end, and ends
    without one."""

    repo: Path
    commit: str
    file: str
    before: str
    text: str
    after: str

    @property
    def language(self) -> str:
        return language_of("", self.file).id


def drawn(repo: Path, n: int, seed: int, until: str = "HEAD") -> list[Added]:
    """At most `n`, each from another commit.  Raises InvalidArgument, also where there is none."""
    found = at_most(repo, n, seed, until)
    if not found:
        raise InvalidArgument("REPO", f"{repo} has no commit that adds {FEWEST} to {MOST} lines of code.")
    return found


def at_most(repo: Path, n: int, seed: int, until: str) -> list[Added]:
    """`drawn`, which may be none.  Raises InvalidArgument with git's own words."""
    log = git(repo, "log", "--no-merges", "--format=%H %P", until).splitlines()
    commits = [commit for commit, _, parents in (line.partition(" ") for line in log) if parents]
    random, found = Random(seed), list[Added]()
    random.shuffle(commits)
    for commit in commits:
        if some := list(_of_commit(repo, commit)):
            found.append(random.choice(some))
        if len(found) == n:
            break
    return found


def unpacked(added: Added, folder: Path) -> None:
    """Write the tree that it was added to.  Raises InvalidArgument."""
    unpacked_tree(added.repo, f"{added.commit}^", folder)


def unpacked_tree(repo: Path, commit: str, folder: Path) -> None:
    """Write a commit's files below a folder, but for links and what is too large to be shown.  They are as they were
    committed: `git archive` would run filters, and leave out what the repository says.  Raises InvalidArgument."""
    try:
        listed = os.fsdecode(run(repo, "ls-tree", "-r", "-z", "--full-tree", commit, timeout_s=GIT_S)).split("\0")
        entries = [(facts.split(" "), path) for facts, _, path in (line.partition("\t") for line in listed) if path]
        files = [(name, path) for (mode, _, name), path in entries if mode in FILES]
        for at in range(0, len(files), AT_ONCE):
            some = files[at : at + AT_ONCE]
            texts = contents(repo, (name for name, _ in some), GIT_S)
            for name, path in some:
                place = folder / path
                if name in texts and place.resolve().is_relative_to(folder.resolve()):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(texts[name])
    except GitError as error:
        raise InvalidArgument("REPO", f"git ls-tree: {error}") from None


def _of_commit(repo: Path, commit: str) -> Iterator[Added]:
    changed = git(repo, "diff", "--name-only", "-z", "--no-renames", "--diff-filter=M", f"{commit}^", commit)
    files = [file for file in changed.split("\0") if file]
    if len(files) > MOST_FILES:
        return
    made = {file: list(hunks(_diff(repo, commit, file))) for file in files if has_functions(file)}
    gone = _gone(repo, commit) if made else frozenset[str]()
    for file, some in made.items():
        if not (fit := [hunk for hunk in some if _is_fit(hunk, gone)]):
            continue
        old = git(repo, "show", f"{commit}^:{file}")
        if len(old) <= MOST_CHARS and _is_code(file, old):
            yield from (_added(repo, commit, file, old, hunk) for hunk in fit)


def _is_code(file: str, text: str) -> bool:
    return any(it.kind == "function" for it in scopes(parse_text(text, language_of("", file))))


def _diff(repo: Path, commit: str, *files: str) -> str:
    return git(repo, "diff", "-U0", "--no-renames", "--no-color", f"{commit}^", commit, "--", *files)


def _gone(repo: Path, commit: str) -> frozenset[str]:
    lines = _diff(repo, commit).split("\n")
    return frozenset(line[1:].strip() for line in lines if line.startswith("-") and not line.startswith("---"))


def _is_fit(hunk: Hunk, gone: frozenset[str]) -> bool:
    said = [line.strip() for line in hunk.added if line.strip()]
    is_size = hunk.old_at > 0 and not hunk.removed and len(said) >= FEWEST and len(hunk.added) <= MOST
    if not is_size or max(map(len, hunk.added)) > LONGEST:
        return False
    return sum(line in gone for line in said) <= MOVED * len(said)


def _added(repo: Path, commit: str, file: str, old: str, hunk: Hunk) -> Added:
    lines = old.split("\n")
    text = "\n" + "\n".join(line.rstrip() for line in hunk.added).rstrip("\n")
    before, after = "\n".join(lines[: hunk.old_at]), "\n".join(lines[hunk.old_at :])
    return Added(repo, commit, file, before, text, f"\n{after}")
