"""A git repository as git is shown it: its own objects and names, and of its settings those that name no file.

In: a folder.  Out: a folder for `GIT_DIR` that lasts for one question.  A repository may come from anywhere, and names
files in many of its settings (`include.path`, `diff.orderFile`, `core.attributesFile`), by links, and by files that
lead elsewhere (`.git`, `commondir`, `alternates`).  So git sees nothing but what is linked here, after a look: regular
files and folders that belong to this repository.  Writes nothing in it.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from palimpsest.errors import GitError
from palimpsest.system.reading import MOST_OF_SETTINGS, Refused, read_text

_MOST_LEVELS = 32
_MOST_OF_A_PATH = 4_096
_MOST_ENTRIES = 50_000
"""At most this many entries of `refs` or `objects` are listed; git packs its objects beyond some 6,700 files."""
_MOST_OF_REFS = 64_000_000
"""Bytes of `packed-refs`, which git maps, so that no bound of its memory counts them; some 500,000 names."""
_MOST_BESIDE = 500_000
"""Entries of a folder that are looked through for rules."""
_RULES = (".gitignore", ".gitattributes")
_NO_REPOSITORY = "is in no git repository"
# In time linear in the line: nothing that repeats is followed by what could match the same.
_SECTION = re.compile(r'\s*+\[\s*+([\w.-]++)(?>(?:\s++"[^"]*+")?)\s*+\]')
_SETTING = re.compile(r'\s*+(\w++)\s*+=\s*+(?:"([^"\\]*+)"\s*+|([^"#;\\]*+))(?>(?:[#;].*+)?)')
_KEPT = {
    "core": {"autocrlf", "eol", "filemode", "ignorecase", "precomposeunicode", "symlinks", "trustctime"},
    "extensions": {"objectformat", "refstorage"},
}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Repository:
    """`top` has `.git`; `own` is the git folder of this working tree, `common` that of all of its repository."""

    top: Path
    own: Path
    common: Path


def top_of(folder: Path) -> Path:
    """The folder with `.git` that `folder` is in, or `folder` itself."""
    for _, around in zip(range(_MOST_LEVELS), [folder, *folder.parents], strict=False):
        if os.path.lexists(around / ".git"):
            return around
    return folder


def repository_of(folder: Path) -> Repository:
    """The repository that `folder` is in.  Raises GitError where it is in none, or `.git` leads to one that does not
    say that this is a working tree or a submodule of its."""
    top = top_of(folder)
    try:
        own, common = folders_of(top)
        is_ours = _belongs(Path(os.path.realpath(top)), own, common)
    except (FileNotFoundError, NotADirectoryError):
        raise GitError(f"{folder} {_NO_REPOSITORY}.", hint="Open a folder that is in one.") from None
    except (OSError, ValueError, Refused) as error:
        raise GitError(f"git's files in {top} cannot be read: {error}.") from None
    if not is_ours:
        raise GitError(f"{top / '.git'} leads to another repository, which does not know of this folder.")
    return Repository(top, own, common)


def folders_of(top: Path) -> tuple[Path, Path]:
    """The git folder that `.git` leads to, and that of all of its repository, which may be another's.  Raises
    FileNotFoundError or NotADirectoryError where there is none, else OSError, ValueError or Refused."""
    own = _git_folder(top)
    return own, Path(os.path.realpath(own / (_line(own / "commondir") or ".")))


def check_rules(folder: Path) -> None:
    """Raises GitError where git would wait for the end of rules: a pipe or a device in, below or above `folder`.  Where
    there are too many entries, the last of them are not looked at."""
    top = top_of(folder)
    around = (os.fspath(path) for path in (folder, *folder.parents) if path.is_relative_to(top))
    entries = islice(_below(folder, OSError), _MOST_BESIDE)
    below = (entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    for path in chain(around, below):
        for name in _RULES:
            with suppress(OSError):  # there is none, or git cannot read it either
                mode = os.lstat(file := os.path.join(path, name)).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):  # git follows no link here
                    raise GitError(f"{file} is no regular file.")


@contextmanager
def shown_to_git(folder: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """The repository's top, and the variables with which git sees it.  Raises GitError."""
    repository = repository_of(folder)
    with TemporaryDirectory(prefix="palimpsest-git-") as made:
        try:
            _fill(Path(made), repository)
        except (FileNotFoundError, NotADirectoryError):
            raise GitError(f"{folder} {_NO_REPOSITORY}.", hint="Open a folder that is in one.") from None
        except (OSError, Refused) as error:
            raise GitError(f"git's files in {repository.top} are not as git makes them: {error}.") from None
        yield repository.top, {"GIT_DIR": made, "GIT_WORK_TREE": os.fspath(repository.top)}


