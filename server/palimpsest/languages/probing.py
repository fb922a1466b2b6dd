"""Whether a risky grammar lives through hard texts: found out in a process of its own, kept for each wheel's version.

In: the grammar's module.  Out: yes or no.  What is kept lies in the person's cache folder; a probe that was too slow is
made again by the next process, since the machine may have been busy.
"""

from __future__ import annotations

import importlib.metadata
import logging
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from palimpsest.languages import probe
from palimpsest.system import folders

log = logging.getLogger(__name__)

SECONDS = 20.0
_FORMAT = 1
"""This number is raised when the texts of the probe change."""
_HOLDS, _FAILS = "holds", "fails"


@cache
def holds(module: str) -> bool:
    """Whether the installed version of a grammar may be used.  Takes up to a second for a version that is new here."""
    kept = _kept(module)
    known = _read(kept)
    if known in (_HOLDS, _FAILS):
        return known == _HOLDS
    found = lived(module)
    if found is not None:
        _write(kept, _HOLDS if found else _FAILS)
    return found is True


def lived(module: str) -> bool | None:
    """Whether a process lived through the probe; None if it was not done in time, or could not be started."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", probe.__name__, module],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("cannot try the grammar %s: %s", module, error)
        return None
    return done.returncode == 0


def _kept(module: str) -> Path:
    try:
        version = importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        version = "unknown"
    return folders.cache() / "probed" / f"{module}-{version}-{_FORMAT}"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _write(path: Path, found: str) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(found, "utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
