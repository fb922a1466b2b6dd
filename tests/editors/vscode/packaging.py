"""The extension's package: made by `npm run package`, or the one that PALIMPSEST_VSIX names."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from pathlib import Path

from tests.documents import ROOT

CLIENT = ROOT / "clients" / "vscode"
MADE = ("node_modules", "out", "server")
"""What is made there and goes not into what a package is known by."""


def package(rig: Path) -> Path:
    """Several workers want it at once: the first makes it, with the Node of the rig."""
    if given := os.environ.get("PALIMPSEST_VSIX"):
        return Path(given)
    out = CLIENT / "out"
    out.mkdir(exist_ok=True)
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = out / f"tested-{_digest()}.vsix"
        if not made.exists():
            _make(rig, made)
        return made


def _make(rig: Path, made: Path) -> None:
    env = os.environ | {"PATH": f"{rig / 'bin'}:{os.environ['PATH']}"}
    command = ["bash", "-euc", '. scripts/modules.sh; npm run package -- --out "$0"', str(made)]
    run = subprocess.run(command, cwd=CLIENT, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def _digest() -> str:
    found = hashlib.sha256()
    for path in sorted(CLIENT.rglob("*")):
        inside = path.relative_to(CLIENT)
        if path.is_file() and inside.parts[0] not in MADE and path.suffix != ".vsix":
            found.update(str(inside).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]
