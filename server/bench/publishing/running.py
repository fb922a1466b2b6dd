"""One measurement, in a process of its own, as a person would start it.

In: a figure, the repository, a model file.  Out: what the command printed as JSON.  Knows no document.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.publishing.catalog import FILE, FOLDER, PICTURE, PLOT, Figure
from palimpsest.errors import PalimpsestError

PACKAGES = ("huggingface_hub", "pygls", "uvicorn", "pluggy", "griffe")
"""Of the environment that tests run in; the embedded model was not trained on them."""
RECORDED = Path("tests", "llama_server", "data", "llama_vim.jsonl.gz")
SAID = 400
"""Characters of an error that are told."""


def run(figure: Figure, root: Path, model: Path, *, small: bool) -> dict[str, Any]:
    """Raises PalimpsestError with the command's own words."""
    with tempfile.TemporaryDirectory(prefix="pal-") as place:
        work = Path(place).resolve()
        words = [_argument(word, root, work, small) for word in (*figure.command, *(figure.small if small else ()))]
        command = [sys.executable, "-P", "-m", *([] if figure.is_module else ["palimpsest"]), *words]
        command += ["--json", "--model", str(model)]
        folder = root / figure.folder
        environment = _environment(root, work)
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        _end_engines(environment)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        said = done.stderr.strip()[-SAID:]
        raise PalimpsestError(f"`{figure.line()}` ended with status {done.returncode}: {said}")
    result: dict[str, Any] = json.loads(lines[0])
    return result


def _argument(word: str, root: Path, work: Path, small: bool) -> str:
    if word == FOLDER:
        return str(_sources(work / "sources"))
    if word == FILE:
        return str(_recorded(root, work))
    if word in (PLOT, PICTURE):
        return str(work / Path(word).name) if small else str(root / word)
    return word


def _environment(root: Path, work: Path) -> Mapping[str, str]:
    """One in which no engine runs yet, with nobody's settings: what is measured is a first run."""
    own = {name: work / name.lower() for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    for path in own.values():
        path.mkdir(mode=0o700)
    return {
        **os.environ,
        **{name: str(path) for name, path in own.items()},
        "PYTHONPATH": f"{root / 'server'}{os.pathsep}{root}",
    }


def _end_engines(environment: Mapping[str, str]) -> None:
    """Those that the run left behind, which would wait for another editor."""
    engine = [sys.executable, "-P", "-m", "palimpsest", "engine"]
    listed = subprocess.run([*engine, "--list", "--json"], env=environment, capture_output=True, text=True, check=False)
    for row in json.loads(listed.stdout or "[]"):
        subprocess.run([*engine, "--stop", row["name"]], env=environment, capture_output=True, check=False)


def _sources(folder: Path) -> Path:
    """The modules of PACKAGES, copied.  Raises PalimpsestError."""
    for name in PACKAGES:
        found = find_spec(name)
        if found is None or found.origin is None:
            raise PalimpsestError(f"{name} is not installed.", hint="make setup")
        shutil.copytree(Path(found.origin).parent, folder / name, ignore=_not_source)
    return folder


def _not_source(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not (name.endswith(".py") or (Path(folder) / name).is_dir())]


def _recorded(root: Path, work: Path) -> Path:
    there = work / RECORDED.stem
    there.write_bytes(gzip.decompress((root / RECORDED).read_bytes()))
    return there
