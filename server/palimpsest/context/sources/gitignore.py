"""Which paths git would ignore, and which never count: one answer for every source.

In: a folder of the workspace.  Out: whether a path below it is ignored.  Reads `.gitignore` files (nested, and those
of folders above up to the repository's top) and `.git/info/exclude`, each again only when it changed.  As in git, the
deepest file that has an opinion wins, and what lies in an ignored folder is ignored.  Knows no file's content.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

ALWAYS_IGNORED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        "node_modules",
        "__pycache__",
        ".venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".eggs",
        ".idea",
        ".DS_Store",
    }
)
# Files that editors make and remove while a person types; listing them would change the block all the time.
_PASSING = GitIgnoreSpec.from_lines(
    ["*.pyc", "*.pyo", "*.swp", "*.swo", "*.swx", "*~", ".#*", "\\#*#", "4913", "*.egg-info/"]
)
_MAX_LEVELS = 32

Stamp = tuple[int, int]


class IgnoreRules:
    """For one workspace folder.  `exclude`: further gitignore patterns, which nothing can take back.

    A rule file's time stamp is looked at once until `look_again`.
    """

    def __init__(self, root: Path, exclude: Sequence[str] = ()) -> None:
        self.root = root
        top = _repository_top(root)
        self._top = str(top)
        self._above = list(root.relative_to(top).parts)
        self._exclude = GitIgnoreSpec.from_lines(exclude)
        self._specs: dict[str, tuple[Stamp, GitIgnoreSpec | None]] = {}
        self._looked: set[str] = set()

    def look_again(self) -> None:
        self._looked.clear()

    def ignored(self, path: Path, *, is_dir: bool = False) -> bool:
        """Whether `path`, or a folder it is in, is ignored.  True for what is not below the workspace folder."""
        try:
            parts = path.relative_to(self.root).parts
        except ValueError:
            return True
        return any(
            self._ignored(parts[:n], is_dir=is_dir or n + 1 < len(parts), name=name) for n, name in enumerate(parts)
        )

    def ignored_in(self, folder: Path, name: str, *, is_dir: bool) -> bool:
        """Whether `name` in `folder` is ignored, the folder itself not being so."""
        return self._ignored(folder.relative_to(self.root).parts, name, is_dir=is_dir)

    def stamp(self, folder: Path) -> tuple[Stamp, ...]:
        """Changes when a rule file that has a say in `folder` does."""
        parts = [*self._above, *folder.relative_to(self.root).parts]
        files = [os.path.join(self._top, *parts[:n], ".gitignore") for n in range(len(parts) + 1)]
        return tuple(_stamp(file) for file in [*files, self._info_exclude])

    @property
    def _info_exclude(self) -> str:
        return os.path.join(self._top, ".git", "info", "exclude")

    def _ignored(self, folder: Sequence[str], name: str, *, is_dir: bool) -> bool:
        """`folder` as its parts below the workspace folder."""
        slash = "/" if is_dir else ""
        if name in ALWAYS_IGNORED or _PASSING.match_file(name + slash):
            return True
        if self._exclude.patterns and self._exclude.match_file("/".join([*folder, name]) + slash):
            return True
        parts = [*self._above, *folder]
        if is_dir and os.path.exists(os.path.join(self._top, *parts, name, "pyvenv.cfg")):
            return True
        for n in range(len(parts), -1, -1):
            spec = self._spec(os.path.join(self._top, *parts[:n], ".gitignore"))
            if spec is not None:
                verdict = spec.check_file("/".join([*parts[n:], name]) + slash).include
                if verdict is not None:
                    return verdict
        spec = self._spec(self._info_exclude)
        return spec is not None and spec.match_file("/".join([*parts, name]) + slash)

    def _spec(self, file: str) -> GitIgnoreSpec | None:
        known = self._specs.get(file)
        if known is not None and file in self._looked:
            return known[1]
        stamp = _stamp(file)
        self._looked.add(file)
        if known is not None and known[0] == stamp:
            return known[1]
        spec = None
        if stamp != (0, 0):
            try:
                with open(file, encoding="utf-8", errors="replace") as lines:
                    spec = GitIgnoreSpec.from_lines(lines.read().splitlines())
            except (OSError, ValueError):  # not readable, or a pattern that is none: git goes on without it, too
                spec = None
        self._specs[file] = (stamp, spec)
        return spec


def _stamp(file: str) -> Stamp:
    try:
        status = os.stat(file)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size + 1


def _repository_top(root: Path) -> Path:
    for _, folder in zip(range(_MAX_LEVELS), [root, *root.parents], strict=False):
        if (folder / ".git").exists():
            return folder
    return root
