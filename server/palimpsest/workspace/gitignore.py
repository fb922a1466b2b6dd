"""Which paths are ignored: by git, by `.palimpsestignore`, by a setting, or always.

In: a folder of the workspace.  Out: whether a path below it is ignored.  Reads `.gitignore` and `.palimpsestignore`
files in the folder, above it up to the top of the repository and below it, and `.git/info/exclude`; cached by time
stamp.  As in git, the deepest file with a matching pattern decides, and everything in an ignored folder is ignored.
A path is ignored if either kind of file says so: neither undoes what the other says.  Where a file of rules is there
but is not read, or has more of them than are tried, everything that it is about is ignored.
"""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from palimpsest.system.reading import MOST_OF_SETTINGS, Refused, read_text
from palimpsest.system.repository import folders_of, top_of
from palimpsest.text.patterns import EVERYTHING, MOST_LEVELS, Patterns

log = logging.getLogger(__name__)

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
# Files that editors create and remove while the user types; listing them would change the block all the time.
_PASSING = Patterns(["*.pyc", "*.pyo", "*.swp", "*.swo", "*.swx", "*~", ".#*", "\\#*#", "4913", "*.egg-info/"])

GIT = ".gitignore"
OURS = ".palimpsestignore"
Stamp = tuple[int, int]
MOST_READ = 1_024
"""Rule files, those included that are not there; beyond, the ones that were not asked for lately are forgotten."""


