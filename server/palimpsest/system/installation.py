"""Commands that install missing parts, in the way in which this Palimpsest was installed.

In: the metadata that installers write beside a package.  Out: commands to show.  Runs nothing and asks no index.

No command asks an index for our own package, whose name may be taken there.  The package is installed again from its
recorded folder, wheel or URL (PEP 610, `direct_url.json`); without such a record, the requirements of the part are
listed instead.  `pipx` marks its environments with a file.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

PREBUILT = "--extra-index-url https://abetlen.github.io/llama-cpp-python/whl/cpu"
"""llama-cpp-python's own wheels (for CPUs; …/metal and …/cu124 are others)."""
PACKAGE = "palimpsest"


def add(extra: str, *options: str) -> str:
    """The command that installs a part (`engine`, `download`)."""
    what = _source(_distribution(), extra) or requirements(_distribution(), extra)
    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        more = [f"--pip-args={' '.join(options)}"] if options else []
        return _joined(["pipx", "inject", PACKAGE, *more, *requirements(_distribution(), extra)])
    return _joined([*_installer(_distribution()), *shlex.split(" ".join(options)), *what])


def ways_to_an_engine(between: str = "\n") -> str:
    """What the user can do if the engine's parts are missing, one option on each line."""
    return between.join(
        (
            f"built here (needs a C++ compiler and CMake): {add('engine')}",
            f"prebuilt (or …/whl/metal on a Mac, …/whl/cu124 and the like for CUDA): {add('engine', PREBUILT)}",
            'without one: set engine.kind = "none"; the editor keeps everything that needs no model',
        )
    )


def requirements(found: Distribution | None, extra: str) -> list[str]:
    """The requirements of a part in our metadata."""
    marker = re.compile(rf"extra\s*==\s*['\"]{extra}['\"]")
    listed = (found.requires if found is not None else None) or []
    return [line.partition(";")[0].strip() for line in listed if marker.search(line.partition(";")[2])]


def _distribution() -> Distribution | None:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:  # run from a clone that was never installed
        return None


def _source(found: Distribution | None, extra: str) -> list[str]:
    """Arguments that name what to install from; empty if that is not recorded or no longer exists."""
    if found is None:
        clone = Path(__file__).resolve().parents[3]
        return ["-e", f"{clone}[{extra}]"] if (clone / "pyproject.toml").exists() else []
    try:
        record: Any = json.loads(found.read_text("direct_url.json") or "{}")
        url = record["url"]
    except (ValueError, KeyError, TypeError):
        return []
    if not isinstance(url, str):
        return []
    if (vcs := record.get("vcs_info")) and isinstance(vcs, dict):
        commit = vcs.get("commit_id")
        return [f"{PACKAGE}[{extra}] @ {vcs.get('vcs', 'git')}+{url}{f'@{commit}' if commit else ''}"]
    if not url.startswith("file:"):
        return [f"{PACKAGE}[{extra}] @ {url}"]
    path = Path(url2pathname(urlsplit(url).path))
    if not path.exists():
        return []
    editable = bool((record.get("dir_info") or {}).get("editable"))
    return [*(["-e"] if editable else []), f"{path}[{extra}]"]


def _installer(found: Distribution | None) -> list[str]:
    by_uv = found is not None and (found.read_text("INSTALLER") or "").strip() == "uv"
    has_pip = importlib.util.find_spec("pip") is not None
    if by_uv or (not has_pip and shutil.which("uv")):
        return ["uv", "pip", "install", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "install"] if has_pip else ["pip", "--python", sys.executable, "install"]


def _joined(words: Sequence[str]) -> str:
    if sys.platform == "win32":
        return " ".join(f'"{word}"' if re.search(r"[\s\[\]<>=]", word) else word for word in words)
    return shlex.join(words)
