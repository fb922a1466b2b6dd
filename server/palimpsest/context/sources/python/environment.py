"""Which Python the workspace runs on, and where that keeps its modules.

In: the setting, the workspace's folders, environment variables.  Out: an `Environment`.  Knows no module.

An interpreter is run once, isolated, to say where its folders are.  One that a person chose (the setting, an activated
environment, what is first on PATH, our own) is run as it is.  An environment merely found in the workspace is not to
be trusted so far, since opening a folder must not run code that lies in it: its packages are read and never imported,
and what runs is the interpreter it was made from, without `site`.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.text.uris import is_inside

log = logging.getLogger(__name__)

PROBE_SECONDS = 10.0
_FOLDERS = (".venv", "venv", "env")
_PROBE = (
    "import sys, json, os, importlib.machinery as m;"
    "print(json.dumps({'version': '%d.%d.%d' % sys.version_info[:3], 'path': [p for p in sys.path if p],"
    "'stdlib': os.path.dirname(os.__file__), 'builtin': sorted(sys.builtin_module_names),"
    "'names': sorted(getattr(sys, 'stdlib_module_names', ())), 'os_path': os.path.__name__,"
    "'suffixes': m.EXTENSION_SUFFIXES}))"
)


@dataclass(frozen=True, slots=True)
class Environment:
    """`flags` are how `python` is to be run.  `stdlib` and `site` are the folders to look for modules in, in order.

    `trusted`: its installed packages may be imported in a process of their own.
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

    @property
    def path(self) -> tuple[Path, ...]:
        return self.stdlib + self.site


@dataclass(frozen=True, slots=True)
class _Choice:
    """A possible interpreter; `home` is its virtual environment's folder where only that is to be read."""

    python: Path
    home: Path | None = None
    is_named: bool = False


def find_environment(setting: str, roots: Sequence[Path], variables: Mapping[str, str]) -> Environment | None:
    """The first of the possible interpreters that answers.  Runs processes: not for the typing path."""
    choices = list(_choices(setting, roots, variables))
    if setting and (not choices or not choices[0].is_named):
        log.warning("context.python: there is no interpreter %r; another is used", setting)
    for choice in choices:
        flags = ("-I",) if choice.home is None else ("-I", "-S")
        answer = run_python(choice.python, (*flags, "-c", _PROBE), "", PROBE_SECONDS)
        try:
            found = json.loads(answer) if answer else None
        except ValueError:
            found = None
        if isinstance(found, dict):
            return _environment(choice, flags, found)
    return None


def run_python(python: Path, arguments: Sequence[str], given: str, seconds: float) -> str | None:
    """What the interpreter printed, or None when it could not be run, failed or took too long.

    It gets no more of our surroundings than an interpreter needs to start.
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
    if setting:
        named = Path(setting).expanduser()
        for base in roots or [Path()]:  # an absolute path is itself, below whatever folder
            python = _python_in(base / named) if (base / named).is_dir() else base / named
            if python is not None and python.is_file():
                yield _Choice(Path(os.path.abspath(python)), is_named=True)
        which = shutil.which(setting, path=variables.get("PATH", ""))
        if which is not None:
            yield _Choice(Path(which), is_named=True)
    active = Path(variables.get("VIRTUAL_ENV") or os.devnull)
    for folder in [root / name for root in roots for name in _FOLDERS]:
        if folder == active and (python := _python_in(folder)) is not None:
            yield _Choice(python)
        yield from _read_only(folder, roots)
    if (python := _python_in(active)) is not None:
        yield _Choice(python)
    for name in ("python3", "python"):
        which = shutil.which(name, path=variables.get("PATH", ""))
        if which is not None and not is_inside(which, roots):
            yield _Choice(Path(which))
    yield _Choice(Path(sys.executable))


def _python_in(folder: Path) -> Path | None:
    for relative in ("bin/python3", "bin/python", "Scripts/python.exe", "python.exe"):
        if (folder / relative).is_file():
            return folder / relative
    return None


def _read_only(folder: Path, roots: Sequence[Path]) -> Iterator[_Choice]:
    """The interpreter that a virtual environment of the workspace was made from, if it lies outside the workspace."""
    if not (folder / "pyvenv.cfg").is_file():
        return
    own = _python_in(folder)
    made_from = Path(_configuration(folder).get("home", "") or ".")
    for python in [own.resolve() if own else None, made_from / "python3", made_from / "python.exe"]:
        if python is None or not python.is_absolute() or not python.is_file():
            continue
        if python.name.lower().startswith(("python", "pypy")) and not is_inside(python, roots):
            yield _Choice(python, folder)
            return


def _configuration(folder: Path) -> dict[str, str]:
    try:
        lines = (folder / "pyvenv.cfg").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _environment(choice: _Choice, flags: tuple[str, ...], found: Mapping[str, object]) -> Environment:
    def strings(key: str) -> list[str]:
        value = found.get(key)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    version = str(found.get("version", ""))
    standard = Path(str(found.get("stdlib", "")))
    folders = [Path(item) for item in strings("path") if Path(item).is_dir()]
    stdlib = [folder for folder in folders if folder in (standard, standard / "lib-dynload") or folder.name == "DLLs"]
    site = [folder for folder in folders if folder not in stdlib]
    if choice.home is not None:
        site = _site_of(choice.home, version)
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
    )


def _site_of(home: Path, version: str) -> list[Path]:
    """A virtual environment's package folders and what its `.pth` files name; lines of code in those are not run."""
    short = ".".join(version.split(".")[:2])
    site = [home / "lib" / f"python{short}" / "site-packages", home / "Lib" / "site-packages"]
    site += sorted((home / "lib").glob("python*/site-packages")) + sorted((home / "lib").glob("pypy*/site-packages"))
    found = [folder for folder in dict.fromkeys(site) if folder.is_dir()]
    for folder in list(found):
        for file in sorted(folder.glob("*.pth"))[:64]:
            try:
                lines = file.read_text("utf-8", errors="replace").splitlines()
            except OSError:
                continue
            named = [folder / line.strip() for line in lines if line.strip() and not line.startswith(("import", "#"))]
            found += [there for there in named if there.is_dir() and there not in found]
    return found
