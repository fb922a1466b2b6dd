"""Finds the Python interpreter of the workspace, and the folders where it keeps its modules.

In: the setting, the workspace's folders, environment variables.  Out: an `Environment`.  Does not know about modules.

An interpreter is run once, isolated, to report its folders.  It is run only if a person chose it (the setting, an
activated environment, the first on PATH, our own) and it lies outside the workspace and outside the repository that
contains the workspace folder: the author of a repository must not be able to run a program on the machine of someone
who opens a file of it.  An environment in the workspace is only read, within limits, and nothing of it is run or
imported: its version is taken from its `pyvenv.cfg`, and our own interpreter is used in its place (`-I -S`).  Links and
`.pth` files of such an environment that lead outside the workspace are not followed.
"""

import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.system import folders
from palimpsest.system.programs import on_path
from palimpsest.system.reading import MOST_OF_SETTINGS, Refused, read_text, stamp
from palimpsest.system.repository import top_of
from palimpsest.text.uris import is_inside

log = logging.getLogger(__name__)

PROBE_SECONDS = 10.0
_FOLDERS = (".venv", "venv", "env")
_CONFIGURATION = "pyvenv.cfg"
_MOST_ENTRIES, _MOST_PTH, _MOST_LINES, _MOST_FOLDERS = 20_000, 64, 1_000, 200
_PROBE = (
    "import sys, json, os, importlib.machinery as m;"
    "print(json.dumps({'version': '%d.%d.%d' % sys.version_info[:3], 'path': [p for p in sys.path if p],"
    "'stdlib': os.path.dirname(os.__file__), 'builtin': sorted(sys.builtin_module_names),"
    "'names': sorted(getattr(sys, 'stdlib_module_names', ())), 'os_path': os.path.__name__,"
    "'suffixes': m.EXTENSION_SUFFIXES}))"
)


@dataclass(frozen=True, slots=True)
class Environment:
    """`flags` are the options for running `python`.  `stdlib` and `site` are the folders to search for modules, in
    order.

    `trusted`: its installed packages may be imported in a separate process, except those in `strangers`, the
    workspace's folders and repositories.
    """

    python: Path
    flags: tuple[str, ...]
    version: str
    stdlib: tuple[Path, ...]
    site: tuple[Path, ...]
    builtin: frozenset[str]
    stdlib_names: frozenset[str]
    os_path: str
    suffixes: tuple[str, ...]
    trusted: bool
    strangers: tuple[Path, ...] = ()

    @property
    def path(self) -> tuple[Path, ...]:
        return self.stdlib + self.site

    @property
    def importable(self) -> tuple[Path, ...]:
        """The folders a process of the interpreter may import from: never the workspace or its repository."""
        trusted = self.path if self.trusted else self.stdlib
        return tuple(folder for folder in trusted if not is_inside(folder, self.strangers))


@dataclass(frozen=True, slots=True)
class _Choice:
    """A possible interpreter; `home` is the virtual environment that it replaces, which is only read."""

    python: Path
    home: Path | None = None


def find_environment(setting: str, roots: Sequence[Path], variables: Mapping[str, str]) -> Environment | None:
    """The first of the possible interpreters that answers.  Runs processes, so it must not be called while typing."""
    named = _named(setting, foreign(roots), variables.get("PATH", "")) if setting else None
    if isinstance(named, str):
        log.warning("context.python: %r %s; another interpreter is used", setting, named)
    for choice in _choices(setting, roots, variables):
        flags = ("-I",) if choice.home is None else ("-I", "-S")
        answer = run_python(choice.python, (*flags, "-c", _PROBE), "", PROBE_SECONDS)
        try:
            found = json.loads(answer) if answer else None
        except ValueError:
            found = None
        if isinstance(found, dict):
            return _environment(choice, flags, found, roots)
    return None


def deciding(setting: str, roots: Sequence[Path], variables: Mapping[str, str]) -> Hashable:
    """Changes when `find_environment` may find another one.  Runs nothing."""
    choices, strangers = tuple(_choices(setting, roots, variables)), foreign(roots)
    homes = tuple((it.home, _version_of(it.home, strangers)) for it in choices if it.home is not None)
    sites = tuple(tuple(_site_of(home, version, strangers)) for home, version in homes)
    return strangers, choices, stamps(it.python for it in choices), homes, sites


def stamps(paths: Iterable[Path]) -> tuple[tuple[int, int] | None, ...]:
    return tuple(map(stamp, paths))


