"""Ask git about a folder or a file.  The only module that runs git.

In: a folder, a file.  Out: changed files, contents from git's object store, commits.  Writes nothing.  A repository may
come from anywhere, so git sees of it what `repository.py` shows, runs no program (hook, external diff, text conversion,
filter, file system monitor), fetches no missing objects, and has bounds on memory and time.  Callers decide which
folders may be asked about, and which files read.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Literal

from palimpsest.errors import GitError
from palimpsest.system.isolation import SEARCHED
from palimpsest.system.programs import on_path, trusted
from palimpsest.system.repository import check_rules, repository_of, shown_to_git, top_of

TIMEOUT_S = 20.0
"""Seconds, and of processor time as well."""
HISTORY_S = 4.0
"""A long history takes longer, and nobody waits for it: then nothing is known."""
MEMORY = 1 << 30
"""Bytes that git may have, besides files that are mapped."""
MAX_BYTES = 1_000_000
"""Larger contents are not returned."""

Kind = Literal["added", "changed", "removed", "renamed"]

_PASSED_ON = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH",
)
"""The variables of git that concern the user and the machine.  Others (`GIT_DIR`, `GIT_INDEX_FILE`, ...) may come from
a git that started the editor, and name another repository."""
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_PAGER": "",
    "LC_ALL": "C",
}
_SETTINGS = (
    "core.quotePath=false",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.warnAmbiguousRefs=false",
    "log.mailmap=false",
)
_MARK = "\x1e"
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_BOUNDED = """for bound in "-d $1" "-t $2"; do (ulimit $bound) 2>&- && ulimit $bound; done; shift 2; exec "$@\""""
"""A shell's: what a process starts another with (`preexec_fn`) may not run beside threads."""
_NONE, _EXECUTABLE = "000000", "100755"
_REGULAR = frozenset({_NONE, "100644", _EXECUTABLE})


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs from the last commit; one that `git mv` moved was `before` somewhere else.

    `old` and `new` name its content in the last commit and in the index, for `contents`; "" for none.  The file on disk
    may differ from `new`.  `is_regular`: neither a link nor a repository of its own; `is_executable`: where that
    changed, whether it is now.
    """

    path: Path
    kind: Kind
    old: str
    new: str
    is_regular: bool = True
    before: Path | None = None
    is_executable: bool | None = None


def changed(folder: Path, *, staged: bool = False) -> list[ChangedFile]:
    """The files below `folder` that differ from the last commit, untracked ones included, sorted by path; with `staged`
    those that the next commit would change.

    Raises GitError if git is missing, there is no repository, a file of rules is a pipe or a device, or git fails.
    """
    top = repository(folder)
    check_rules(folder)
    untracked = "no" if staged else "all"
    words = run(
        folder,
        *(argument for name in _filters(folder) for argument in _without_filter(name)),
        *(
            "status",
            "--porcelain=v2",
            "-z",
            "--find-renames",
            "--ignore-submodules=all",
            f"--untracked-files={untracked}",
        ),
        *("--", "."),
    )
    by_path, lines = dict[Path, ChangedFile](), filter(None, os.fsdecode(words).split("\0"))
    for line in lines:
        before = next(lines) if line.startswith("2 ") else ""
        if (entry := _read(line, before, top, staged)) is not None:
            by_path.setdefault(entry.path, entry)  # what was taken out of the index is listed again as unknown
    return [by_path[path] for path in sorted(by_path)]


def contents(folder: Path, names: Iterable[str], timeout_s: float = TIMEOUT_S) -> dict[str, bytes]:
    """The contents that `changed` names, except those larger than MAX_BYTES.  Raises GitError."""
    objects = sorted({name for name in names if name})
    if not objects:
        return {}
    asked = "\n".join(objects) + "\n"
    sizes = run(folder, "cat-file", "--batch-check", text=asked, timeout_s=timeout_s).decode().splitlines()
    small = [line.split()[0] for line in sizes if line.split()[1:2] == ["blob"] and int(line.split()[2]) <= MAX_BYTES]
    asked = "".join(f"{name}\n" for name in small)
    return dict(_objects(run(folder, "cat-file", "--batch", text=asked, timeout_s=timeout_s)))


def tracked(folder: Path, paths: Iterable[Path]) -> dict[Path, str]:
    """The names of files' contents in the index, for `contents`; untracked files are left out.  Raises GitError."""
    arguments = [os.fspath(path) for path in paths]
    if not arguments:
        return {}
    top = repository(folder)
    words = run(folder, "--literal-pathspecs", "ls-files", "--stage", "--full-name", "-z", "--", *arguments)
    names = dict[Path, str]()
    for line in filter(None, os.fsdecode(words).split("\0")):
        facts, _, path = line.partition("\t")
        mode, name, stage = facts.split(" ")
        if mode in _REGULAR and stage == "0":
            names[top / path] = name
    return names


def repository(folder: Path) -> Path:
    """The top folder of the repository that `folder` is in.  Raises GitError."""
    return Path(os.path.realpath(repository_of(folder).top))