def _git_folder(top: Path) -> Path:
    """Raises FileNotFoundError where there is none."""
    dot = top / ".git"
    if os.path.isdir(dot):
        return Path(os.path.realpath(dot))
    _, is_link, path = _line(dot).partition("gitdir: ")
    if not is_link:
        raise FileNotFoundError(dot)
    return Path(os.path.realpath(top / path))


def _belongs(top: Path, own: Path, common: Path) -> bool:
    """All resolved.  What lies in `top` is of it; else the other side has to name this folder."""
    if own.is_relative_to(top) and common.is_relative_to(top):
        return True
    if own.parent == common / "worktrees":
        return os.path.realpath(own / _line(own / "gitdir")) == os.path.realpath(top / ".git")
    if own != common:
        return False
    worktree = next((value for name, value in _settings(own) if name == "core.worktree"), "")
    return bool(worktree) and os.path.realpath(own / worktree) == os.fspath(top)


def _line(path: Path) -> str:
    """A file's only line, "" for no file.  Raises OSError or Refused."""
    if not os.path.lexists(path):
        return ""
    return read_text(path, _MOST_OF_A_PATH, [path.parent]).rstrip("\r\n")


def _settings(folder: Path) -> Iterator[tuple[str, str]]:
    """`core.worktree` and its value, of the file alone: what it includes does not count."""
    section = ""
    for line in read_text(folder / "config", MOST_OF_SETTINGS, [folder]).split("\n"):
        if len(line) > _MOST_OF_A_PATH:
            continue
        if head := _SECTION.match(line):
            section, line = head[1].lower(), line[head.end() :]
        if setting := _SETTING.fullmatch(line):
            yield f"{section}.{setting[1].lower()}", (setting[2] or setting[3] or "").strip()


def _fill(made: Path, repository: Repository) -> None:
    """Raises OSError or Refused."""
    if not (head := _line(repository.own / "HEAD")):
        raise FileNotFoundError(repository.own / "HEAD")
    (made / "info").mkdir()
    (made / "HEAD").write_text(f"{head}\n", encoding="utf-8")
    (made / "config").write_text(_config(repository.common), encoding="utf-8")
    _check_objects(repository.common / "objects")
    _check_below(repository.common / "refs", _MOST_OF_A_PATH)
    for name in ("objects", "refs"):
        (made / name).symlink_to(repository.common / name)
    if os.path.lexists(repository.common / "reftable"):
        _check_below(repository.common / "reftable")
        (made / "reftable").symlink_to(repository.common / "reftable")
    for name in ("packed-refs", "shallow", "info/exclude", "info/attributes"):
        _link(repository.common, made, name, _MOST_OF_REFS if name == "packed-refs" else MOST_OF_SETTINGS)
    with os.scandir(repository.own) as entries:
        for entry in entries:
            if entry.name == "index" or entry.name.startswith("sharedindex."):
                _link(repository.own, made, entry.name, None)


def _config(common: Path) -> str:
    lines = ["[core]", "bare = false", "repositoryformatversion = 1"]
    for name, value in _settings(common):
        section, _, key = name.partition(".")
        if key in _KEPT.get(section, ()) and _WORD.fullmatch(value):
            lines += [f"[{section}]", f"{key} = {value}"]
    return "\n".join([*lines, ""])


def _link(folder: Path, made: Path, name: str, most: int | None) -> None:
    """Nothing for a file that is not there.  Raises Refused for what is no regular file."""
    try:
        status = os.lstat(folder / name)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode) or (most is not None and status.st_size > most):
        raise Refused(f"{name} is no regular file, or too large")
    (made / name).symlink_to(folder / name)


def _check_objects(objects: Path) -> None:
    """None of another repository."""
    _check_below(objects)
    if _line(objects / "info" / "alternates"):
        raise Refused("objects/info/alternates leads to the objects of another repository")


def _check_below(folder: Path, most: int | None = None) -> None:
    """Raises Refused for a link, a pipe or a device in it, or a file of more than `most` bytes, at whatever depth."""
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        raise Refused(f"{folder.name} is no folder")
    for n, entry in enumerate(_below(folder, FileNotFoundError), 1):  # git may be at work, and remove some
        if n > _MOST_ENTRIES or not (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)):
            raise Refused(f"{folder.name} has too many entries, or one that is no regular file")
        with suppress(FileNotFoundError):  # git is at work, and has removed it
            if most is not None and entry.is_file() and entry.stat().st_size > most:
                raise Refused(f"{entry.name} in {folder.name} is larger than {most:,} bytes")


def _below(folder: Path, passed_over: type[OSError]) -> Iterator[os.DirEntry[str]]:
    """What is in it, at whatever depth; no link is followed.  `passed_over`: folders that raise it count as empty."""
    waiting = [os.fspath(folder)]
    while waiting:
        with suppress(passed_over), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                yield entry
