"""Source files as text, read once: the server's as they are, for tests that check what is written in them, and as they
once were."""

from functools import cache
from pathlib import Path

from bench.traces.format import read

SERVER = Path(__file__).parents[1] / "server" / "palimpsest"
MAP = (SERVER.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")


@cache
def sources() -> dict[str, str]:
    """The text of every module by its path below `palimpsest/`."""
    return {p.relative_to(SERVER).as_posix(): p.read_text(encoding="utf-8") for p in sorted(SERVER.rglob("*.py"))}


@cache
def recorded() -> str:
    """Python source that no version of Python or of ours changes: the files that a recorded session began with."""
    files = read(SERVER.parent / "bench" / "traces" / "history.jsonl.xz").files
    return "\n".join(files.values())[20_000:]  # behind the first module's words
