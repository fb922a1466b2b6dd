from pathlib import Path

import pytest
from tests.training.commands import ROOT, run


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter of the environment with torch, made where it is missing."""
    run("bash", ROOT / "server" / "training" / "environment.sh")
    return ROOT / ".venv-train" / "bin" / "python"
