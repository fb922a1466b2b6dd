"""What a stranger's repository, client or request must not do: `make hostile` runs this suite alone.

Repositories are generated; every process a test starts is capped in memory, and every test in time.
"""

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.conftest import editor, engine_pids, machine, shop

__all__ = ["editor", "machine", "shop"]

MEMORY = 6 << 30
"""Address space of each process, in bytes: the engine maps its model and llama.cpp's buffers into it."""
SECONDS = 120


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SECONDS))


@pytest.fixture(autouse=True)
def capped() -> Iterator[None]:
    """Processes that a test starts inherit the bound; so does the test itself, for as long as it runs."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Processes hear SIGINT, also where the suite runs in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A runtime folder of the test's own: no engine of another test is in it."""
    runtime = tempfile.mkdtemp(prefix="pal-", dir="/tmp")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    yield runtime
    for pid in engine_pids(runtime):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[dict[str, str | bytes | Path]], Path]:
    """Writes a repository: a text or bytes is a file, a `Path` is where a symbolic link leads.  Returns its folder,
    which has a `.git` folder as git makes it."""

    def write(files: dict[str, str | bytes | Path]) -> Path:
        root = tmp_path / "repository"
        (root / ".git").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                path.symlink_to(content)
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write