class IgnoreRules:
    """For one workspace folder.  `exclude`: further gitignore patterns, which no `!` can undo.  `around`: the rules of
    workspace folders that this one is in: what they exclude is excluded here, too.

    Time stamps are checked once until `look_again`.
    """

    def __init__(self, root: Path, exclude: Sequence[str] = (), around: "Sequence[IgnoreRules]" = ()) -> None:
        self.root = root
        self._outer = tuple(around)
        self._exclude = Patterns(exclude, "context.exclude")
        self._read: dict[str, tuple[Stamp, Patterns]] = {}
        self._repository: tuple[Path, Path, str] | None = None
        self._find_repository()
        self._checked: set[str] = set()
        self._around: bool | None = None
        self._folders: dict[tuple[str, ...], bool] = {}
        self._applying: dict[tuple[str, tuple[str, ...]], tuple[tuple[int, Patterns], ...]] = {}

    def _find_repository(self) -> None:
        """It may be made, moved or removed at any time."""
        top = top_of(self.root)
        found = top, *_git_folder(top)
        if found == self._repository:
            return
        self._repository = found
        self._top, self._above = str(top), self.root.relative_to(top).parts
        _, self._git, why_not = found
        self._read.clear()
        if why_not:
            log.warning("%s is not followed, so all is ignored: %s", top / ".git", why_not)
            self._read[self._info_exclude] = _stamp(self._info_exclude), Patterns([EVERYTHING], self._info_exclude)

    def look_again(self) -> None:
        if len(self._read) > MOST_READ:
            kept = self._checked | {self._info_exclude}
            self._read = {file: known for file, known in self._read.items() if file in kept}
        self._find_repository()
        self._checked.clear()
        self._around = None
        self._folders.clear()
        self._applying.clear()

    def ignored(self, path: Path, *, is_dir: bool = False) -> bool:
        """Whether `path` or a folder around it is ignored; True outside the workspace folder."""
        try:
            parts = path.relative_to(self.root).parts
        except ValueError:
            return True
        if len(self._above) + len(parts) > MOST_LEVELS or self._is_root_ignored() or self._is_excluded_around(path):
            return True
        return bool(parts) and (
            self._is_folder_ignored(parts[:-1]) or self._ignored(parts[:-1], parts[-1], is_dir=is_dir)
        )

    def _is_folder_ignored(self, parts: tuple[str, ...]) -> bool:
        """Whether a folder below the workspace folder, or one around it, is ignored; asked of every file in it."""
        if parts not in self._folders:
            self._folders[parts] = bool(parts) and (
                self._is_folder_ignored(parts[:-1]) or self._ignored(parts[:-1], parts[-1], is_dir=True)
            )
        return self._folders[parts]

    def _is_excluded_around(self, path: Path) -> bool:
        return any(rules.excluded(path) for rules in self._outer)

    def hidden(self, path: Path) -> bool:
        """Whether a `.palimpsestignore` names `path` or a folder around it: nothing of it reaches a model, whatever
        else speaks for it."""
        if any(rules.hidden(path) for rules in self._outer):
            return True
        try:
            parts = (*self._above, *path.relative_to(self.root).parts)
        except ValueError:
            return False
        if not self._rules_in(OURS, parts[: min(len(parts) - 1, MOST_LEVELS)]):
            return False
        return len(parts) > MOST_LEVELS or any(
            self._by_files(OURS, parts[:n], name, is_dir=n + 1 < len(parts)) is True for n, name in enumerate(parts)
        )

    def ignored_in(self, folder: Path, name: str, *, is_dir: bool) -> bool:
        """Whether `name` in `folder` is ignored, given that `folder` is not."""
        parts = folder.relative_to(self.root).parts
        return self._ignored(parts, name, is_dir=is_dir) or self._is_excluded_around(folder / name)

    def excluded(self, path: Path) -> bool:
        """Whether the setting or a `.palimpsestignore` excludes `path` or a folder around it, whatever git says."""
        if self.hidden(path) or self._is_excluded_around(path):
            return True
        parts = path.relative_to(self.root).parts if path.is_relative_to(self.root) else ()
        return bool(self._exclude) and any(
            self._exclude.ignores("/".join(parts[:n]) + "/" * (n < len(parts))) for n in range(1, len(parts) + 1)
        )

    def stamp(self, folder: Path) -> tuple[Stamp, ...]:
        """Changes when a rule file that applies in `folder` does."""
        parts = [*self._above, *folder.relative_to(self.root).parts]
        files = [os.path.join(self._top, *parts[:n], name) for n in range(len(parts) + 1) for name in (GIT, OURS)]
        around = [stamp for rules in self._outer for stamp in rules.stamp(folder)]
        return (*around, *(_stamp(file) for file in [*files, self._info_exclude]))

    @property
    def _info_exclude(self) -> str:
        return os.path.join(self._git, "info", "exclude")

    def _ignored(self, folder: tuple[str, ...], name: str, *, is_dir: bool) -> bool:
        """`folder` in parts below the workspace folder."""
        if name in ALWAYS_IGNORED or _PASSING.verdict([name], is_dir=is_dir):
            return True
        if self._exclude and self._exclude.ignores("/".join([*folder, name]) + "/" * is_dir):
            return True
        parts = (*self._above, *folder)
        if is_dir and os.path.exists(os.path.join(self._top, *parts, name, "pyvenv.cfg")):
            return True
        return self._by_rules(parts, name, is_dir=is_dir)

    def _is_root_ignored(self) -> bool:
        """Whether the workspace folder is in an ignored folder of a repository around it."""
        if self._around is None:
            self._around = any(self._by_rules(self._above[:n], name, is_dir=True) for n, name in enumerate(self._above))
        return self._around

    def _by_rules(self, parts: tuple[str, ...], name: str, *, is_dir: bool) -> bool:
        """Whether the rule files ignore `name` in the folder with these parts below the top of the repository."""
        if self._by_files(OURS, parts, name, is_dir=is_dir) is True:
            return True
        if (verdict := self._by_files(GIT, parts, name, is_dir=is_dir)) is not None:
            return verdict
        patterns = self._patterns(self._info_exclude)
        return bool(patterns and patterns.verdict([*parts, name], is_dir=is_dir))

    def _by_files(self, file: str, parts: tuple[str, ...], name: str, *, is_dir: bool) -> bool | None:
        """The verdict of the rule files with one name, from the innermost folder up."""
        for n, patterns in self._rules_in(file, parts):
            if (verdict := patterns.verdict([*parts[n:], name], is_dir=is_dir)) is not None:
                return verdict
        return None

    def _rules_in(self, file: str, parts: tuple[str, ...]) -> tuple[tuple[int, Patterns], ...]:
        """The rule files with one name that apply in a folder, innermost first, each with the number of folders around
        it."""
        about = file, parts
        if about not in self._applying:
            own = self._patterns(os.path.join(self._top, *parts, file))
            around = self._rules_in(file, parts[:-1]) if parts else ()
            self._applying[about] = ((len(parts), own), *around) if own else around
        return self._applying[about]

    def _patterns(self, file: str) -> Patterns:
        known = self._read.get(file)
        if known is not None and file in self._checked:
            return known[1]
        stamp = _stamp(file)
        self._checked.add(file)
        if known is not None and known[0] == stamp:
            return known[1]
        lines: Sequence[str] = ()
        if stamp != (0, 0):
            try:
                lines = read_text(file, MOST_OF_SETTINGS, [Path(self._top), self._git]).split("\n")
            except (OSError, Refused) as error:
                log.warning("%s is not read, so all is ignored: %s", file, error)
                lines = [EVERYTHING]
        patterns = Patterns(lines, file)
        self._read[file] = (stamp, patterns)
        return patterns


def _git_folder(top: Path) -> tuple[Path, str]:
    """Where git keeps what is of all worktrees, and why that is not known.  It is elsewhere if this is a worktree, a
    submodule or made with `--separate-git-dir`; it may be another's, for nothing of it is shown: its rules only ignore
    more."""
    try:
        return folders_of(top)[1], ""
    except (FileNotFoundError, NotADirectoryError):
        return top / ".git", ""
    except (OSError, ValueError, Refused) as error:
        return top / ".git", str(error) or "it cannot be read"


def _stamp(file: str) -> Stamp:
    try:
        status = os.stat(file)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size + 1
