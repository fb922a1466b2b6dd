"""The sample workspace, a small shop, copied to where a person can edit it.

In: a folder, or none.  Out: the copy, and where to type what in it.
"""

import filecmp
import shutil
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import count
from pathlib import Path

from palimpsest.errors import InvalidArgument
from palimpsest.system import folders

FILE = Path("shop") / "cart.py"
AFTER = "        total = self.subtotal()"
TYPED = "\n        if self.disc"
"""This is to be typed behind `AFTER`. The rest of the line is then offered, also where an editor's list of words is
open: its first word is the beginning of it."""


@dataclass(frozen=True, slots=True)
class SampleCopy:
    """`line` and `character` count from 0."""

    folder: Path
    file: Path
    line: int
    character: int


def copy(folder: Path | None = None) -> SampleCopy:
    """Without a folder, one of ours: the last copy where nothing was changed in it, else a new one beside it, since
    what a person wrote there is theirs.  Raises InvalidArgument for a folder that has something in it."""
    with as_file(files("palimpsest") / "demo" / "sample") as sample:
        try:
            target = folder.expanduser().absolute() if folder is not None else _place(sample)
            if folder is not None and target.exists() and (not target.is_dir() or any(target.iterdir())):
                raise InvalidArgument("folder", f"{target} is there already; name a new or an empty folder.")
            shutil.copytree(sample, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        except OSError as error:
            place = error.filename or folder
            raise InvalidArgument("folder", f"{place} cannot be written: {error.strerror or error}.") from error
    lines = (target / FILE).read_text(encoding="utf-8").split("\n")
    return SampleCopy(target, target / FILE, lines.index(AFTER), len(AFTER))


def _place(sample: Path) -> Path:
    for number in count(1):
        place = folders.state() / "sample" / ("shop" if number == 1 else f"shop-{number}")
        if not place.exists() or _is_unchanged(sample, place):
            return place
    raise AssertionError


def _is_unchanged(sample: Path, place: Path) -> bool:
    ours = [path.relative_to(sample) for path in sample.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    theirs = [path.relative_to(place) for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return set(theirs) <= set(ours) and all(
        not (place / path).exists() or filecmp.cmp(sample / path, place / path, shallow=False) for path in ours
    )
