"""Programs that `scripts/*.sh` install into the cache folder of the person who runs the tests.

A run of tests has folders of its own (`machine` in tests/e2e/conftest.py).  What takes minutes to install stays where
`make editors` puts it, whichever test asks first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT


class NotHere(Exception):
    """It cannot be installed here; the message says why."""


def cache_folder() -> Path:
    """The person's."""
    real = os.environ.get("REAL_XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", ""))
    return Path(real) if real else Path.home() / ".cache"


def installed(script: str) -> Path:
    """The folder that a script of `scripts/` makes, or has made.  Raises NotHere."""
    environment = os.environ | {"XDG_CACHE_HOME": str(cache_folder())}
    made = subprocess.run([ROOT / "scripts" / script], env=environment, capture_output=True, text=True, check=False)
    if made.returncode:
        raise NotHere(made.stderr.strip())
    return Path(made.stdout.strip())


def without_library(folder: Path) -> dict[str, str]:
    """Variables of a process that finds no llama.cpp: packages without one are found in place of those installed."""
    for name in ("llama_cpp", "xllamacpp"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").touch()
    return {**before_all(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def before_all(folder: Path) -> dict[str, str]:
    """Variables of a process of ours that finds a folder's modules before all others: `PYTHONPATH` alone does not do it
    (`system/isolation.py`)."""
    start = folder / "start"
    start.mkdir()
    (start / "sitecustomize.py").write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\n", encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(start), *filter(None, sys.path)])}
