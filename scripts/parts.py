"""The parts of `make test-all` (tests/parts.toml).

    parts.py due          names those with a file that is not as it was when they last passed on this machine
    parts.py run PART…    runs them (all, where none is named)

In: the files that git knows, in the working tree.  What passed is kept in the cache folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOR_ALL = ("Makefile", "pyproject.toml", "tests/parts.toml", "tests/conftest.py")


@dataclass(frozen=True)
class Part:
    select: str
    about: tuple[str, ...]


def parts_of(root: Path) -> dict[str, Part]:
    rows = tomllib.loads((root / "tests" / "parts.toml").read_text(encoding="utf-8"))
    return {name: Part(row["select"], (*row["about"], *FOR_ALL)) for name, row in rows.items()}


def digest(root: Path, places: Iterable[str]) -> str:
    """Of the names and contents of all files there, new ones included unless git ignores them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places]
    try:
        names = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit("What has changed is told by git: there is none here, or this is no clone.") from error
    found = hashlib.sha256()
    for name in sorted({name for name in names if name}):
        path = root / os.fsdecode(name)
        content = path.read_bytes() if path.is_file() else b""
        found.update(b"%s\0%d\0%s" % (name, len(content), content))
    return found.hexdigest()


def digests(root: Path) -> dict[str, str]:
    return {name: digest(root, part.about) for name, part in parts_of(root).items()}


def due(now: Mapping[str, str], passed: Mapping[str, str]) -> list[str]:
    return [name for name, found in now.items() if passed.get(name) != found]


def record() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "palimpsest" / "tests-passed.json"


def passed() -> dict[str, str]:
    try:
        found = json.loads(record().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def run(root: Path, names: list[str], command: list[str]) -> int:
    """The status of `command` over their tests.  What the files were before is noted where all passed."""
    parts, before = parts_of(root), digests(root)
    environment = os.environ | {"HYPOTHESIS_PROFILE": "long"}
    chosen = " or ".join(f"({parts[name].select})" for name in names)
    status = subprocess.run([*command, "-m", chosen], cwd=root, env=environment).returncode
    if not status:
        record().parent.mkdir(parents=True, exist_ok=True)
        record().write_text(json.dumps(passed() | {name: before[name] for name in names}), encoding="utf-8")
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("due", "run"))
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts_of(ROOT)))
    parser.add_argument("--command", default=f"{sys.executable} -m pytest", help="what runs tests")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(parts_of(ROOT)):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts_of(ROOT))}")
    if options.what == "run":
        return run(ROOT, options.parts or list(parts_of(ROOT)), options.command.split())
    print(*due(digests(ROOT), passed()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
