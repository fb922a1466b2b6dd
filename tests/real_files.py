"""Real files that others wrote, by language: what is installed beside the project, read when a test runs.

Nothing of it is copied into the project or run.
"""

from __future__ import annotations

import hashlib
import sysconfig
from functools import cache
from pathlib import Path

from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.text.snapshot import Snapshot
from tests.installing import installed

PER_LANGUAGE = 20
BYTES = range(800, 30_000)
ENDINGS = {
    "python": ".py",
    "javascript": ".js",
    "typescript": ".ts",
    "tsx": ".tsx",
    "rust": ".rs",
    "go": ".go",
    "c": ".c",
    "cpp": ".cpp .cc",
    "java": ".java",
    "csharp": ".cs",
    "ruby": ".rb",
    "php": ".php",
    "lua": ".lua",
    "kotlin": ".kt",
    "swift": ".swift",
    "bash": ".sh .bash",
}


@cache
def at_hand(root: Path) -> list[Path]:
    """Always in the same order, and no more from one folder than from another by its name."""
    endings = {ending for several in ENDINGS.values() for ending in several.split()}
    found = [
        path
        for path in root.rglob("*")
        if path.suffix in endings
        and not {"site-packages", "dist-packages"} & {*path.parts}
        and path.is_file()
        and path.stat().st_size in BYTES
    ]
    return sorted(found, key=lambda path: hashlib.sha256(path.name.encode()).digest())


@cache
def files(language: str) -> tuple[Parsed, ...]:
    root = Path(sysconfig.get_path("stdlib")) if language == "python" else installed("real_sources.sh")
    found = [path for path in at_hand(root) if path.suffix in ENDINGS[language].split()]
    return tuple(map(parsed_file, found[:PER_LANGUAGE]))


def parsed_file(path: Path) -> Parsed:
    language = language_of("", path.name)
    text = path.read_text(encoding="utf-8", errors="replace")
    return parse_snapshot(Snapshot(path.as_uri(), 1, language.id, text), language)


def known() -> list[str]:
    return sorted({language.id for language in languages()} & set(ENDINGS))