def run_python(python: Path, arguments: Sequence[str], given: str, seconds: float) -> str | None:
    """The interpreter's output, or None if it could not be run, failed or took too long.

    It gets only the environment variables that an interpreter needs to start.
    """
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "HOME", "TEMP") if name in os.environ}
    try:
        done = subprocess.run(
            [str(python), *arguments],
            input=given,
            capture_output=True,
            timeout=seconds,
            cwd=tempfile.gettempdir(),
            env=kept,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def _choices(setting: str, roots: Sequence[Path], variables: Mapping[str, str]) -> Iterator[_Choice]:
    strangers = foreign(roots)
    path = variables.get("PATH", "")
    if setting:
        named = _named(setting, strangers, path)
        if isinstance(named, Path):
            yield _Choice(named)
    active = Path(variables.get("VIRTUAL_ENV") or os.devnull)
    own = on_path("python3", strangers, path) or on_path("python", strangers, path)
    for folder in [root / name for root in roots for name in _FOLDERS]:
        if (folder / _CONFIGURATION).exists() and is_inside(folder, strangers):
            version = _version_of(folder, strangers)
            same = on_path(f"python{_short(version)}", strangers, path) if version else None
            yield _Choice(same or Path(sys.executable), folder)
    if active.is_absolute() and (python := _python_in(active)) is not None and not is_inside(active, strangers):
        yield _Choice(python)
    if own is not None:
        yield _Choice(own)
    yield _Choice(Path(sys.executable))


def foreign(roots: Sequence[Path]) -> tuple[Path, ...]:
    """The workspace's folders and the repositories that contain them, which other people may have written."""
    return tuple(dict.fromkeys([*roots, *(top_of(root) for root in roots)]))


def _named(setting: str, strangers: Sequence[Path], path: str) -> Path | str:
    """The interpreter that a person names: a bare name on PATH, else an absolute path (of an interpreter or a virtual
    environment).  If there is none, the reason, as the end of a sentence."""
    named = folders.expanded(setting)
    if len(named.parts) == 1 and not named.is_absolute():
        return on_path(setting, strangers, path) or "is not on PATH (for a folder, write an absolute path)"
    if not named.is_absolute():
        return "is a relative path, which could lead into a workspace"
    python = _python_in(named) if named.is_dir() else named
    return python if python is not None and python.is_file() else "is no interpreter"


def _python_in(folder: Path) -> Path | None:
    for relative in ("bin/python3", "bin/python", "Scripts/python.exe", "python.exe"):
        if (folder / relative).is_file():
            return folder / relative
    return None


def _version_of(folder: Path, inside: Sequence[Path]) -> str:
    """What `pyvenv.cfg` says, whether `venv` (`version`) or `virtualenv` and uv (`version_info`) wrote it; else ""."""
    try:
        lines = read_text(folder / _CONFIGURATION, MOST_OF_SETTINGS, inside).splitlines()
    except (OSError, Refused):
        return ""
    pairs = (line.partition("=") for line in lines if "=" in line)
    found = {key.strip().lower(): value.strip() for key, _, value in pairs}
    version = found.get("version") or found.get("version_info") or ""
    return version if re.match(r"\d+\.\d+", version) else ""


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _environment(
    choice: _Choice, flags: tuple[str, ...], found: Mapping[str, object], roots: Sequence[Path]
) -> Environment:
    def strings(key: str) -> list[str]:
        value = found.get(key)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    version = str(found.get("version", ""))
    standard = Path(str(found.get("stdlib", "")))
    folders = [Path(item) for item in strings("path") if Path(item).is_dir()]
    stdlib = [folder for folder in folders if folder in (standard, standard / "lib-dynload") or folder.name == "DLLs"]
    site = [folder for folder in folders if folder not in stdlib]
    strangers = foreign(roots)
    if choice.home is not None:
        version = _version_of(choice.home, strangers) or version
        site = _site_of(choice.home, version, strangers)
    return Environment(
        choice.python,
        flags,
        version,
        tuple(stdlib),
        tuple(site),
        frozenset(strings("builtin")),
        frozenset(strings("names")),
        str(found.get("os_path", "posixpath")),
        tuple(strings("suffixes")),
        trusted=choice.home is None,
        strangers=strangers,
    )


def _site_of(home: Path, version: str, inside: Sequence[Path]) -> list[Path]:
    """A virtual environment's package folders and the folders named in its `.pth` files, if they are in the workspace;
    lines of code in those files are not run."""
    library = home / "lib"
    site = [library / f"python{_short(version)}" / "site-packages", home / "Lib" / "site-packages"]
    site += [library / name / "site-packages" for name in _names(library, ("python", "pypy"), "")]
    found = [folder for folder in dict.fromkeys(site) if folder.is_dir() and is_inside(folder, inside)]
    for folder in list(found):
        for name in _names(folder, ("",), ".pth")[:_MOST_PTH]:
            try:
                lines = read_text(folder / name, MOST_OF_SETTINGS, inside).splitlines()[:_MOST_LINES]
            except (OSError, Refused):
                continue
            for line in lines:
                there = folder / line.strip()
                if line.strip() and not line.startswith(("import", "#")) and there not in found and _is_folder(there):
                    found += [there] if is_inside(there, inside) else []
    return found[:_MOST_FOLDERS]


def _names(folder: Path, beginnings: tuple[str, ...], end: str) -> list[str]:
    """Matching names among the first entries of a folder of any size, sorted."""
    try:
        with os.scandir(folder) as entries:
            some = [entry.name for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False)]
    except OSError:
        return []
    return sorted(name for name in some if name.startswith(beginnings) and name.endswith(end))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
