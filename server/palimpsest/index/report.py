"""What is known of the index of a folder, for who asks how it is.

In: the cache folder, a workspace folder.  Out: one sentence, and whether the index is whole.  Builds nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palimpsest.index.reader import IndexReader
from palimpsest.index.store import database
from palimpsest.text.amounts import amount


@dataclass(frozen=True, slots=True)
class IndexReport:
    is_whole: bool
    detail: str


def report(cache: Path, folder: Path) -> IndexReport | None:
    """None if there is no index of the folder."""
    path = database(cache, folder)
    if not path.is_file():
        return None
    reader = IndexReader(folder, path)
    try:
        notes = reader.notes()
    finally:
        reader.close()
    built = notes.get("built")
    if not notes.get("complete") or not isinstance(built, Mapping):
        return IndexReport(False, f"{folder}: not every file is in it yet")
    return IndexReport(True, f"{folder}: {_files(built)}; {path.stat().st_size / 1e6:.1f} MB")


def _files(built: Mapping[str, Any]) -> str:
    """`10,000 files; left out: 2 larger than …, 1 is no UTF-8 text`."""
    left_out = built["left_out"]
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(left_out.items()))
    return f"{amount(built['files'], 'file')}{f'; left out: {reasons}' if reasons else ''}"