def run(folder: Path, *arguments: str, text: str = "", timeout_s: float = TIMEOUT_S, none: int = 0) -> bytes:
    """What git writes when it is run in `folder`, with `text` to read; nothing where it ends with the status `none`, if
    that is how it says that there is nothing.  Blocks.  Raises GitError with its own words."""
    settings = [argument for setting in _SETTINGS for argument in ("-c", setting)]
    command = [_program(folder), "--no-pager", *settings, *arguments]
    if os.name != "nt":
        command = ["/bin/sh", "-c", _BOUNDED, "sh", str(MEMORY >> 10), str(ceil(timeout_s)), *command]
    try:
        with shown_to_git(folder) as (_, repository_variables):
            done = subprocess.run(
                command,
                cwd=folder,
                input=text.encode(),
                capture_output=True,
                check=False,
                timeout=timeout_s,
                env=_around((folder, top_of(folder))) | repository_variables,
            )
    except subprocess.TimeoutExpired:
        raise GitError(f"git did not answer within {timeout_s:g} s in {folder}.") from None
    except OSError as error:
        raise GitError(f"git does not start in {folder}: {error}.") from None
    if done.returncode not in (0, none):
        words = done.stderr.decode(errors="replace").strip() or f"it ended with status {done.returncode}"
        raise GitError(f"git in {folder}: {words}")
    return done.stdout


def _program(folder: Path) -> str:
    """Never one of the folder or of its repository, where a search path would take programs from it."""
    path = on_path("git", (folder, top_of(folder)), os.environ.get("PATH", os.defpath))
    if path is None:
        raise GitError("git is not installed.", hint="Install it, or put it on the PATH of the editor.")
    return os.fspath(path)


def _around(untrusted: Sequence[Path], variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    inherited = {name: value for name, value in variables.items() if not name.startswith("GIT_") or name in _PASSED_ON}
    searched = {name: trusted(inherited[name], untrusted) for name in SEARCHED if name in inherited}
    return inherited | searched | _ENVIRONMENT


def _filters(folder: Path) -> list[str]:
    """The names of filters in any configuration, which `status` would run on files.  Raises GitError for a name that no
    command line can express, so that its filter could not be disabled."""
    words = run(folder, "config", "-z", "--name-only", "--get-regexp", r"^filter\.", none=1)
    keys = [key for key in os.fsdecode(words).split("\0") if key.count(".") > 1]  # one with less is no filter's
    names = {key.removeprefix("filter.").rpartition(".")[0] for key in keys}  # the empty name is a name, too
    if odd := next((name for name in names if "=" in name), None):
        raise GitError(f"git's filter {odd!r} in {folder} cannot be switched off.", hint="Rename it without a `=`.")
    return sorted(names)


def _without_filter(name: str) -> Iterator[str]:
    for setting in ("clean=", "smudge=", "process=", "required=false"):
        yield from ("-c", f"filter.{name}.{setting}")


def _read(line: str, before: str, top: Path, staged: bool) -> ChangedFile | None:
    """An entry of `status --porcelain=v2 -z`: `1 XY sub mH mI mW hH hI path`, `2 XY sub mH mI mW hH hI Xscore path`
    with the path before, `u XY sub m1 m2 m3 mW h1 h2 h3 path` or `? path`."""
    kind, _, rest = line.partition(" ")
    if kind == "?":
        return ChangedFile(top / rest.rstrip("/"), "added", "", "", is_regular=not rest.endswith("/"))
    if kind == "u" and not staged:
        _, _, _, m2, _, mode, _, old, _, path = rest.split(" ", 9)
        return _changed(top / path, old, "", (m2, mode))
    if kind not in ("1", "2"):
        return None
    state, _, in_commit, in_index, in_folder, old, new, path = rest.split(" ", 7)
    if kind == "2":
        _, _, path = path.partition(" ")
    if staged:
        return None if state[0] == "." else _changed(top / path, old, new, (in_commit, in_index), top, before)
    return _changed(top / path, old, new, (in_commit, in_folder), top, before)


def _changed(
    path: Path, old: str, new: str, modes: tuple[str, str], top: Path | None = None, before: str = ""
) -> ChangedFile:
    moved = top / before if top is not None and before else None
    if moved is not None and modes[1] == _NONE:  # moved, and then taken out of the folder
        path, moved = moved, None
    kind: Kind = "added" if modes[0] == _NONE else "removed" if modes[1] == _NONE else "renamed" if moved else "changed"
    old, new = ("" if not name.strip("0") else name for name in (old, new))
    is_file = _REGULAR.issuperset(modes)
    executable = modes[1] == _EXECUTABLE if is_file and _NONE not in modes and modes[0] != modes[1] else None
    return ChangedFile(path, kind, old, new, is_file, moved, executable)


def _objects(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """(name, content) of what `cat-file --batch` writes: a line `name type size`, the content, a newline."""
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        name, _, size = answer[at:end].decode().split(" ")
        yield name, answer[end + 1 : end + 1 + int(size)]
        at = end + 1 + int(size) + 1


@dataclass(frozen=True, slots=True)
class Commit:
    """`day` is the author's, `2026-11-23`; `changed` the lines that were taken away and put in, with `-` and `+`."""

    name: str
    day: str
    subject: str
    changed: tuple[str, ...]


def last_version(path: Path) -> bytes | None:
    """The file in the last commit; None where it is in none, or larger than `MAX_BYTES`.  Raises GitError."""
    try:
        name = run(
            path.parent,
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"HEAD:./{path.name}",
            timeout_s=HISTORY_S,
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
        timeout_s=HISTORY_S,
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
