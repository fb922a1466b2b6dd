"""The server's source files as text, read once for all the tests that check what is written in them."""

from functools import cache
from pathlib import Path

SERVER = Path(__file__).parents[1] / "server" / "palimpsest"
MAP = (SERVER.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")


@cache
def sources() -> dict[str, str]:
    """The text of every module by its path below `palimpsest/`."""
    return {p.relative_to(SERVER).as_posix(): p.read_text(encoding="utf-8") for p in sorted(SERVER.rglob("*.py"))}
