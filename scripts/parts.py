"""The parts of `make test-all` (tests/parts.toml).

    parts.py due                              names those with a file that is not as it was when they last passed here
    parts.py due --took SECONDS --left SECONDS   of these, those that come to an end in what is left, where the tests of
                                              `make test` took so long; says on standard error which do not
    parts.py run PART…                        runs them (all, where none is named)

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
FOR_ALL = ("Makefile", "pyproject.toml", "tests/conftest.py")
#: What `make test` takes where the table's minutes were measured.
MINUTES_OF_MAKE_TEST = 13
#: Of the time that is left, what may be planned for: a machine that others share does not keep its pace.
PLANNED = 0.8


@dataclass(frozen=True)
class Part:
    select: str
    about: tuple[str, ...]
    minutes: float
    """On two idle cores, by itself."""


def parts_of(root: Path) -> dict[str, Part]:
    rows = tomllib.loads((root / "tests" / "parts.toml").read_text(encoding="utf-8"))
    return {name: Part(row["select"], (*row["about"], *FOR_ALL), row["minutes"]) for name, row in rows.items()}


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
    return {name: f"{part.select} {digest(root, part.about)}" for name, part in parts_of(root).items()}


def due(now: Mapping[str, str], passed: Mapping[str, str]) -> list[str]:
    return [name for name, found in now.items() if passed.get(name) != found]


def fitting(names: list[str], parts: Mapping[str, Part], took_s: float, left_s: float) -> list[str]:
    """Of `names`, in their order, those that end within `left_s` seconds, where `make test` took `took_s`."""
    pace = took_s / MINUTES_OF_MAKE_TEST  # seconds for a minute of the table
    chosen, room = [], left_s * PLANNED
    for name in names:
        if (needed := parts[name].minutes * pace) <= room:
            chosen.append(name)
            room -= needed
    return chosen


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
    parser.add_argument("--took", type=float, metavar="SECONDS", help="what `make test` took on this machine, just now")
    parser.add_argument("--left", type=float, metavar="SECONDS", help="until the parts must have ended")
    parser.add_argument("--command", default=f"{sys.executable} -m pytest", help="what runs tests")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(parts_of(ROOT)):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts_of(ROOT))}")
    if options.what == "run":
        return run(ROOT, options.parts or list(parts_of(ROOT)), options.command.split())
    names = due(digests(ROOT), passed())
    if options.took is not None and options.left is not None:
        chosen = fitting(names, parts_of(ROOT), options.took, options.left)
        if later := [name for name in names if name not in chosen]:
            print(f"No time is left on this machine for: {', '.join(later)}. They stay due.", file=sys.stderr)
        names = chosen
    print(*names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
