"""The extension's package: what `make dist` makes, or the one that PALIMPSEST_VSIX names."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

from tests.documents import ROOT


def package(rig: Path) -> Path:
    """`make dist` with the Node of the rig; several workers want it at once, the first makes it."""
    if given := os.environ.get("PALIMPSEST_VSIX"):
        return Path(given)
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    env = os.environ | {"PATH": f"{rig / 'bin'}:{os.environ['PATH']}"}
    with (dist / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(["make", "-s", "dist"], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
        return max(dist.glob("*.vsix"), key=lambda path: path.stat().st_mtime)
