"""A workspace's own source files: what may enter a block, tests left out.

In: a folder.  Out: parsed documents and their paths.  What git ignores, secrets and links are not read.
"""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles

LARGEST = 150_000
"""Characters of a file."""
NOT_OURS = frozenset({"site-packages", "dist-packages", "_vendor", "vendor", "build", "dist"})
TESTS = frozenset({"test", "tests", "testing"})


def documents(folder: Path, random: Random | None = None, most: int | None = None) -> Iterator[Parsed]:
    """Every source file that parses; at most so many, in random order."""
    root = folder.absolute()
    files = WorkspaceFiles((root,), clock=time.thread_time)
    paths = list(source_paths(files, root))
    if random is not None:
        random.shuffle(paths)
    return islice(filter(None, (parsed_source(files, path) for path in paths)), most)


def source_paths(files: WorkspaceFiles, folder: Path, *, tests: bool = False) -> Iterator[Path]:
    """Those of a folder and the folders in it; of tests only if they are asked for."""
    left_out = NOT_OURS if tests else NOT_OURS | TESTS
    for entry in files.listing(folder):
        path = folder / entry.name
        if entry.is_dir:
            if not entry.is_link and entry.name not in left_out:
                yield from source_paths(files, path, tests=tests)
        elif language_of("", entry.name).grammar is not None and (tests or not _is_test(path.stem)):
            yield path


def _is_test(stem: str) -> bool:
    return stem.startswith("test_") or stem.endswith("_test") or stem in ("conftest", "tests", "test")


def parsed_source(files: WorkspaceFiles, path: Path) -> Parsed | None:
    """None for what is too large, no text of ours or does not parse."""
    source = files.source(path)
    text = "" if source is None else source.text.replace("\r\n", "\n")
    if not text or len(text) > LARGEST or "\r" in text:
        return None
    language = language_of("", path.name)
    parsed = Parser(language_of).parse(Snapshot(to_uri(path), 0, language.id, text))
    return None if parsed.n_errors else parsed
