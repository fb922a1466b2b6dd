"""Commands of the training environment, which has torch and is apart from the one that tests run in."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command: str | Path) -> str:
    """Standard output of a command, with warnings left to themselves."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT / "server",
        env={**environment, "PYTHONPATH": str(ROOT / "server")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
